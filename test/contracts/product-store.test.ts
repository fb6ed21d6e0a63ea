import { expect } from 'chai';
import fc from 'fast-check';
import { plainUser } from '../../core/accounts/user.ts';
import { event } from '../../core/events/event.ts';
import { toProductId, type UserId } from '../../core/id.ts';
import type { ComparedProduct, Product } from '../../core/marketplace/product.ts';
import { noAdapters } from '../../core/marketplace/product-adapters.ts';
import { isRefused } from '../../core/refusal.ts';
import { addUser, backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { issuedAt, newProduct } from '../support/license-acts.ts';
import { itLong } from '../support/required-service.ts';
import { runs } from '../support/runs.ts';

for (const backend of backends) {
  describe(`product store: ${backend.name}`, () => {
    const stores = openForEach(backend);

    const add = (slug: string, more: Partial<Product> = {}) =>
      stores.products.add(newProduct({ slug, ...more }), (given) =>
        event('product.added', given, by, issuedAt, { wanted: slug }),
      );
    const slugsOf = async (wanted: readonly string[]) => {
      const slugs: string[] = [];
      for (const slug of wanted) slugs.push((await add(slug)).slug);
      return slugs;
    };

    it('returns the added product with a new id', async () => {
      const user = await stores.accounts.add(
        { ...plainUser, name: 'Ada', email: 'ada@example.com', tier: 'pro', createdAt: issuedAt },
        event('user.added', 'ada@example.com', by, issuedAt),
      );
      const ownerId = isRefused(user) ? null : user.id;
      const house = await add('tip-jar', { title: 'Tip "Jar" — ünïcode' });
      const bare = {
        slug: 'mint-page',
        ownerId,
        status: 'pending',
        isLive: true,
        isSupported: false,
        price: 0,
        variant: null,
        category: null,
        subcategory: null,
        tags: [],
        blockchains: [],
        zip: null,
        thumbnail: null,
      } as const;
      const sold = await add('mint-page', bare);
      expect(house).to.deep.equal({ ...newProduct({ title: 'Tip "Jar" — ünïcode' }), id: house.id });
      expect(sold).to.deep.equal({ ...newProduct(bare), id: sold.id });
      expect(sold.ownerId).to.equal(1);
      expect(house.id).to.not.equal(sold.id);
    });

    it('adds no more products without files than an owner can have, whoever adds some at once', async () => {
      const [ada, eve] = [await addUser(stores, 'Ada'), await addUser(stores, 'Eve')];
      const bundle = (ownerId: UserId, slug: string) =>
        stores.products.addWithoutFiles(
          { ...newProduct({ slug, archivedAt: issuedAt }), ownerId, zip: null },
          (given) => event('product.published', given, by, issuedAt),
          5,
        );
      await add('with-a-file', { ownerId: ada.id });
      const wanted = Array.from({ length: 12 }, (_, n) => `of-ada-${n}`);
      const added = await Promise.all(wanted.map((slug) => bundle(ada.id, slug)));
      expect(added.map((one) => (isRefused(one) ? one.reason : 'added')).sort()).to.deep.equal([
        ...Array(5).fill('added'),
        ...Array(7).fill('too_many_bundles'),
      ]);
      const { total } = await stores.products.list({ ownerId: ada.id }, 0, 1);
      expect(total).to.equal(6);
      expect(isRefused(await bundle(eve.id, 'of-eve'))).to.equal(false);
    });

    it('finds each product by id and by slug', async () => {
      for (const product of [await add('tip-jar'), await add('tip-jar'), await add('mint-page', { title: 'Mint' })]) {
        expect(await stores.products.findById(product.id)).to.deep.equal(product);
        expect(await stores.products.findBySlug(product.slug)).to.deep.equal(product);
      }
    });

    it('finds the products for which somebody has set an adapter, on or off', async () => {
      await add('none', { adapters: noAdapters });
      const off = await add('off', { adapters: { ...noAdapters, edd: { ...noAdapters.edd, itemId: 5 } } });
      const on = await add('on');
      const compared = ({ id, slug, title, ownerId, isLive, adapters }: Product) =>
        ({ id, slug, title, ownerId, isLive, adapters }) satisfies ComparedProduct;
      expect(await stores.products.withAdapters()).to.have.deep.members([compared(off), compared(on)]);
    });

    it('finds what clients of other systems need, and no more', async () => {
      const { id, slug, title, status, isLive, adapters } = await add('tip-jar');
      expect(await stores.products.findAdapted(id)).to.deep.equal({ id, slug, title, status, isLive, adapters });
      for (const unknown of [id + 1, 0, 999_999_999_999_999]) {
        expect(await stores.products.findAdapted(toProductId(unknown))).to.equal(undefined);
      }
    });

    it('finds the public product under an id of EDD, if it lets its clients in', async () => {
      const edd = (isOn: boolean, itemId: number) => ({ ...noAdapters, edd: { ...noAdapters.edd, isOn, itemId } });
      const isPublic = { status: 'published', isLive: true } as const;
      await add('off', { ...isPublic, adapters: edd(false, 8) });
      await add('test', { ...isPublic, isLive: false, adapters: edd(true, 8) });
      await add('hidden', { ...isPublic, status: 'unlisted', adapters: edd(true, 8) });
      await add('other', { ...isPublic, adapters: edd(true, 88) });
      await add('none', { ...isPublic, adapters: noAdapters });
      expect(await stores.products.findPublicEddItem(8)).to.equal(undefined);
      const on = await add('on', { ...isPublic, adapters: edd(true, 8) });
      await add('later', { ...isPublic, adapters: edd(true, 8) });
      expect(await stores.products.findPublicEddItem(8)).to.deep.equal(on);
      expect(await stores.products.findPublicEddItem(999_999_999_999_999)).to.equal(undefined);
    });

    it('finds nothing for an unknown id or slug', async () => {
      const { id } = await add('tip-jar');
      for (const unknown of [id + 1, 0, -1, 999_999_999_999_999]) {
        expect(await stores.products.findById(toProductId(unknown))).to.equal(undefined);
      }
      for (const unknown of ['tip', 'tip-jar-2', 'tip%', 'TIP-JAR', '']) {
        expect(await stores.products.findBySlug(unknown)).to.equal(undefined);
      }
    });

    it('saves the event of a product under its final slug', async () => {
      await add('tip-jar');
      await add('tip-jar');
      expect(await stores.audit.list({ subject: 'tip-jar-2', limit: 9 })).to.deep.equal([
        event('product.added', 'tip-jar-2', by, issuedAt, { wanted: 'tip-jar' }),
      ]);
      expect(await stores.audit.list({ limit: 9 })).to.have.lengthOf(2);
    });

    it('counts the live products that wait, up to a number', async () => {
      for (const [n, status] of (['pending', 'pending', 'published'] as const).entries())
        await add(`p-${n}`, { status, isLive: true });
      await add('test', { status: 'pending', isLive: false });
      expect([await stores.products.countWaiting(99), await stores.products.countWaiting(1)]).to.deep.equal([2, 1]);
    });

    it('saves the news of a new product with it', async () => {
      const user = await stores.accounts.add(
        { ...plainUser, name: 'Ada', email: 'ada@example.com', tier: 'pro', createdAt: issuedAt },
        event('user.added', 'ada@example.com', by, issuedAt),
      );
      if (isRefused(user)) throw new Error('The user was refused.');
      const eventOf = (slug: string) => event('product.added', slug, by, issuedAt);
      const added = await stores.products.add(newProduct({ slug: 'told' }), eventOf, undefined, ({ id, title }) => ({
        notices: [
          { userId: user.id, notice: { kind: 'product_waits', product: id, title, isLive: true }, createdAt: issuedAt },
        ],
      }));
      const [told] = await stores.notifications.list(user.id, { limit: 9 });
      expect(told?.notice).to.include({ kind: 'product_waits', product: added.id });
    });

    it('adds the lowest free suffix from 2 to a taken slug', async () => {
      expect(await slugsOf(['jar', 'jar', 'jar'])).to.deep.equal(['jar', 'jar-2', 'jar-3']);
      expect(await slugsOf(['pot-2', 'pot', 'pot', 'pot-2'])).to.deep.equal(['pot-2', 'pot', 'pot-3', 'pot-2-2']);
    });

    it('ignores other slugs that only start with the same text', async () => {
      expect(await slugsOf(['jar-lid', 'jars', 'jar-2-lid', 'jar', 'jar'])).to.deep.equal([
        'jar-lid',
        'jars',
        'jar-2-lid',
        'jar',
        'jar-2',
      ]);
    });

    itLong('gives no slug twice and no unnecessary suffix to concurrent products', async () => {
      let run = 0;
      const wishes = fc.array(fc.constantFrom('', '-2', '-3', '-2-2', '-lid'), { minLength: 1, maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(wishes, async (endings) => {
          const wanted = endings.map((ending) => `jar${run}x${ending}`);
          run++;
          const products = await Promise.all(wanted.map((slug) => add(slug)));
          const given = products.map(({ slug }) => slug);
          expect(new Set(given).size).to.equal(given.length);
          expect(new Set(products.map(({ id }) => id)).size).to.equal(given.length);
          for (const [index, slug] of given.entries()) {
            expect(slug.replace(wanted[index] ?? '', '')).to.match(/^(?:-\d+)?$/);
          }
          for (const slug of new Set(wanted)) expect(given).to.include(slug);
        }),
        { numRuns: runs(25) },
      );
    });

    it('gives suffixes without a gap to concurrent products with the same slug', async () => {
      const products = await Promise.all(Array.from({ length: 20 }, () => add('jar')));
      const expected = ['jar', ...Array.from({ length: 19 }, (_, n) => `jar-${n + 2}`)];
      expect(products.map(({ slug }) => slug).sort()).to.deep.equal(expected.sort());
    });
  });
}
