import { expect } from 'chai';
import fc from 'fast-check';
import { event } from '../../core/events/event.ts';
import type { ProductId, TemplateId, UserId } from '../../core/id.ts';
import type { DaysFilter, DeploymentFigures } from '../../core/ports/deployment-figures.ts';
import { day } from '../../core/time.ts';
import { addTemplate, addUser, backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { good } from '../support/good.ts';
import { must } from '../support/license-acts.ts';
import { addForSale } from '../support/orders.ts';
import { itLong } from '../support/required-service.ts';

const start = 20_000 * day;
const hash = (n: number) => `0x${n.toString(16).padStart(64, '0')}`;

interface Report {
  readonly user: number;
  readonly template: number;
  readonly chainId: number;
  readonly isLive: boolean;
  readonly at: number;
  readonly state: 'unchecked' | 'confirmed' | 'mismatch';
}

for (const backend of backends) {
  describe(`figures of deployments: ${backend.name}`, () => {
    const stores = openForEach(backend);
    let users: UserId[];
    let templates: (TemplateId | null)[];
    let jar: ProductId;
    let reported = 0;

    beforeEach(async () => {
      users = [(await addUser(stores, 'Ada')).id, (await addUser(stores, 'Bob')).id];
      const [dex, mint] = [(await addTemplate(stores, 'dex')).id, (await addTemplate(stores, 'mint')).id];
      templates = [dex, mint, null];
      jar = (await addForSale(stores, { slug: 'jar', templateId: dex, ownerId: must(users[0]) })).id;
    });

    async function add(fields: Partial<Report> = {}): Promise<void> {
      const one: Report = {
        ...{ user: 0, template: 0, chainId: 8453, isLive: true, at: start, state: 'unchecked' },
        ...fields,
      };
      const { isLive, chainId, at } = one;
      const userId = must(users[one.user]);
      const txHash = hash(++reported);
      const templateId = templates[one.template] ?? null;
      const own = { chain: 'base', address: `0x${'ab'.repeat(20)}`, templateReference: null };
      await stores.deployments.add({ ...own, userId, isLive, chainId, at, txHash, templateId }, true);
      const { state } = one;
      if (state === 'unchecked') return;
      const { items } = await stores.checks.list({ userId, isLive, limit: 1, txHashes: [txHash] });
      await stores.checks.record(
        must(items[0]).id,
        { blockNumber: 1, createdAt: at, codeHash: state === 'mismatch' ? hash(7) : null },
        () => state,
        at,
      );
    }
    const count = async () => {
      while ((await stores.deploymentFigures.count()) > 0);
    };
    const range = { isLive: true, from: start - 10 * day, until: start + 100 * day };
    const sums = { isLive: true, limit: 100 };

    it('count each deployment once, and again when it is confirmed', async () => {
      await add();
      await add({ state: 'confirmed', at: start + day + 5, chainId: 1 });
      await count();
      await count();
      const { deploymentFigures: figures } = stores;
      expect(await figures.byDay(range)).to.deep.equal([
        { day: start, reported: 1, confirmed: 0 },
        { day: start + day, reported: 1, confirmed: 1 },
      ]);
      expect(await figures.byDay({ ...range, until: start })).to.deep.equal([]);
      expect(await figures.byChain(range)).to.deep.equal([
        { chainId: 1, reported: 1, confirmed: 1, firstDay: start + day, lastDay: start + day },
        { chainId: 8453, reported: 1, confirmed: 0, firstDay: start, lastDay: start },
      ]);
      const both = { reported: 2, confirmed: 1, firstAt: start, lastAt: start + day + 5 };
      const [template] = await figures.byTemplate(sums);
      expect(template).to.deep.include({ templateId: templates[0], ...both });
      expect(template?.title).to.be.a('string');
      expect(await figures.byAccount(sums)).to.deep.equal([{ userId: users[0], ...both }]);
      expect(await figures.byDay({ ...range, isLive: false })).to.deep.equal([]);
    });

    it('name the releases, also if their code is registered late, and the templates of an owner', async () => {
      await add({ state: 'mismatch' });
      await count();
      const { deploymentFigures: figures } = stores;
      expect(await figures.byRelease(sums)).to.deep.equal([]);
      const code = { productId: jar, version: '1', contract: 'Dex', hash: hash(7), createdAt: start };
      const added = good(await stores.codes.add(code, event('product.changed', 'jar', by, start, { fields: 'codes' })));
      expect(await stores.codes.confirm(must(templates[0] ?? undefined), true, added)).to.equal(1);
      await count();
      const [release, ...more] = await figures.byRelease(sums);
      expect(more).to.deep.equal([]);
      expect(release).to.deep.include({ release: { productId: jar, version: '1' }, reported: 1, confirmed: 1 });
      expect(await figures.byDay(range)).to.deep.equal([{ day: start, reported: 1, confirmed: 1 }]);
      const [ownerId, other] = users.map((id) => must(id));
      expect(await figures.byRelease({ ...sums, ownerId })).to.have.length(1);
      expect(await figures.byRelease({ ...sums, ownerId: other })).to.deep.equal([]);
      const owner = { ownerId: must(ownerId), isLive: true };
      expect(await figures.templatesOf(owner, 9)).to.deep.equal([templates[0]]);
      expect(await figures.templatesOf({ ...owner, isLive: false }, 9)).to.deep.equal([templates[0]]);
      const test = await addForSale(stores, {
        slug: 'test',
        ownerId: must(other),
        templateId: templates[1] ?? null,
        isLive: false,
      });
      expect(test.isLive).to.equal(false);
      expect(await figures.templatesOf({ ownerId: must(other), isLive: true }, 9)).to.deep.equal([]);
    });

    itLong('keep many chains of a day in one sum, and those with names apart', async () => {
      for (let chainId = 1_000; chainId < 1_060; chainId++) await add({ chainId });
      await add({ chainId: 8453 });
      await count();
      const chains = await stores.deploymentFigures.byChain(range);
      expect(chains).to.have.length(52);
      expect(chains.find(({ chainId }) => chainId === null)).to.include({ reported: 10 });
      expect(chains.find(({ chainId }) => chainId === 8453)).to.include({ reported: 1 });
      await stores.deployments.forget(start + 1);
      expect(await stores.deploymentFigures.byChain(range)).to.deep.equal([]);
    });

    itLong('equal the deployments that are kept, whatever is reported, checked, counted and forgotten', async () => {
      const report = fc.record({
        user: fc.nat(1),
        template: fc.nat(2),
        chainId: fc.constantFrom(1, 8453, 31337),
        isLive: fc.boolean(),
        at: fc.oneof(
          fc.integer({ min: start, max: start + 3 * day }),
          fc.integer({ min: start, max: start + 90 * day }),
        ),
        state: fc.constantFrom('unchecked', 'confirmed', 'mismatch'),
      });
      const step = fc.oneof(
        { weight: 6, arbitrary: report },
        fc.constant('count' as const),
        fc.oneof(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 90 })),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (played) => {
          await stores.deployments.forget(start + 100 * day);
          let kept: Report[] = [];
          for (const one of played) {
            if (one === 'count') await stores.deploymentFigures.count();
            else if (typeof one === 'number') {
              const before = start + one * day;
              await stores.deployments.forget(before);
              kept = kept.filter(({ at }) => at >= before);
            } else {
              await add(one);
              kept.push(one);
            }
          }
          await count();
          await compare(stores.deploymentFigures, kept);
        }),
        { numRuns: 12 },
      );
    });

    const dayOf = (at: number) => at - (at % day);
    const tally = (some: readonly Report[]) => ({
      reported: some.length,
      confirmed: some.filter(({ state }) => state === 'confirmed').length,
    });

    /** Ranges begin and end in the middle of the spans that are summed before. */
    async function compareDays(figures: DeploymentFigures, part: DaysFilter, own: readonly Report[]): Promise<void> {
      const inside = own.filter(({ at }) => at >= part.from && at < part.until);
      const days = [...new Set(inside.map(({ at }) => dayOf(at)))].sort((one, other) => one - other);
      expect(await figures.byDay(part)).to.deep.equal(
        days.map((one) => ({ day: one, ...tally(inside.filter(({ at }) => dayOf(at) === one)) })),
      );
      const chains = await figures.byChain(part);
      expect(chains).to.have.length(new Set(inside.map(({ chainId }) => chainId)).size);
      for (const { chainId, ...found } of chains) {
        const of = inside.filter((one) => one.chainId === chainId);
        const at = of.map((one) => dayOf(one.at));
        expect(found).to.deep.equal({ ...tally(of), firstDay: Math.min(...at), lastDay: Math.max(...at) });
      }
    }

    async function compare(figures: DeploymentFigures, kept: readonly Report[]): Promise<void> {
      const total = (some: readonly { reported: number; confirmed: number }[]) => ({
        reported: some.reduce((sum, one) => sum + one.reported, 0),
        confirmed: some.reduce((sum, one) => sum + one.confirmed, 0),
      });
      for (const isLive of [true, false]) {
        const own = kept.filter((one) => one.isLive === isLive);
        const all = { ...range, isLive };
        expect(total(await figures.byDay(all))).to.deep.equal(tally(own));
        expect(total(await figures.byTemplate({ isLive, limit: 100 }))).to.deep.equal(tally(own));
        for (const part of [
          all,
          { ...all, from: start + day },
          { ...all, from: start + 2 * day, until: start + 70 * day },
        ]) {
          await compareDays(figures, part, own);
        }
        for (const [n, templateId] of templates.entries()) {
          const of = own.filter(({ template }) => template === n);
          if (templateId !== null)
            expect(total(await figures.byDay({ ...all, templateIds: [templateId] }))).to.deep.equal(tally(of));
        }
        for (const { userId, ...found } of await figures.byAccount({ isLive, limit: 100 })) {
          expect(found).to.include(tally(own.filter(({ user }) => users[user] === userId)));
        }
      }
    }
  });
}
