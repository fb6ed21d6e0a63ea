import { expect } from 'chai';
import { event } from '../../core/events/event.ts';
import type { UserId } from '../../core/id.ts';
import { licenseStatuses, statusOf } from '../../core/licensing/license.ts';
import { type LicenseNotes, noNotes } from '../../core/licensing/license-notes.ts';
import { type LicenseOrder, type LicenseQuery, licenseOrders } from '../../core/ports/license-search.ts';
import type { NewLicense } from '../../core/ports/license-store.ts';
import type { Reachable } from '../../core/selling/seller.ts';
import { addUser, backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { actOn, domain, issuedAt, keyNumber, newLicense, newProduct } from '../support/license-acts.ts';

const now = issuedAt + 1_000;
const day = 86_400_000;

for (const backend of backends) {
  describe(`license search: ${backend.name}`, () => {
    const stores = openForEach(backend);

    async function addProduct(slug: string, ownerId: UserId | null, isLive = true) {
      const product = newProduct({ slug, ownerId, isLive });
      return (await stores.products.add(product, (given) => event('product.added', given, by, issuedAt))).id;
    }

    const issue = (...added: NewLicense[]) => actOn(stores.licenses).issue(...added);
    const activate = (n: number, name: string) => actOn(stores.licenses).activate(keyNumber(n), domain(name), now);

    /** Returns the last numbers of the keys of all pages, and checks that no page is too long. */
    async function pages(
      read: (query: LicenseQuery) => ReturnType<typeof stores.search.find>,
      query: Omit<LicenseQuery, 'limit'>,
      limit: number,
    ): Promise<number[]> {
      const found: number[] = [];
      for (let after = query.after; ; ) {
        const page = await read({ ...query, after, limit });
        expect(page.licenses.length).to.be.at.most(limit);
        found.push(...page.licenses.map(({ license }) => Number(license.key.replaceAll(/\D/g, ''))));
        if (page.next === undefined) return found;
        after = page.next;
      }
    }

    const listed = (reach: Reachable, more: Partial<LicenseQuery> = {}, order: LicenseOrder = 'newest', limit = 3) =>
      pages((query) => stores.search.list(query, order, now), { reach, ...more }, limit);
    const found = (reach: Reachable, search: string, more: Partial<LicenseQuery> = {}, limit = 3) =>
      pages((query) => stores.search.find(query, search, now), { reach, ...more }, limit);

    it('names no key of another owner in the place of the next page', async () => {
      const [ada, bob] = [await addUser(stores, 'Ada'), await addUser(stores, 'Bob')];
      const product = await addProduct('many', ada.id);
      const count = 2_010;
      await issue(...Array.from({ length: count }, (_, n) => newLicense(keyNumber(n), product)));
      await issue(newLicense(keyNumber(count), await addProduct('one', bob.id)));
      const query = { reach: { isLive: true, ownerId: bob.id }, limit: 3 };
      const start = keyNumber(count).slice(0, 'LIC-XXXX'.length).toLowerCase();
      const { licenses, next } = await stores.search.find(query, start, now);
      expect([licenses, next?.by]).to.deep.equal([[], { isByKey: true }]);
      expect(JSON.stringify(next)).to.not.include('LIC-');
      expect(await found(query.reach, start)).to.deep.equal([count]);
    });

    it('gives each new license the owner and the mode of its product', async () => {
      const ada = await addUser(stores, 'Ada');
      await issue(
        newLicense(keyNumber(1), await addProduct('live', ada.id)),
        newLicense(keyNumber(2), await addProduct('test', ada.id, false)),
        newLicense(keyNumber(3), await addProduct('nobody', null)),
      );
      const facts = [1, 2, 3].map(async (n) => (await stores.licenses.find(keyNumber(n)))?.license);
      expect((await Promise.all(facts)).map((license) => [license?.ownerId, license?.isLive])).to.deep.equal([
        [ada.id, true],
        [ada.id, false],
        [null, true],
      ]);
    });

    it('lists the licenses of one owner and mode only, or those of all owners in a mode', async () => {
      const ada = await addUser(stores, 'Ada');
      const bob = await addUser(stores, 'Bob');
      const products = [
        await addProduct('ada-live', ada.id),
        await addProduct('ada-test', ada.id, false),
        await addProduct('bob-live', bob.id),
        await addProduct('nobody', null),
      ];
      for (const [n, id] of [...products, ...products].entries()) await issue(newLicense(keyNumber(n), id));
      expect(await listed({ ownerId: ada.id, isLive: true })).to.deep.equal([4, 0]);
      expect(await listed({ ownerId: ada.id, isLive: false })).to.deep.equal([5, 1]);
      expect(await listed({ ownerId: bob.id, isLive: true }, {}, 'oldest')).to.deep.equal([2, 6]);
      expect(await listed({ ownerId: undefined, isLive: true })).to.deep.equal([7, 6, 4, 3, 2, 0]);
      expect(await listed({ ownerId: ada.id, isLive: true }, { productId: products[2] })).to.deep.equal([]);
      expect(await listed({ ownerId: undefined, isLive: true }, { productId: products[2] })).to.deep.equal([6, 2]);
      expect(await found({ ownerId: ada.id, isLive: true }, '')).to.deep.equal([0, 4]);
    });

    it('lists by status, expiry and product in each order, with every license once, for each length of page', async () => {
      const ada = await addUser(stores, 'Ada');
      const reach = { ownerId: ada.id, isLive: true };
      const [one, two] = [await addProduct('one', ada.id), await addProduct('two', ada.id)];
      const all = Array.from({ length: 24 }, (_, n) =>
        newLicense(keyNumber(n), n % 2 === 0 ? one : two, {
          standing: n % 5 === 0 ? 'suspended' : n % 7 === 0 ? 'revoked' : 'active',
          expiresAt: n % 3 === 0 ? null : now + ((n * 7) % 10) * day - 3 * day,
        }),
      );
      await issue(...all);
      const numbered = all.map((license, n) => ({ license, n }));
      for (const order of licenseOrders) {
        for (const status of [undefined, ...licenseStatuses]) {
          for (const productId of [undefined, two]) {
            for (const expiresBefore of [undefined, now + 2 * day]) {
              const expected = numbered
                .filter(({ license }) => status === undefined || statusOf(license, now) === status)
                .filter(({ license }) => productId === undefined || license.productId === productId)
                .filter(
                  ({ license: { expiresAt } }) =>
                    (expiresBefore === undefined && order !== 'expires') ||
                    (expiresAt !== null && expiresAt < (expiresBefore ?? Number.POSITIVE_INFINITY)),
                )
                .toSorted((a, b) =>
                  order === 'expires'
                    ? (a.license.expiresAt ?? 0) - (b.license.expiresAt ?? 0) || a.n - b.n
                    : order === 'oldest'
                      ? a.n - b.n
                      : b.n - a.n,
                )
                .map(({ n }) => n);
              const query = { status, productId, expiresBefore };
              for (const limit of [2, 100]) {
                expect(
                  await listed(reach, query, order, limit),
                  JSON.stringify({ order, ...query, limit }),
                ).to.deep.equal(expected);
              }
            }
          }
        }
      }
    });

    it('finds by the end and the start of the key, domain, holder and reference, whole or by their start', async () => {
      const ada = await addUser(stores, 'Ada');
      const reach = { ownerId: ada.id, isLive: true };
      const productId = await addProduct('one', ada.id);
      const notes = {
        holder: { email: 'Grace.Hopper@Navy.example', name: 'Grace Hopper' },
        reference: 'Order 4711/ü',
        metadata: { secret: 'hidden' },
      };
      await issue(newLicense(keyNumber(12), productId, { notes }), newLicense(keyNumber(34), productId));
      await activate(12, 'shop.example.com');
      await activate(34, 'shop.example.org');
      const key = keyNumber(12);
      for (const [search, expected] of [
        [key.toLowerCase(), [12]],
        [key.slice(0, 8).toLowerCase(), [12, 34]],
        [key.slice(-4).toLowerCase(), [12]],
        ['shop.example.com', [12]],
        ['shop.', [12, 34]],
        ['grace.hopper@navy.example', [12]],
        ['grace h', [12]],
        ['hopper', [12]],
        ['navy', [12]],
        ['order 4711/ü', [12]],
        ['order', [12]],
        ['hidden', []],
        ['4711', []],
        ['%', []],
        ['lic-', []],
      ] as const) {
        expect(await found(reach, search), search).to.deep.equal(expected);
        expect(await found({ ...reach, isLive: false }, search), `test: ${search}`).to.deep.equal([]);
      }
      await actOn(stores.licenses).deactivate(keyNumber(34), domain('shop.example.org'), now);
      expect(await found(reach, 'shop.')).to.deep.equal([12]);
    });

    it('finds a license once, however many of its texts match, in pages of one', async () => {
      const reach = { ownerId: undefined, isLive: true };
      const productId = await addProduct('one', null);
      const notes = { ...noNotes, holder: { email: 'a@a.example', name: 'a a a' }, reference: 'a' };
      for (const n of [1, 2, 3]) {
        await issue(newLicense(keyNumber(n), productId, { notes, maxDomains: 9 }));
        for (const name of ['a.com', 'a.example', 'a.a.com']) await activate(n, name);
      }
      expect(await found(reach, 'a', {}, 1)).to.deep.equal([1, 2, 3]);
      expect(await found(reach, 'a', {}, 2)).to.deep.equal([1, 2, 3]);
    });

    it('finds by key first, and each license once in pages of each length', async () => {
      const reach = { ownerId: undefined, isLive: true };
      const productId = await addProduct('one', null);
      const start = keyNumber(1).slice(0, 8).toLowerCase();
      await issue(
        newLicense(keyNumber(1), productId),
        newLicense(keyNumber(2), productId, { notes: { ...noNotes, reference: start } }),
      );
      await stores.licenses.change(keyNumber(1), undefined, (license) => ({
        license,
        notes: { reference: `${start}-x` },
        event: event('license.changed', license.key, by, now),
      }));
      for (const limit of [1, 2, 3]) expect(await found(reach, start, {}, limit)).to.deep.equal([1, 2]);
    });

    it('stores the notes of new licenses, and changes those that are given', async () => {
      const productId = await addProduct('one', null);
      const reach = { ownerId: undefined, isLive: true };
      const notes = {
        holder: { email: 'grace@example.com', name: null },
        reference: 'R-1',
        metadata: { Ünï: '"\\\n', b: '' },
      };
      await issue(newLicense(keyNumber(1), productId, { notes }), newLicense(keyNumber(2), productId));
      expect(await stores.search.notesOf(keyNumber(1))).to.deep.equal(notes);
      expect(await stores.search.notesOf(keyNumber(2))).to.deep.equal(noNotes);
      expect(await stores.search.notesOf(keyNumber(3))).to.equal(undefined);
      const change = (changed: Partial<LicenseNotes>) =>
        stores.licenses.change(keyNumber(1), undefined, (license) => ({
          license,
          notes: changed,
          event: event('license.changed', license.key, by, now),
        }));
      await change({ reference: 'R-2' });
      expect(await stores.search.notesOf(keyNumber(1))).to.deep.equal({ ...notes, reference: 'R-2' });
      expect(await found(reach, 'r-1')).to.deep.equal([]);
      expect(await found(reach, 'r-2')).to.deep.equal([1]);
      expect(await found(reach, 'grace')).to.deep.equal([1]);
      await change({ holder: null });
      expect(await stores.search.notesOf(keyNumber(1))).to.deep.equal({ ...notes, holder: null, reference: 'R-2' });
      expect(await found(reach, 'grace')).to.deep.equal([]);
      await change({ metadata: {} });
      expect((await stores.search.notesOf(keyNumber(1)))?.metadata).to.deep.equal({});
      const [{ license, notes: short } = {}] = (await stores.search.list({ reach, limit: 9 }, 'oldest', now)).licenses;
      expect(short).to.deep.equal({ holder: null, reference: 'R-2' });
      expect(license).to.deep.equal((await stores.licenses.find(keyNumber(1)))?.license);
      expect(license).to.not.have.any.keys('notes', 'holder', 'reference', 'metadata');
    });

    it('reads a bounded number of rows for a page, and goes on where it stopped', async () => {
      const productId = await addProduct('one', null);
      const reach = { ownerId: undefined, isLive: true };
      const rare = newLicense(keyNumber(0), productId, { expiresAt: now + day });
      await issue(rare, ...Array.from({ length: 2_500 }, (_, n) => newLicense(keyNumber(n + 1), productId)));
      const query = { reach, expiresBefore: now + 2 * day, limit: 2 };
      const first = await stores.search.list(query, 'newest', now);
      expect(first.licenses).to.deep.equal([]);
      expect(first.next?.id).to.be.a('number');
      const second = await stores.search.list({ ...query, after: first.next }, 'newest', now);
      expect(second.licenses.map(({ license }) => license.key)).to.deep.equal([keyNumber(0)]);
      expect(second.next).to.equal(undefined);
    });

    it('finds the domains that could be meant: the given ones if activated, and the alphabetical neighbours', async () => {
      const productId = await addProduct('one', null);
      await issue(newLicense(keyNumber(1), productId, { maxDomains: 300 }), newLicense(keyNumber(2), productId));
      const names = Array.from({ length: 130 }, (_, n) => `d${String(n).padStart(3, '0')}.example.com`);
      for (const name of [...names, 'www.z.com', 'z.com']) await activate(1, name);
      await activate(2, 'd065x.example.com');
      const near = await stores.search.domainsNear(keyNumber(1), [domain('d065a.example.com'), domain('z.com')]);
      expect([...new Set(near.map((one) => one.domain))].toSorted()).to.deep.equal([...names.slice(16, 116), 'z.com']);
      expect(await stores.search.domainsNear(keyNumber(3), [domain('z.com')])).to.deep.equal([]);
    });

    it('gives imported licenses their owner, and finds them', async () => {
      const ada = await addUser(stores, 'Ada');
      const productId = await addProduct('one', ada.id, false);
      const begun = await stores.imports.begin('imported', by, issuedAt);
      if ('kind' in begun) throw new Error(begun.reason);
      const terms = { productId, standing: 'active', maxDomains: 1, expiresAt: null } as const;
      await begun.stage([{ line: 1, key: keyNumber(5), terms }]);
      await begun.finish();
      expect(await found({ ownerId: ada.id, isLive: false }, keyNumber(5).slice(-4).toLowerCase())).to.deep.equal([5]);
      expect(await listed({ ownerId: ada.id, isLive: false })).to.deep.equal([5]);
    });
  });
}
