import { expect } from 'chai';
import fc from 'fast-check';
import { event } from '../../core/events/event.ts';
import { toUserId, type UserId } from '../../core/id.ts';
import { addUser, backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { issuedAt, newProduct } from '../support/license-acts.ts';
import { itLong } from '../support/required-service.ts';
import { runs } from '../support/runs.ts';

for (const backend of backends) {
  describe(`file ledger: ${backend.name}`, () => {
    const stores = openForEach(backend);
    let ada: UserId;
    let bob: UserId;

    beforeEach(async () => {
      ada = (await addUser(stores, 'Ada')).id;
      bob = (await addUser(stores, 'Bob')).id;
    });

    const add = (userId: UserId, key: string, size: number, allowed: number, at = issuedAt) =>
      stores.ledger.add(userId, [{ key, size }], allowed, at);
    const used = () => Promise.all([ada, bob].map((userId) => stores.ledger.used(userId)));

    it('returns the bytes that each user stores, and zero for a user without files', async () => {
      expect(await used()).to.deep.equal([0, 0]);
      expect(await stores.ledger.used(toUserId(999))).to.equal(0);
      expect(await add(ada, 'media/1.png', 300_000_000_000, 1e12)).to.deep.equal({
        isAdded: true,
        used: 300_000_000_000,
      });
      expect(await add(bob, 'media/2.png', 2, 10)).to.deep.equal({ isAdded: true, used: 2 });
      expect(await add(ada, 'media/3.png', 4, 1e12)).to.deep.equal({ isAdded: true, used: 300_000_000_004 });
      expect(await used()).to.deep.equal([300_000_000_004, 2]);
    });

    it('accepts a file that exactly reaches the limit, and refuses one that is a byte larger', async () => {
      await add(ada, 'media/1.png', 60, 100);
      expect(await add(ada, 'media/2.png', 41, 100)).to.deep.equal({ isAdded: false, used: 60 });
      expect(await add(ada, 'media/3.png', 40, 100)).to.deep.equal({ isAdded: true, used: 100 });
      expect(await add(ada, 'media/4.png', 1, 100)).to.deep.equal({ isAdded: false, used: 100 });
      expect(await used()).to.deep.equal([100, 0]);
    });

    it('adds either all of several files or none of them', async () => {
      const files = [
        { key: 'products/1.zip', size: 70 },
        { key: 'media/1.png', size: 31 },
      ];
      expect(await stores.ledger.add(ada, files, 100, issuedAt)).to.deep.equal({ isAdded: false, used: 0 });
      expect(await stores.ledger.unreferenced(issuedAt + 1)).to.deep.equal([]);
      expect(await stores.ledger.add(ada, files, 101, issuedAt)).to.deep.equal({ isAdded: true, used: 101 });
    });

    it('refuses every file if the limit is now below the stored bytes', async () => {
      await add(ada, 'media/1.png', 100, 100);
      expect(await add(ada, 'media/2.png', 0, 50)).to.deep.equal({ isAdded: false, used: 100 });
    });

    it('subtracts a removed file exactly once', async () => {
      await add(ada, 'media/1.png', 60, 100);
      await add(ada, 'media/2.png', 30, 100);
      await add(bob, 'media/3.png', 7, 100);
      await stores.ledger.remove(['media/1.png', 'media/3.png', 'media/never.png']);
      expect(await used()).to.deep.equal([30, 0]);
      await stores.ledger.remove(['media/1.png']);
      await stores.ledger.remove([]);
      expect(await used()).to.deep.equal([30, 0]);
      expect(await add(ada, 'media/4.png', 70, 100)).to.deep.equal({ isAdded: true, used: 100 });
    });

    itLong('never exceeds the limit during concurrent additions and removals', async () => {
      let run = 0;
      const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 2, maxLength: 16 });
      await fc.assert(
        fc.asyncProperty(sizes, async (wanted) => {
          const prefix = `media/run-${run++}`;
          const answers = await Promise.all(wanted.map((size, n) => add(ada, `${prefix}-${n}.png`, size, 100)));
          const taken = wanted.filter((_, n) => answers[n]?.isAdded);
          const sum = taken.reduce((total, size) => total + size, 0);
          expect(sum).to.be.at.most(100);
          expect(await stores.ledger.used(ada)).to.equal(sum);
          for (const { used } of answers) expect(used).to.be.at.most(100);
          const least = Math.min(...wanted.filter((_, n) => !answers[n]?.isAdded));
          expect(sum + least).to.be.above(100);

          const keys = wanted.map((_, n) => `${prefix}-${n}.png`);
          const others = wanted.map((_, n) => `${prefix}-other-${n}.png`);
          const [later] = await Promise.all([
            Promise.all(
              wanted.map(async (size, n) => {
                const adding = add(ada, others[n] ?? '', size, 100);
                await stores.ledger.remove(keys.slice(n, n + 2));
                return await adding;
              }),
            ),
            stores.ledger.remove(keys.toReversed()),
          ]);
          for (const { used } of later) expect(used).to.be.at.most(100);
          const kept = wanted.reduce((total, size, n) => (later[n]?.isAdded ? total + size : total), 0);
          expect(kept).to.be.at.most(100);
          expect(await stores.ledger.used(ada)).to.equal(kept);
          await Promise.all([stores.ledger.remove(others), stores.ledger.remove(others.toReversed())]);
          expect(await stores.ledger.used(ada)).to.equal(0);
        }),
        { numRuns: runs(20) },
      );
    });

    it('returns the files that were added before a time, and that no product and no upload refers to', async () => {
      for (const [n, key] of ['p.zip', 'p.png', 'u.png', 'lost.png', 'late.png'].entries()) {
        await add(ada, `media/${key}`, 1, 100, issuedAt + n);
      }
      await stores.products.add(newProduct({ zip: 'media/p.zip', thumbnail: 'media/p.png' }), (slug) =>
        event('product.added', slug, by, issuedAt),
      );
      await stores.products.add(newProduct({ zip: null, thumbnail: null }), (slug) =>
        event('product.added', slug, by, issuedAt),
      );
      await stores.uploads.add({ userId: ada, isLive: true, key: 'media/u.png', size: 1, at: issuedAt });
      expect(await stores.ledger.unreferenced(issuedAt + 4)).to.deep.equal(['media/lost.png']);
      expect(await stores.ledger.unreferenced(issuedAt + 5)).to.have.members(['media/lost.png', 'media/late.png']);
    });
  });
}
