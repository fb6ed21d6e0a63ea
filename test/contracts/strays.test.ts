import { expect } from 'chai';
import { event } from '../../core/events/event.ts';
import type { ProductId } from '../../core/id.ts';
import type { StrayCalls } from '../../core/licensing/stray-counter.ts';
import { mergeStrays, type Stray } from '../../core/licensing/strays.ts';
import { addUser, backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { actOn, addProduct, keyNumber, newLicense, issuedAt as now } from '../support/license-acts.ts';
import { addEndpoint, addProductOf } from '../support/webhooks.ts';

const day = 86_400_000;
const today = now - (now % day);
const [one, other] = [keyNumber(1), keyNumber(2)];

for (const backend of backends) {
  describe(`strays: ${backend.name}`, () => {
    const stores = openForEach(backend);
    let jar: ProductId;
    beforeEach(async () => {
      jar = await addProduct(stores.products);
      await actOn(stores.licenses).issue(newLicense(one, jar), newLicense(other, jar));
    });

    const calls = (host: string, count: number, at = now): StrayCalls => ({
      ...{ host, network: 'net', calls: count, firstAt: at, lastAt: at },
    });
    const add = (key: typeof one, at: number, ...found: StrayCalls[]) =>
      stores.strays.change(key, at, ({ strays }) => ({
        ...mergeStrays(strays, found),
        calls: found.reduce((sum, { calls: count }) => sum + count, 0),
      }));

    it('are added up by license, with the most calls first, and by day', async () => {
      await add(one, now, calls('a.example', 2), calls('b.example', 5));
      await add(one, now + day, calls('a.example', 9, now + day));
      await add(other, now, calls('a.example', 1));
      await add(keyNumber(3), now, calls('a.example', 1));
      const known: Stray = { domain: 'a.example', network: 'net', firstAt: now, lastAt: now + day, calls: 11, seen: 2 };
      expect(await stores.strays.ofLicense(one)).to.deep.equal([
        known,
        { ...known, domain: 'b.example', lastAt: now, calls: 5, seen: 1 },
      ]);
      const days = [
        { day: today, calls: 7 },
        { day: today + day, calls: 9 },
      ];
      expect(await stores.strays.days({ key: one }, today)).to.deep.equal(days);
      expect(await stores.strays.days({ key: one }, today + 1)).to.deep.equal(days.slice(1));
      expect(await stores.strays.days({ productId: jar }, today)).to.deep.equal([
        { day: today, calls: 8 },
        { day: today + day, calls: 9 },
      ]);
      expect(await stores.strays.ofProduct(jar, today, 9)).to.deep.equal([
        { key: one, calls: 16, domains: 2 },
        { key: other, calls: 1, domains: 1 },
      ]);
      expect(await stores.strays.ofProduct(jar, today, 1)).to.have.length(1);
    });

    it('are added one after the other by processes that come at the same time, and replaced as decided', async () => {
      await Promise.all(Array.from({ length: 8 }, (_, n) => add(one, now, calls('a.example', 1), calls(`${n}.x`, 1))));
      const found = await stores.strays.ofLicense(one);
      expect(found[0]).to.include({ domain: 'a.example', calls: 8, seen: 8 });
      expect(found).to.have.length(9);
      await stores.strays.change(one, now, ({ strays }) => ({ strays: strays.slice(0, 1), others: 0, calls: 1 }));
      expect(await stores.strays.ofLicense(one)).to.have.length(1);
    });

    it('tell of a leak in the same transaction, and remember when', async () => {
      const ada = await addUser(stores, 'Ada');
      const own = await addProductOf(stores, ada.id);
      await addEndpoint(stores, ada.id, { createdAt: now });
      await actOn(stores.licenses).issue(newLicense(keyNumber(5), own));
      const suspect = () =>
        stores.strays.change(keyNumber(5), now, ({ strays, license, title, suspectedAt }) => {
          expect(license.key).to.equal(keyNumber(5));
          expect(title).to.be.a('string').and.not.equal('');
          return {
            ...{ strays, others: 0, calls: 1 },
            event:
              suspectedAt === null
                ? event('license.leak_suspected', license.key, by, now, { domains: 'a.example b.example' })
                : undefined,
          };
        });
      await suspect();
      await suspect();
      const told = await stores.audit.list({ subject: keyNumber(5), type: 'license.leak_suspected', limit: 9 });
      expect(told).to.have.length(1);
    });

    it('are forgotten after their time', async () => {
      await add(one, now, calls('a.example', 2));
      await add(one, now + 2 * day, calls('b.example', 2, now + 2 * day));
      expect(await stores.strays.forget(now + day)).to.equal(2);
      expect((await stores.strays.ofLicense(one)).map(({ domain }) => domain)).to.deep.equal(['b.example']);
      expect(await stores.strays.days({ key: one }, 0)).to.have.length(1);
    });
  });
}
