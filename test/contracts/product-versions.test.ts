import { expect } from 'chai';
import { createManualClock } from '../../adapters/node/manual-clock.ts';
import { event } from '../../core/events/event.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import type { Product } from '../../core/marketplace/product.ts';
import { type DeletableVersion, nextNumber } from '../../core/marketplace/product-version.ts';
import type { VersionChange } from '../../core/ports/product-store.ts';
import { createBoughtFiles } from '../../core/purchases/bought-files.ts';
import { createReadBoughtItems } from '../../core/purchases/bought-items.ts';
import { type Order, type OrderState, orderStates } from '../../core/purchases/order.ts';
import { isRefused, type Refused, refuse } from '../../core/refusal.ts';
import { backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { actOn, issuedAt, keyNumber, newLicense, newProduct } from '../support/license-acts.ts';
import { addForSale, addOrder, newOrder } from '../support/orders.ts';
import { itLong } from '../support/required-service.ts';
import { sharedBackends } from '../support/shared-backends.ts';

for (const backend of [...backends, ...sharedBackends]) {
  describe(`versions of products: ${backend.name}`, () => {
    const stores = openForEach(backend);
    let jar: Product;

    const first = { number: '1', notes: '', zip: 'zips/jar.zip', size: 7, createdAt: issuedAt };
    beforeEach(async () => {
      jar = await stores.products.add(newProduct(), (slug) => event('product.added', slug, by, issuedAt), first);
    });

    /** Decides to add a version with this number, or with the next one. */
    const adding =
      (wanted?: string) =>
      (before: Product, taken: readonly string[]): VersionChange | Refused<'version_exists'> => {
        const number = wanted ?? nextNumber(taken);
        if (taken.includes(number)) return refuse('version_exists');
        const zip = `zips/${number}.zip`;
        return {
          after: { ...before, zip, version: number },
          version: { number, notes: `é ${number}`, zip, size: null, createdAt: issuedAt + 1 },
          event: event('product.version_added', before.slug, by, issuedAt + 1, { number }),
        };
      };
    const numbers = async () => (await stores.products.versions(jar.id, { limit: 99 })).map(({ number }) => number);

    itLong('are found for many buyers at once, as each of them gets them one by one', async () => {
      const { products, orders, templates, licenses } = stores;
      const day = 86_400_000;
      const add = async (id: Product['id'], number: string, at: number, isForEverybody = false) => {
        await products.addVersion(id, (before) => ({
          after: { ...before, zip: `zips/${number}.zip`, version: number },
          version: {
            number,
            notes: '',
            zip: `zips/${number}.zip`,
            size: null,
            createdAt: issuedAt + at * day,
            isForEverybody,
          },
          event: event('product.version_added', before.slug, by, issuedAt),
        }));
      };
      for (const [at, number] of ['2', '3', '4', '5'].entries()) await add(jar.id, number, at + 1, number === '4');
      const [old, review, files] = await Promise.all([
        addForSale(stores, { slug: 'old' }),
        addForSale(stores, { slug: 'review', isApproved: false, status: 'pending' }),
        addForSale(stores, { slug: 'no-files', zip: null, version: null }),
      ]);
      await add(review.id, '2', 1);
      const keys: LicenseKey[] = [];
      const placed: Order[] = [];
      for (const product of [jar, old, review, files]) {
        for (const version of [null, '1', '3', '5', 'gone']) {
          for (const until of [null, issuedAt - 1, issuedAt + 2 * day, issuedAt + 9 * day]) {
            const key = keyNumber(keys.length);
            keys.push(key);
            await actOn(licenses).issue(newLicense(key, product.id, { updatesUntil: until }));
            const { agreed } = newOrder(product);
            const paid = { state: 'paid', licenseKey: key, paidAt: issuedAt, agreed: { ...agreed, version } } as const;
            placed.push(await addOrder(stores, product, paid));
          }
        }
      }
      const clock = createManualClock(issuedAt);
      const one = createBoughtFiles({
        ...{ products, orders, templates, licenses, clock, linkLifetime: 1 },
        linkTo: () => '',
      });
      const expected = await Promise.all(
        placed.map(async (order) => {
          const { versions, tooNew } = await one.versions(order, { limit: 99 });
          return versions.find((version) => !tooNew.has(version))?.number;
        }),
      );
      expect(new Set(expected).size).to.be.above(3);
      const items = await createReadBoughtItems({ licenses, products, clock })(placed);
      expect(items.map(({ order, license, version }) => [order.id, license?.key, version])).to.deep.equal(
        placed.map(({ id, licenseKey }, at) => [id, licenseKey, expected[at]]),
      );
      expect(await products.newestFor([])).to.deep.equal([]);
    });

    it('are the first one of a new product, and those that are added, newest first', async () => {
      expect(await stores.products.versions(jar.id, { limit: 9 })).to.deep.equal([{ ordinal: 1, ...first }]);
      const added = await stores.products.addVersion(jar.id, adding('1.2.0'));
      const version = {
        ordinal: 2,
        number: '1.2.0',
        notes: 'é 1.2.0',
        zip: 'zips/1.2.0.zip',
        size: null,
        createdAt: issuedAt + 1,
      };
      const product = { ...jar, zip: 'zips/1.2.0.zip', version: '1.2.0' };
      expect(added).to.deep.equal({ product, version });
      expect(await stores.products.findById(jar.id)).to.deep.equal(product);
      expect(await stores.products.versions(jar.id, { limit: 9 })).to.deep.equal([version, { ordinal: 1, ...first }]);
      expect(await stores.products.findVersion(jar.id, undefined)).to.deep.equal(version);
      expect(await stores.products.findVersion(jar.id, '1')).to.deep.equal({ ordinal: 1, ...first });
      expect(await stores.products.findVersion(jar.id, '7')).to.equal(undefined);
      const [told] = await stores.audit.list({ limit: 1 });
      expect(told).to.include({ type: 'product.version_added', subject: 'tip-jar' });
    });

    it('are known by their files', async () => {
      const other = await addForSale(stores, { slug: 'other', zip: 'zips/other.zip' });
      await stores.products.addVersion(jar.id, adding('2'));
      const known = async (id: typeof jar.id) =>
        await Promise.all(
          ['zips/jar.zip', 'zips/2.zip', 'zips/other.zip', ''].map((zip) => stores.products.hasFile(id, zip)),
        );
      expect(await known(jar.id)).to.deep.equal([true, true, false, false]);
      expect(await known(other.id)).to.deep.equal([false, false, true, false]);
      await stores.products.deleteVersion(jar.id, '1', deleting());
      expect(await known(jar.id)).to.deep.equal([false, true, false, false]);
      expect(await known(999_999_999_999_999 as typeof jar.id)).to.deep.equal([false, false, false, false]);
    });

    it('are listed page by page', async () => {
      for (let n = 0; n < 4; n++) await stores.products.addVersion(jar.id, adding());
      const ordinals = async (before?: number) =>
        (await stores.products.versions(jar.id, { before, limit: 2 })).map(({ ordinal }) => ordinal);
      expect([await ordinals(), await ordinals(4), await ordinals(2), await ordinals(1)]).to.deep.equal([
        [5, 4],
        [3, 2],
        [1],
        [],
      ]);
    });

    it('do not exist for an unknown product, and none is added after a refusal', async () => {
      const refused = await stores.products.addVersion(jar.id, adding('1'));
      expect(refused && isRefused(refused) && refused.reason).to.equal('version_exists');
      expect(await numbers()).to.deep.equal(['1']);
      const unknown = 999_999_999_999_999 as typeof jar.id;
      expect(await stores.products.addVersion(unknown, adding('2'))).to.equal(undefined);
      expect(await stores.products.versions(unknown, { limit: 9 })).to.deep.equal([]);
      expect(await stores.audit.list({ limit: 9 })).to.have.lengthOf(1);
    });

    it('with the same number are added only once, and each gets its own ordinal, however many are added at once', async () => {
      const same = await Promise.all(
        Array.from({ length: 6 }, () => stores.products.addVersion(jar.id, adding('2.0'))),
      );
      expect(same.filter((one) => one !== undefined && !isRefused(one))).to.have.lengthOf(1);
      await Promise.all(Array.from({ length: 5 }, () => stores.products.addVersion(jar.id, adding())));
      expect(await numbers()).to.deep.equal(['7', '6', '5', '4', '3', '2.0', '1']);
      expect((await stores.products.findById(jar.id))?.zip).to.equal('zips/7.zip');
    });

    it('all keep their zips, for ever', async () => {
      await stores.products.addVersion(jar.id, adding('2'));
      const zips = ['zips/jar.zip', 'zips/2.zip'];
      const unreferenced = (now: number) => stores.references.unreferenced(zips, { now, before: now });
      expect(await unreferenced(issuedAt + 10)).to.deep.equal([]);
      expect(await unreferenced(issuedAt + 10_000_000_000)).to.deep.equal([]);
    });

    /** Decides to delete a version, and notes what is known of it. */
    const deleting =
      (seen: (DeletableVersion | undefined)[] = []) =>
      ({ slug }: Product, found: DeletableVersion | undefined) => {
        seen.push(found);
        return found === undefined
          ? refuse('version_not_found')
          : event('product.version_deleted', slug, by, issuedAt + 2, { number: found.version.number });
      };

    it('are deleted with an event, for ever, and only their own zip is not referred to any more', async () => {
      for (const number of ['2', '3']) await stores.products.addVersion(jar.id, adding(number));
      const before = await stores.products.findById(jar.id);
      const seen: (DeletableVersion | undefined)[] = [];
      expect(await stores.products.deleteVersion(jar.id, '2', deleting(seen))).to.deep.equal(before);
      expect(seen.at(-1)).to.deep.include({ isNewest: false, isClaimed: false });
      expect(seen.at(-1)?.version).to.include({ number: '2', zip: 'zips/2.zip' });
      expect(await stores.products.findById(jar.id)).to.deep.equal(before);
      expect(await stores.products.findVersion(jar.id, '2')).to.equal(undefined);
      const [told] = await stores.audit.list({ limit: 1 });
      expect(told).to.deep.include({ type: 'product.version_deleted', subject: 'tip-jar', data: { number: '2' } });
      const zips = ['zips/jar.zip', 'zips/2.zip', 'zips/3.zip'];
      const times = { now: issuedAt + 10, before: issuedAt + 10 };
      expect(await stores.references.unreferenced(zips, times)).to.deep.equal(['zips/2.zip']);
      // The next version is a newer one than all that were ever there.
      await stores.products.addVersion(jar.id, adding());
      expect((await stores.products.versions(jar.id, { limit: 9 })).map(({ ordinal }) => ordinal)).to.deep.equal([
        4, 3, 1,
      ]);
    });

    it('are not deleted after a refusal, and neither are unknown ones', async () => {
      const seen: (DeletableVersion | undefined)[] = [];
      await stores.products.addVersion(jar.id, adding('2'));
      for (const number of ['7', '']) {
        const refused = await stores.products.deleteVersion(jar.id, number, deleting(seen));
        expect(refused && isRefused(refused) && refused.reason).to.equal('version_not_found');
      }
      expect(seen.every((found) => found === undefined)).to.equal(true);
      await stores.products.deleteVersion(jar.id, '1', () => refuse('no'));
      const unknown = 999_999_999_999_999 as typeof jar.id;
      expect(await stores.products.deleteVersion(unknown, '1', deleting())).to.equal(undefined);
      expect(await numbers()).to.deep.equal(['2', '1']);
      expect(await stores.audit.list({ limit: 9 })).to.have.lengthOf(2);
      await stores.products.deleteVersion(jar.id, '2', (_, found) => {
        expect(found?.isNewest).to.equal(true);
        return refuse('no');
      });
    });

    it('are the newest one if the product has their zip, in whatever order an older process stored them', async () => {
      for (const number of ['2', '3']) await stores.products.addVersion(jar.id, adding(number));
      await stores.products.change(jar.id, (before) => ({
        after: { ...before, zip: 'zips/2.zip' },
        event: event('product.changed', before.slug, by, issuedAt + 2),
      }));
      const seen: (DeletableVersion | undefined)[] = [];
      const keep = (_: Product, found: DeletableVersion | undefined) => {
        seen.push(found);
        return refuse('no');
      };
      for (const number of ['1', '2']) await stores.products.deleteVersion(jar.id, number, keep);
      expect(seen.map((found) => found?.isNewest)).to.deep.equal([false, true]);
    });

    itLong('are claimed by orders of exactly this version that can be used, or may be able to later', async () => {
      const free: OrderState[] = ['failed', 'expired', 'cancelled', 'refunded', 'charged_back'];
      const isClaimed = async (number: string) => {
        const seen: (DeletableVersion | undefined)[] = [];
        await stores.products.deleteVersion(jar.id, number, (_, found) => {
          seen.push(found);
          return refuse('no');
        });
        return seen.at(-1)?.isClaimed;
      };
      for (const state of orderStates) {
        for (const onRefund of ['revoke', 'keep'] as const) {
          if (onRefund === 'keep' && !['paid', 'refunded', 'charged_back'].includes(state)) continue;
          const number = `${state}-${onRefund}`;
          await stores.products.addVersion(jar.id, adding(number));
          const terms = { ...jar.terms, onRefund };
          await addOrder(stores, { ...jar, version: number, terms, price: 100 }, { state });
          const isKept = state === 'refunded' && onRefund === 'keep';
          expect(await isClaimed(number), number).to.equal(isKept || !free.includes(state));
        }
      }
      expect(await isClaimed('1'), 'a version before those that were bought').to.equal(false);
      await stores.products.addVersion(jar.id, adding('late'));
      expect(await isClaimed('late'), 'a version after those that were bought').to.equal(false);
    });

    it('include the zip of a product that an older process published without a version', async () => {
      const old = await stores.products.add(newProduct({ slug: 'old', zip: 'zips/old.zip', version: null }), (slug) =>
        event('product.added', slug, by, issuedAt),
      );
      const missing = { ordinal: 1, number: '1', notes: '', zip: 'zips/old.zip', size: null, createdAt: old.createdAt };
      expect(await stores.products.versions(old.id, { limit: 9 })).to.deep.equal([missing]);
      expect(await stores.products.findVersion(old.id, '1')).to.deep.equal(missing);
      await stores.products.addVersion(old.id, adding());
      expect((await stores.products.versions(old.id, { limit: 9 })).map(({ zip }) => zip)).to.deep.equal([
        'zips/2.zip',
        'zips/old.zip',
      ]);
    });
  });
}
