import { expect } from 'chai';
import { createConfirmLateCodes } from '../../core/deployments/late-codes.ts';
import { event } from '../../core/events/event.ts';
import { type DeploymentId, type ProductId, type TemplateId, toDeploymentId, type UserId } from '../../core/id.ts';
import type { Instant } from '../../core/ports/clock.ts';
import type {
  ChainFacts,
  CheckedDeployment,
  DeploymentFilter,
  KnownCodes,
} from '../../core/ports/deployment-checks.ts';
import type { Deployment } from '../../core/ports/deployment-log.ts';
import { mostReleaseCodes, type ReleaseCode } from '../../core/ports/release-codes.ts';
import { isRefused } from '../../core/refusal.ts';
import { backOff, lease } from '../../core/work/work.ts';
import { addTemplate, addUser, backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { good } from '../support/good.ts';
import { must, issuedAt as now } from '../support/license-acts.ts';
import { addForSale } from '../support/orders.ts';
import { itLong } from '../support/required-service.ts';

const hash = (n: number) => `0x${n.toString(16).padStart(64, '0')}`;
const nothing: ChainFacts = { blockNumber: null, createdAt: null, codeHash: null };
const told = event('product.changed', 'jar', by, now, { fields: 'codes' });

for (const backend of backends) {
  describe(`checks of deployments: ${backend.name}`, () => {
    const stores = openForEach(backend);
    let userId: UserId;
    let dex: TemplateId;
    let jar: ProductId;
    let reported = 0;

    beforeEach(async () => {
      userId = (await addUser(stores, 'Ada')).id;
      dex = (await addTemplate(stores, 'dex')).id;
      jar = (await addForSale(stores, { slug: 'jar', templateId: dex })).id;
    });

    const report = async (fields: Partial<Deployment> = {}, hasRpc = true): Promise<DeploymentId> => {
      const deployment = {
        ...{ userId, isLive: true, chain: 'base', chainId: 8453, address: `0x${'Ab'.repeat(20)}` },
        ...{ txHash: hash(++reported), templateReference: 'dex', templateId: dex, at: now, ...fields },
      };
      expect(await stores.deployments.add(deployment, hasRpc)).to.equal(true);
      const { items } = await list({ userId: deployment.userId, isLive: deployment.isLive, limit: 1_000 });
      return must(items.find(({ txHash }) => txHash === deployment.txHash)).id;
    };
    const list = (filter: Partial<DeploymentFilter> = {}) =>
      stores.checks.list({ userId, isLive: true, limit: 20, ...filter });
    const find = async (id: DeploymentId): Promise<CheckedDeployment> => must(await stores.checks.find(id));
    const claim = (at: Instant) => stores.work.claim({ now: at, until: at + lease, most: 500, kinds: ['deployment'] });
    const code = (n: number, fields: Partial<ReleaseCode> = {}) => ({
      ...{ productId: jar, version: '1', contract: 'Dex', hash: hash(n), createdAt: now, ...fields },
    });
    const confirmedWith = async (id: DeploymentId, n: number): Promise<KnownCodes> => {
      let seen: KnownCodes | undefined;
      await stores.checks.record(
        id,
        { ...nothing, codeHash: hash(n) },
        (codes) => {
          seen = codes;
          return codes.any && codes.release === undefined ? 'mismatch' : 'confirmed';
        },
        now + 5,
      );
      return must(seen);
    };

    it('begin at once if the chain has an RPC, and not if it has none', async () => {
      const [checked, other] = [await report(), await report({ chainId: 1 }, false)];
      expect((await claim(now)).map(({ kind, subjectId }) => [kind, subjectId])).to.deep.equal([
        ['deployment', checked],
      ]);
      expect(await find(checked)).to.include({ state: 'unchecked', checkFrom: now, checkedAt: null, release: null });
      expect(await find(other)).to.include({ state: 'no_rpc' });
      expect(await stores.checks.find(toDeploymentId(9_999))).to.equal(undefined);
      expect(await stores.checks.find(toDeploymentId(9_999_999_999))).to.equal(undefined);
    });

    it('store what was found once, and never another result', async () => {
      const id = await report();
      const facts = { blockNumber: 30_000_000_000, createdAt: now - 9, codeHash: null };
      await stores.checks.record(id, facts, () => 'reverted', now + 1);
      const found = await find(id);
      expect(found).to.deep.include({ ...facts, state: 'reverted', checkedAt: now + 1, release: null });
      await stores.checks.record(id, nothing, () => 'confirmed', now + 2);
      expect(await find(id)).to.deep.equal(found);
    });

    itLong('know the codes of the products of the template, in the mode of the deployment', async () => {
      expect(await confirmedWith(await report(), 1)).to.deep.equal({ any: false, release: undefined });
      const other = (await addForSale(stores, { slug: 'other' })).id;
      const test = (await addForSale(stores, { slug: 'test', templateId: dex, isLive: false })).id;
      for (const productId of [other, test]) await stores.codes.add(code(1, { productId }), told);
      expect(await confirmedWith(await report(), 1)).to.deep.equal({ any: false, release: undefined });
      await stores.codes.add(code(1), told);
      await stores.codes.add(code(1, { version: '2' }), told);
      const id = await report();
      expect(await confirmedWith(id, 1)).to.deep.equal({ any: true, release: { productId: jar, version: '2' } });
      expect(await find(id)).to.deep.include({ state: 'confirmed', release: { productId: jar, version: '2' } });
      const wrong = await report();
      expect(await confirmedWith(wrong, 3)).to.deep.equal({ any: true, release: undefined });
      expect(await find(wrong)).to.deep.include({ state: 'mismatch', release: null, codeHash: hash(3) });
      expect(await confirmedWith(await report({ isLive: false }), 1)).to.deep.equal({
        ...{ any: true, release: { productId: test, version: '1' } },
      });
      const without = await report({ templateId: null });
      expect(await confirmedWith(without, 1)).to.deep.equal({ any: false, release: undefined });
    });

    it('confirm what matched no code when this code is registered, and nothing else', async () => {
      await stores.codes.add(code(1), told);
      const [late, other, reverted] = [await report(), await report(), await report()];
      await confirmedWith(late, 2);
      await confirmedWith(other, 3);
      await stores.checks.record(reverted, { ...nothing, codeHash: hash(2) }, () => 'reverted', now);
      const added = good(await stores.codes.add(code(2, { version: '7' }), told));
      expect(await stores.codes.confirm(dex, true, added)).to.equal(1);
      expect(await stores.codes.confirm(dex, true, added)).to.equal(0);
      expect(await find(late)).to.deep.include({ state: 'confirmed', release: { productId: jar, version: '7' } });
      expect([(await find(other)).state, (await find(reverted)).state]).to.deep.equal(['mismatch', 'reverted']);
      expect(await stores.codes.remove(jar, added.id, told)).to.equal(true);
      expect(await find(late)).to.deep.include({ state: 'confirmed', release: { productId: jar, version: '7' } });
    });

    itLong('confirm what matched no code when its product is linked to the template later, in steps', async () => {
      await stores.codes.add(code(1), told);
      const ids = await Promise.all(Array.from({ length: 3 }, () => report()));
      for (const id of ids) await confirmedWith(id, 2);
      const test = await report({ isLive: false });
      await confirmedWith(test, 2);
      expect(await stores.codes.confirmSome(undefined)).to.deep.equal({ confirmed: 0, next: undefined });
      const late = (await addForSale(stores, { slug: 'late' })).id;
      await stores.codes.add(code(2, { productId: late, version: '1' }), told);
      await stores.codes.add(code(2, { productId: late, version: '2' }), told);
      expect((await stores.codes.confirmSome(undefined)).confirmed).to.equal(0);
      const linked = event('product.template_set', 'late', by, now, { template: 'dex' });
      await stores.products.change(late, (before) => ({ after: { ...before, templateId: dex }, event: linked }));
      const turn = createConfirmLateCodes(stores.codes);
      expect(await turn(() => false)).to.equal(0);
      expect(await turn(() => true)).to.equal(3);
      expect(await turn(() => true)).to.equal(0);
      for (const id of ids)
        expect(await find(id)).to.deep.include({ state: 'confirmed', release: { productId: late, version: '2' } });
    });

    itLong('miss no code that is registered while they end', async () => {
      await stores.codes.add(code(1), told);
      const ids = await Promise.all(Array.from({ length: 12 }, () => report()));
      const registers = async () => {
        const added = good(await stores.codes.add(code(2), told));
        await stores.codes.confirm(dex, true, added);
      };
      await Promise.all([...ids.map((id) => confirmedWith(id, 2)), registers()]);
      for (const id of ids) expect((await find(id)).state).to.equal('confirmed');
    });

    itLong('begin for deployments whose chain got an RPC, in limited numbers, and only once', async () => {
      const [base, other] = [await report({}, false), await report({ chainId: 10 }, false)];
      expect(await stores.checks.resume([1], now + 9)).to.equal(0);
      expect(await stores.checks.resume([1, 8453], now + 9)).to.equal(1);
      expect(await stores.checks.resume([1, 8453], now + 9)).to.equal(0);
      expect(await find(base)).to.include({ state: 'unchecked', checkFrom: now + 9, at: now });
      expect((await find(other)).state).to.equal('no_rpc');
      expect((await claim(now + 9)).map(({ subjectId }) => subjectId)).to.deep.equal([base]);
      for (let n = 0; n < 201; n++) await stores.deployments.add(await unreported(n), false);
      const resumed = await Promise.all([stores.checks.resume([1], now), stores.checks.resume([1], now)]);
      expect(resumed.reduce((sum, one) => sum + one)).to.be.within(200, 201);
      expect(await stores.checks.resume([1], now)).to.equal(0);
    });

    const unreported = async (n: number): Promise<Deployment> => ({
      ...{ userId, isLive: true, chain: 'ethereum', chainId: 1, address: `0x${'cd'.repeat(20)}` },
      ...{ txHash: hash(100_000 + n), templateReference: null, templateId: null, at: now },
    });

    it('count as those of a chain without RPC if they failed for good', async () => {
      const id = await report();
      const [work] = await claim(now);
      await stores.work.settle([{ work: must(work), outcome: { kind: 'failed', error: 'no' }, at: now }]);
      expect((await find(id)).state).to.equal('no_rpc');
      expect(await claim(now + 99 * backOff.deployment.length)).to.deep.equal([]);
      expect(await stores.checks.resume([8453], now + 1)).to.equal(1);
    });

    it('compare with codes that are listed newest first, once for each version and hash', async () => {
      const added = good(await stores.codes.add(code(1), told));
      expect(await stores.codes.add(code(1, { contract: 'Other', createdAt: now + 9 }), told)).to.deep.equal(added);
      const second = good(await stores.codes.add(code(1, { version: '2' }), told));
      expect(await stores.codes.list(jar, undefined, 9)).to.deep.equal([second, added]);
      expect(await stores.codes.list(jar, second.id, 9)).to.deep.equal([added]);
      const other = (await addForSale(stores, { slug: 'other' })).id;
      expect(await stores.codes.list(other, undefined, 9)).to.deep.equal([]);
      expect(await stores.codes.remove(other, added.id, told)).to.equal(false);
      expect(await stores.codes.remove(jar, added.id, told)).to.equal(true);
      expect(await stores.codes.remove(jar, added.id, told)).to.equal(false);
      expect((await stores.audit.list({ limit: 99 })).filter(({ data }) => data.fields === 'codes')).to.have.lengthOf(
        3,
      );
    });

    itLong('compare with a limited number of codes of a product, also if many are registered at once', async () => {
      for (let n = 0; n < mostReleaseCodes - 1; n++) good(await stores.codes.add(code(n), told));
      const answers = await Promise.all([7_001, 7_002, 7_003].map((n) => stores.codes.add(code(n), told)));
      expect(answers.filter(isRefused).map(({ reason }) => reason)).to.deep.equal(['too_many_codes', 'too_many_codes']);
      expect(await stores.codes.list(jar, undefined, 1_000)).to.have.lengthOf(mostReleaseCodes);
    });
  });
}
