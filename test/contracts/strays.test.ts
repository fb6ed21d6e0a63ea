import { expect } from 'chai';
import { type Event, event } from '../../core/events/event.ts';
import type { ProductId } from '../../core/id.ts';
import type { StrayCalls } from '../../core/licensing/stray-counter.ts';
import { mergeStrays, type Stray } from '../../core/licensing/strays.ts';
import { addUser, backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { errorOf } from '../support/error-of.ts';
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
        strays: mergeStrays(strays, found),
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
      await stores.strays.change(one, now, ({ strays }) => ({ strays: strays.slice(0, 1), calls: 1 }));
      expect(await stores.strays.ofLicense(one)).to.have.length(1);
    });

    it('tell of a leak by event, webhook and news, with the strays or not at all, and remember when', async () => {
      const ada = await addUser(stores, 'Ada');
      const own = await addProductOf(stores, ada.id);
      const listener = await addEndpoint(stores, ada.id, { url: null, createdAt: now });
      const key = keyNumber(5);
      await actOn(stores.licenses).issue(newLicense(key, own));
      const notice = {
        kind: 'license_leak_suspected',
        ...{ licenseKey: key, title: 'Jar', isLive: true, domains: 2 },
      } as const;
      const suspect = (event: Event) =>
        stores.strays.change(key, now, ({ suspectedAt, product }) => {
          expect(product.hosts.previewHosts).to.be.an('array');
          const told = { event, news: { notices: [{ userId: ada.id, notice, createdAt: now }] } };
          return {
            strays: mergeStrays([], [calls('a.example', 1)]),
            calls: 1,
            ...(suspectedAt === null && told),
          };
        });
      const suspected = event('license.leak_suspected', key, by, now, { domains: 'a.example b.example' });
      const told = async () => ({
        events: (await stores.audit.list({ subject: key, type: 'license.leak_suspected', limit: 9 })).length,
        notices: (await stores.notifications.list(ada.id, { limit: 9 })).length,
        webhooks: (await stores.webhooks.fetch(listener.id, { done: [], now, limit: 99 })).filter(
          ({ type }) => type === 'license.leak_suspected',
        ).length,
        strays: (await stores.strays.ofLicense(key)).length,
      });
      await stores.strays.change(key, now, () => undefined);
      // It names nothing, so it cannot be stored.
      const wrong = { ...suspected, subject: undefined as never };
      expect(await errorOf(suspect(wrong))).to.be.instanceOf(Error);
      expect(await told()).to.deep.equal({ events: 0, notices: 0, webhooks: 0, strays: 0 });
      await suspect(suspected);
      await suspect(suspected);
      expect(await told()).to.deep.equal({ events: 1, notices: 1, webhooks: 1, strays: 1 });
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
