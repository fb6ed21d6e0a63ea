import { expect } from 'chai';
import fc from 'fast-check';
import type { Counter } from '../../adapters/contracts/counter-archive.ts';
import { backends, openForEach } from '../support/backends.ts';
import { issuedAt } from '../support/license-acts.ts';
import { itLong } from '../support/required-service.ts';
import { runs } from '../support/runs.ts';
import { openSqliteStores } from '../support/sqlite-stores.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const counter = (id: string, used: number, resetsIn: number): Counter => ({ id, used, resetAt: issuedAt + resetsIn });

for (const backend of backends) {
  describe(`counter archive: ${backend.name}`, () => {
    const stores = openForEach(backend);

    const save = (...counters: Counter[]) => stores.counters.save(counters, issuedAt);
    const load = (after = 0) => stores.counters.load(issuedAt + after);

    it('loads nothing if nothing was saved', async () => {
      expect(await load()).to.deep.equal([]);
      await save();
      expect(await load()).to.deep.equal([]);
    });

    it('loads saved counters unchanged', async () => {
      const saved = [
        counter("86400:key'1 — ü", 50_000, 86_400_000),
        counter('86400:Key', 0, 1),
        counter('86400:key', 1, 1),
        counter('', 9_000_000_000, 2),
      ];
      await save(...saved);
      expect(await load()).to.have.deep.members(saved);
    });

    it('overwrites counters with the same id, and leaves the others unchanged', async () => {
      await save(counter('a', 5, 10), counter('b', 6, 10));
      await save(counter('a', 7, 20), counter('c', 1, 10));
      expect(await load()).to.have.deep.members([counter('a', 7, 20), counter('b', 6, 10), counter('c', 1, 10)]);
      await save(counter('a', 2, 20));
      expect(await load()).to.deep.include(counter('a', 2, 20));
    });

    it('does not load a counter from the exact time of its end', async () => {
      await save(counter('a', 5, 10), counter('b', 6, 11));
      expect(await load(9)).to.have.lengthOf(2);
      expect(await load(10)).to.deep.equal([counter('b', 6, 11)]);
      expect(await load(11)).to.deep.equal([]);
    });

    it('deletes ended counters when it saves others', async () => {
      await save(counter('a', 5, 10), counter('b', 6, 11));
      await stores.counters.save([counter('c', 7, 30), counter('d', 8, 10)], issuedAt + 10);
      expect(await load()).to.have.deep.members([counter('b', 6, 11), counter('c', 7, 30)]);
    });

    itLong('saves a large number of counters in one call, and deletes a large number of ended ones', async () => {
      const many = Array.from({ length: 1_050 }, (_, n) => counter(`many ${n}`, n, 10));
      await save(...many);
      expect(await load()).to.have.deep.members(many);
      await stores.counters.save([counter('late', 1, 30)], issuedAt + 10);
      expect(await stores.counters.load(issuedAt - 1)).to.deep.equal([counter('late', 1, 30)]);
    });

    it('keeps the last of two counters with the same id in one call', async () => {
      await save(counter('a', 1, 10), counter('b', 2, 10), counter('a', 3, 20));
      expect(await load()).to.have.deep.members([counter('a', 3, 20), counter('b', 2, 10)]);
    });

    it('loses no counter of concurrent calls', async () => {
      await Promise.all(
        Array.from({ length: 10 }, (_, n) => save(counter(`own ${n}`, n, 10), counter('shared', 4, 20))),
      );
      expect(await load()).to.have.deep.members([
        counter('shared', 4, 20),
        ...Array.from({ length: 10 }, (_, n) => counter(`own ${n}`, n, 10)),
      ]);
    });

    it('keeps the last saved value of each counter until the counter ends', async () => {
      const saved = fc.record({ id: fc.constantFrom('a', 'b', 'c'), used: fc.nat(9), resetsIn: fc.nat(30) });
      const expected = new Map<string, Counter>();
      let now = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(saved, { maxLength: 4 }), fc.nat(12), async (counters, later) => {
          now += later;
          const written = counters.map(({ id, used, resetsIn }) => counter(id, used, now + resetsIn));
          await stores.counters.save(written, issuedAt + now);
          for (const one of written) expected.set(one.id, one);
          for (const { id, resetAt } of expected.values()) if (resetAt <= issuedAt + now) expected.delete(id);
          expect(await load(now)).to.have.deep.members([...expected.values()]);
        }),
        { numRuns: runs(30), endOnFailure: true },
      );
    });
  });
}

describe('counter archive: sqlite: after a restart', () => {
  itLong('loads the counters that were saved before the database was closed', async () => {
    const folder = await makeTemporaryFolder();
    try {
      const before = await openSqliteStores(folder.file('latchkey.db'));
      await before.counters.save([counter('a', 5, 10), counter('b', 6, 20)], issuedAt);
      await before.close();
      const after = await openSqliteStores(folder.file('latchkey.db'));
      const loaded = await after.counters.load(issuedAt + 10);
      await after.close();
      expect(loaded).to.deep.equal([counter('b', 6, 20)]);
    } finally {
      await folder.remove();
    }
  });
});
