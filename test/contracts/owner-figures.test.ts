import { expect } from 'chai';
import { event } from '../../core/events/event.ts';
import type { UserId } from '../../core/id.ts';
import type { Instant } from '../../core/ports/clock.ts';
import type { Figures } from '../../core/ports/usage-figures.ts';
import { steps } from '../../core/selling/usage-hours.ts';
import { takeSnapshot } from '../../core/selling/usage-snapshot.ts';
import { addUser, backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { actOn, domain, issuedAt, keyNumber, must, newLicense, newProduct } from '../support/license-acts.ts';
import { itLong } from '../support/required-service.ts';
import { sharedBackends } from '../support/shared-backends.ts';

const { hour, day } = steps;
const start = Date.UTC(2026, 10, 22, 22);
const today = Date.UTC(2026, 10, 22);
const all = { from: 0, to: 9e15 };

for (const backend of [...backends, ...sharedBackends]) {
  describe(`figures of sellers: ${backend.name}`, () => {
    const stores = openForEach(backend);
    const acts = () => actOn(stores.licenses);
    const snapshot = (at: Instant) => takeSnapshot(stores.snapshots, { now: () => at });

    /** Adds a product with one license, whose key has this number. */
    async function sell(n: number, ownerId: UserId | null, isLive = true) {
      const product = newProduct({ slug: `product-${n}`, ownerId, isLive });
      const { id } = await stores.products.add(product, (slug) => event('product.added', slug, by, issuedAt));
      await acts().issue(newLicense(keyNumber(n), id));
      return id;
    }
    async function use(n: number, name: string, count: number) {
      await acts().activate(keyNumber(n), domain(name), start);
      for (let done = 0; done < count; done++) await acts().verify(keyNumber(n), domain(name), start);
    }
    const ofOwner = (ownerId: UserId, isLive = true, range = all): Promise<Figures> =>
      stores.figures.ofOwner({ ownerId, isLive }, range);
    const row = (at: Instant, verifications: number, activeDomains: number) => ({ at, verifications, activeDomains });

    it('are the sums of all products of the owner and mode, by day', async () => {
      const [ada, bob] = [await addUser(stores, 'Ada'), await addUser(stores, 'Bob')];
      await sell(1, ada.id);
      await sell(2, ada.id);
      await sell(3, ada.id, false);
      await sell(4, bob.id);
      await sell(5, null);
      await use(1, 'before.com', 2);
      await snapshot(start);
      expect(await ofOwner(ada.id)).to.deep.equal({ rows: [], domainsBefore: 1 });

      await use(1, 'a.com', 3);
      await use(2, 'b.com', 4);
      await use(3, 'c.com', 5);
      await use(4, 'd.com', 6);
      await use(5, 'e.com', 7);
      await snapshot(start + hour);
      await use(2, 'f.com', 1);
      await snapshot(start + 2 * hour);
      await acts().deactivate(keyNumber(2), domain('b.com'), start);
      await use(1, 'a.com', 8);
      await snapshot(start + 3 * hour);

      expect(await ofOwner(ada.id)).to.deep.equal({
        rows: [row(today, 8, 4), row(today + day, 8, 3)],
        domainsBefore: 1,
      });
      expect(await ofOwner(ada.id, false)).to.deep.equal({ rows: [row(today, 5, 1)], domainsBefore: 0 });
      expect((await ofOwner(bob.id)).rows).to.deep.equal([row(today, 6, 1)]);
      expect((await ofOwner(bob.id, false)).rows).to.deep.equal([]);
      const tomorrow = { from: today + day, to: today + 2 * day };
      expect(await ofOwner(ada.id, true, tomorrow)).to.deep.equal({ rows: [row(today + day, 8, 3)], domainsBefore: 4 });
      expect(await ofOwner(ada.id, true, { from: today, to: today + day })).to.deep.equal({
        rows: [row(today, 8, 4)],
        domainsBefore: 1,
      });
    });

    itLong('add up to those of the products after missed hours and days too', async () => {
      const ada = await addUser(stores, 'Ada');
      const products = [await sell(1, ada.id), await sell(2, ada.id)];
      await snapshot(start);
      for (const [n, later] of [3, 4, 60].entries()) {
        await use(1, `a${n}.com`, n + 5);
        if (n !== 1) await use(2, `b${n}.com`, 2 * n + 7);
        await snapshot(start + later * hour);
      }
      const each = await Promise.all(products.map((id) => stores.figures.ofProduct(id, all)));
      const sum = each.flatMap(({ rows }) => rows).reduce((count, { verifications }) => count + verifications, 0);
      const { rows } = await ofOwner(ada.id);
      expect(rows.reduce((count, { verifications }) => count + verifications, 0)).to.equal(sum);
      expect(sum).to.equal(5 + 7 + 6 + 7 + 11);
      expect(must(rows.at(-1)).activeDomains).to.equal(5);
    });

    it('count the licenses that are active now, of one owner and mode', async () => {
      const [ada, bob] = [await addUser(stores, 'Ada'), await addUser(stores, 'Bob')];
      const [live, test, other] = [await sell(1, ada.id), await sell(2, ada.id, false), await sell(3, bob.id)];
      const now = issuedAt + day;
      await acts().issue(
        newLicense(keyNumber(11), live, { expiresAt: now + 1 }),
        newLicense(keyNumber(12), live, { expiresAt: now }),
        newLicense(keyNumber(13), live, { standing: 'suspended' }),
        newLicense(keyNumber(14), live, { standing: 'revoked', expiresAt: now + 1 }),
        newLicense(keyNumber(15), test),
        newLicense(keyNumber(16), other),
      );
      const active = (ownerId: UserId, isLive: boolean) => stores.counts.active({ ownerId, isLive }, now);
      expect(await active(ada.id, true)).to.deep.equal({ count: 2, isAtLeast: false });
      expect(await active(ada.id, false)).to.deep.equal({ count: 2, isAtLeast: false });
      expect(await active(bob.id, false)).to.deep.equal({ count: 0, isAtLeast: false });
    });

    itLong('count the licenses that were issued on each day, whatever became of them', async () => {
      const [ada, bob] = [await addUser(stores, 'Ada'), await addUser(stores, 'Bob')];
      const [live, test, other] = [await sell(1, ada.id), await sell(2, ada.id, false), await sell(3, bob.id)];
      const issued = (n: number, productId: typeof live, createdAt: Instant) =>
        acts().issue(newLicense(keyNumber(n), productId, { createdAt, expiresAt: createdAt + 1 }));
      await issued(11, live, today);
      await issued(12, live, today + day - 1);
      await issued(13, live, today + day);
      await issued(14, test, today);
      await issued(15, other, today);
      await issued(16, live, today - 1);
      const days = [today, today + day, today + 2 * day];
      const counted = async (ownerId: UserId, isLive: boolean) =>
        (await stores.counts.issued({ ownerId, isLive }, days)).map(({ at, count }) => [at, count]);
      expect(await counted(ada.id, true)).to.deep.equal([
        [days[0], 2],
        [days[1], 1],
        [days[2], 0],
      ]);
      expect(await counted(ada.id, false)).to.deep.equal(days.map((at, n) => [at, n === 0 ? 1 : 0]));
      expect(await stores.counts.issued({ ownerId: ada.id, isLive: true }, [])).to.deep.equal([]);
    });
  });
}
