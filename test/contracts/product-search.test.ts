import { expect } from 'chai';
import { event } from '../../core/events/event.ts';
import type { UserId } from '../../core/id.ts';
import type { Product } from '../../core/marketplace/product.ts';
import type { ProductPlace, ProductSearch } from '../../core/ports/product-store.ts';
import { addUser, backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { issuedAt, must, newProduct } from '../support/license-acts.ts';

for (const backend of backends) {
  describe(`search of products: ${backend.name}`, () => {
    const stores = openForEach(backend);
    let ada: UserId;
    beforeEach(async () => {
      ada = (await addUser(stores, 'Ada')).id;
    });

    const add = (slug: string, fields: Partial<Product> = {}) =>
      stores.products.add(newProduct({ slug, title: slug, isLive: true, archivedAt: null, ...fields }), (given) =>
        event('product.added', given, by, issuedAt),
      );
    /** Reads all pages, and returns the slugs. */
    const slugs = async (filter: Partial<ProductSearch> = {}) => {
      const found: string[] = [];
      let after: ProductPlace | undefined;
      for (let pages = 0; pages < 50; pages++) {
        const page = await stores.products.search({ isLive: true, ownerId: undefined, limit: 2, after, ...filter });
        expect(page.items.length).to.be.at.most(filter.limit ?? 2);
        found.push(...page.items.map(({ slug }) => slug));
        if (page.next === undefined) return found;
        after = page.next;
      }
      throw new Error('The list does not end.');
    };

    it('lists the products of one mode and of one owner, newest first, in pages', async () => {
      for (const slug of ['a', 'b', 'c']) await add(slug, { ownerId: ada });
      await add('house');
      await add('tested', { ownerId: ada, isLive: false });
      expect(await slugs()).to.deep.equal(['house', 'c', 'b', 'a']);
      expect(await slugs({ ownerId: ada })).to.deep.equal(['c', 'b', 'a']);
      expect(await slugs({ ownerId: ada, isLive: false })).to.deep.equal(['tested']);
    });

    it('finds the beginnings of words in titles, and of slugs, in upper and lower case, each product once', async () => {
      await add('uniswap-dex', { title: 'Uniswap DEX', ownerId: ada });
      await add('dex-dex', { title: 'Dex of DEX' });
      await add('uber', { title: 'ÜBER Jar' });
      await add('dexter', { title: 'Other', isLive: false });
      expect(await slugs({ search: ' dEx ' })).to.deep.equal(['uniswap-dex', 'dex-dex']);
      expect(await slugs({ search: 'dex', ownerId: ada })).to.deep.equal(['uniswap-dex']);
      expect(await slugs({ search: 'uniswap-d' })).to.deep.equal(['uniswap-dex']);
      expect(await slugs({ search: 'über' })).to.deep.equal(['uber']);
      for (const search of ['swap', '%', '_', 'dexx', '\u{10FFFF}']) expect(await slugs({ search })).to.deep.equal([]);
    });

    it('filters by status, leaves out archived products, and lists them alone', async () => {
      await add('one', { title: 'Jar one', status: 'pending', ownerId: ada });
      await add('two', { title: 'Jar two', status: 'published', ownerId: ada });
      await add('old', { title: 'Jar old', status: 'unlisted', archivedAt: 5, ownerId: ada });
      for (const more of [{}, { ownerId: ada }, { search: 'jar' }, { search: 'jar', ownerId: ada }]) {
        expect((await slugs(more)).toSorted()).to.deep.equal(['one', 'two']);
        expect(await slugs({ state: 'pending', ...more })).to.deep.equal(['one']);
        expect(await slugs({ state: 'unlisted', ...more })).to.deep.equal([]);
        expect(await slugs({ state: 'archived', ...more })).to.deep.equal(['old']);
      }
    });

    it('finds a product by its new title, and no longer by the old one', async () => {
      const jar = await add('jar', { title: 'Tip Jar' });
      await stores.products.change(jar.id, (before) => ({
        after: { ...before, title: 'Money box' },
        event: event('product.changed', 'jar', by, issuedAt),
      }));
      expect(await slugs({ search: 'tip' })).to.deep.equal([]);
      for (const search of ['money', 'box', 'jar']) expect(await slugs({ search })).to.deep.equal(['jar']);
    });

    it('continues after a place whose product is gone from the list', async () => {
      const [one, two] = [await add('one', { title: 'Jar' }), await add('two', { title: 'Jar' })];
      const filter = { isLive: true, ownerId: undefined, limit: 1 } as const;
      const first = await stores.products.search({ ...filter, search: 'jar' });
      expect(first.items.map(({ id }) => id)).to.deep.equal([one.id]);
      await stores.products.change(one.id, (before) => ({
        after: { ...before, title: 'Pot', archivedAt: 1 },
        event: event('product.changed', 'one', by, issuedAt),
      }));
      const second = await stores.products.search({ ...filter, search: 'jar', after: must(first.next) });
      expect(second.items.map(({ id }) => id)).to.deep.equal([two.id]);
    });
  });
}
