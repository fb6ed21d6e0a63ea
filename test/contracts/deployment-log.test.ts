import { expect } from 'chai';
import { type TemplateId, toUserId, type UserId } from '../../core/id.ts';
import type { Deployment } from '../../core/ports/deployment-log.ts';
import { addTemplate, addUser, backends, openForEach } from '../support/backends.ts';
import { issuedAt } from '../support/license-acts.ts';
import { itLong } from '../support/required-service.ts';

/** The last one does not fit into 32 bits. */
const chainIds = [1, 8453, 11_297_108_109];
const hash = (n: number) => `0x${n.toString(16).padStart(64, '0')}`;

for (const backend of backends) {
  describe(`deployment log: ${backend.name}`, () => {
    const stores = openForEach(backend);
    let users: UserId[];
    let dex: TemplateId;
    let mint: TemplateId;

    beforeEach(async () => {
      users = [(await addUser(stores, 'Ada')).id, (await addUser(stores, 'Bob')).id];
      await addTemplate(stores, 'filler');
      dex = (await addTemplate(stores, 'dex')).id;
      mint = (await addTemplate(stores, 'mint')).id;
    });

    const deployment = (fields: Partial<Deployment> = {}): Deployment => ({
      userId: users[0] ?? toUserId(0),
      isLive: true,
      chain: 'base',
      chainId: 8453,
      address: `0x${'Ab'.repeat(20)}`,
      txHash: hash(1),
      templateReference: 'dex',
      templateId: dex,
      at: issuedAt,
      ...fields,
    });
    const add = (fields: Partial<Deployment>) => stores.deployments.add(deployment(fields), false);
    const count = (isLive: boolean) => stores.deployments.count({ isLive });

    itLong('stores a transaction once for each user, mode and chain', async () => {
      const all = users.flatMap((userId) =>
        [true, false].flatMap((isLive) =>
          chainIds.flatMap((chainId) => [1, 2].map((n) => ({ userId, isLive, chainId, txHash: hash(n) }))),
        ),
      );
      for (const one of all) expect(await add(one)).to.equal(true);
      for (const one of all) expect(await add(one)).to.equal(false);
      for (const isLive of [true, false]) {
        expect(await count(isLive)).to.have.deep.members(
          chainIds.map((chainId) => ({ chainId, templateId: dex, count: 4 })),
        );
      }
    });

    it('keeps the first report of a contract, even if a later report differs', async () => {
      expect(await add({})).to.equal(true);
      const next = { templateId: mint, templateReference: 'mint', chain: 'other', at: issuedAt + 1 };
      expect(await add({ ...next, address: `0x${'aB'.repeat(20)}` })).to.equal(false);
      expect(await count(true)).to.deep.equal([{ chainId: 8453, templateId: dex, count: 1 }]);
    });

    it('stores each contract of a transaction', async () => {
      for (const isNew of [true, false]) {
        for (const address of ['11', '22', 'Ab']) {
          expect(await add({ address: `0x${address.repeat(20)}` }), address).to.equal(isNew);
        }
      }
      expect(await count(true)).to.deep.equal([{ chainId: 8453, templateId: dex, count: 3 }]);
    });

    it('treats exactly one of several concurrent reports of the same transaction as new', async () => {
      const answers = await Promise.all(Array.from({ length: 12 }, () => add({})));
      expect(answers.filter((isNew) => isNew)).to.have.lengthOf(1);
      expect(await count(true)).to.deep.equal([{ chainId: 8453, templateId: dex, count: 1 }]);
    });

    it('counts by chain and template, including deployments without a template, highest counts first', async () => {
      let n = 0;
      const some = async (times: number, fields: Partial<Deployment>) => {
        for (let left = times; left > 0; left--) await add({ ...fields, txHash: hash(n++) });
      };
      await some(1, { chainId: 1, templateId: mint });
      await some(3, { chainId: 8453, templateId: null, templateReference: 'gone' });
      await some(2, { chainId: 1 });
      await some(5, { chainId: 8453, templateId: mint });
      await some(4, { chainId: 1, templateId: null, templateReference: null });
      await some(6, { chainId: 1, isLive: false });
      expect(await count(true)).to.deep.equal([
        { chainId: 8453, templateId: mint, count: 5 },
        { chainId: 1, templateId: null, count: 4 },
        { chainId: 8453, templateId: null, count: 3 },
        { chainId: 1, templateId: dex, count: 2 },
        { chainId: 1, templateId: mint, count: 1 },
      ]);
      expect(await count(false)).to.deep.equal([{ chainId: 1, templateId: dex, count: 6 }]);
    });

    it('forgets what is older than a time, and no longer counts it', async () => {
      for (let n = 0; n < 5; n++) await add({ txHash: hash(n), at: issuedAt + n });
      expect(await stores.deployments.forget(issuedAt + 3)).to.equal(3);
      expect(await stores.deployments.forget(issuedAt + 3)).to.equal(0);
      expect(await count(true)).to.deep.equal([{ chainId: 8453, templateId: dex, count: 2 }]);
    });

    it('returns no counts if nothing was reported', async () => {
      await add({ isLive: false });
      expect(await count(true)).to.deep.equal([]);
    });
  });
}
