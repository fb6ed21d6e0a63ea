import { expect } from 'chai';
import type { DeploymentState } from '../../core/deployments/deployment-state.ts';
import { type DeploymentId, type TemplateId, toUserId, type UserId } from '../../core/id.ts';
import type { ChainFacts, DeploymentFilter } from '../../core/ports/deployment-checks.ts';
import type { Deployment } from '../../core/ports/deployment-log.ts';
import { addTemplate, addUser, backends, openForEach } from '../support/backends.ts';
import { must, issuedAt as now } from '../support/license-acts.ts';
import { itLong } from '../support/required-service.ts';

const hash = (n: number) => `0x${n.toString(16).padStart(64, '0')}`;
const nothing: ChainFacts = { blockNumber: null, createdAt: null, codeHash: null };

for (const backend of backends) {
  describe(`lists of deployments: ${backend.name}`, () => {
    const stores = openForEach(backend);
    let userId: UserId;
    let dex: TemplateId;
    let reported = 0;

    beforeEach(async () => {
      userId = (await addUser(stores, 'Ada')).id;
      dex = (await addTemplate(stores, 'dex')).id;
    });

    const list = (filter: Partial<DeploymentFilter> = {}) =>
      stores.checks.list({ userId, isLive: true, limit: 20, ...filter });
    const report = async (fields: Partial<Deployment> = {}): Promise<DeploymentId> => {
      const deployment = {
        ...{ userId, isLive: true, chain: 'base', chainId: 8453, address: `0x${'Ab'.repeat(20)}` },
        ...{ txHash: hash(++reported), templateReference: 'dex', templateId: dex, at: now, ...fields },
      };
      expect(await stores.deployments.add(deployment, true)).to.equal(true);
      const { txHash, isLive } = deployment;
      const { items } = await list({ userId: deployment.userId, isLive, txHashes: [txHash] });
      return must(items[0]).id;
    };

    it('have those of an account in one mode, the last reported first, in pages', async () => {
      const bob = (await addUser(stores, 'Bob')).id;
      await report({ userId: bob });
      await report({ isLive: false });
      const ids: DeploymentId[] = [];
      for (const at of [now + 2, now, now + 1, now + 2]) ids.push(await report({ at }));
      const [first, second, third, fourth] = ids;
      const expected = [fourth, first, third, second];
      const seen: DeploymentId[] = [];
      let after: DeploymentFilter['after'];
      for (let page = 0; page < 4; page++) {
        const { items, next } = await list({ limit: 1, after });
        seen.push(...items.map(({ id }) => id));
        after = next;
        expect(next === undefined).to.equal(page === 3);
      }
      expect(seen).to.deep.equal(expected);
      expect((await list({ userId: toUserId(9_999_999) })).items).to.deep.equal([]);
    });

    itLong('have those of several templates, or all of a mode, whoever has reported them, in pages', async () => {
      const [bob, mint] = [(await addUser(stores, 'Bob')).id, (await addTemplate(stores, 'mint')).id];
      const other = (await addTemplate(stores, 'other')).id;
      const own = [
        await report({ at: now + 1 }),
        await report({ at: now + 3, userId: bob, templateId: mint }),
        await report({ at: now + 2, templateId: mint, chainId: 1 }),
        await report({ at: now + 3, userId: bob }),
      ];
      const [d1, m3, m2, d3] = own;
      const foreign = await report({ at: now + 9, templateId: other });
      const all = async (filter: Partial<DeploymentFilter>) => {
        const seen: DeploymentId[] = [];
        for (let after: DeploymentFilter['after'], page = 0; page < 9; page++) {
          const { items, next } = await stores.checks.list({ isLive: true, limit: 1, ...filter, after });
          seen.push(...items.map(({ id }) => id));
          if (next === undefined) return seen;
          after = next;
        }
        throw new Error('The list has no end.');
      };
      expect(await all({ templateIds: [dex, mint] })).to.deep.equal([d3, m3, m2, d1]);
      expect(await all({ templateIds: [dex, mint], chainId: 1 })).to.deep.equal([m2]);
      expect(await all({ templateIds: [mint], state: 'unchecked' })).to.deep.equal([m3, m2]);
      expect(await all({ templateIds: [] })).to.deep.equal([]);
      expect(await all({ userId: bob, templateIds: [dex, other] })).to.deep.equal([d3]);
      expect(await all({})).to.deep.equal([foreign, d3, m3, m2, d1]);
      expect(await all({ chainId: 1 })).to.deep.equal([m2]);
      expect(await all({ from: now + 2, until: now + 4 })).to.deep.equal([d3, m3, m2]);
    });

    it('are found by chain, template, state and time of the report', async () => {
      const states: readonly DeploymentState[] = ['confirmed', 'mismatch'];
      const ids: DeploymentId[] = [];
      for (const [n, state] of states.entries()) {
        for (const chainId of [1, 8453]) {
          const id = await report({ chainId, at: now + n, templateId: n === 0 ? dex : null });
          await stores.checks.record(id, nothing, () => state, now);
          ids.push(id);
        }
      }
      const [early1, early8453, late1, late8453] = ids.map((id) => must(id));
      const found = async (filter: Partial<DeploymentFilter>) => (await list(filter)).items.map(({ id }) => id);
      expect(await found({ chainId: 1 })).to.deep.equal([late1, early1]);
      expect(await found({ chainId: 8453, state: 'mismatch' })).to.deep.equal([late8453]);
      expect(await found({ templateIds: [dex] })).to.deep.equal([early8453, early1]);
      expect(await found({ state: 'reverted' })).to.deep.equal([]);
      expect(await found({ from: now + 1 })).to.deep.equal([late8453, late1]);
      expect(await found({ from: now, until: now + 1 })).to.deep.equal([early8453, early1]);
      const [first, , third] = await Promise.all(ids.map(async (id) => must(await stores.checks.find(id)).txHash));
      expect(await found({ txHashes: [must(third), must(first)] })).to.deep.equal([late1, early1]);
      expect(await found({ txHashes: [must(third), must(first)], state: 'mismatch' })).to.deep.equal([late1]);
      expect(await found({ txHashes: [hash(999_999)] })).to.deep.equal([]);
    });
  });
}
