import { expect } from 'chai';
import fc from 'fast-check';
import { event } from '../../core/events/event.ts';
import { isInCatalogue, searchedWords, termsOf } from '../../core/marketplace/catalogue-terms.ts';
import type { Product } from '../../core/marketplace/product.ts';
import { createStorefront, productsInPart } from '../../core/marketplace/storefront.ts';
import { type CatalogueOrder, type CatalogueQuery, catalogueOrders } from '../../core/ports/catalogue.ts';
import { isRefused } from '../../core/refusal.ts';
import { backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { exampleOffer } from '../support/example-product.ts';
import { issuedAt, must, newProduct } from '../support/license-acts.ts';
import { itLong } from '../support/required-service.ts';
import { runs } from '../support/runs.ts';
import { randomOf } from '../torture/random.ts';

type Wish = Partial<CatalogueQuery>;

/** Nothing is sorted, and few products are looked at, so that each search walks in the order of the list. */
const walking = { sorted: 0, walked: 3 };

for (const backend of backends) {
  describe(`catalogue: ${backend.name}`, () => {
    const stores = openForEach(backend);

    const listed = { isLive: true, status: 'published', archivedAt: null, rejectionReason: null } as const;
    const bare = {
      tagline: '',
      description: '',
      tags: [],
      sellerName: null,
      category: null,
      subcategory: null,
      blockchains: [],
    };
    const add = (slug: string, fields: Partial<Product> = {}) =>
      stores.products.add(newProduct({ slug, title: slug, ...bare, ...listed, ...fields }), (given) =>
        event('product.added', given, by, issuedAt),
      );
    const change = (product: Product, fields: Partial<Product>) =>
      stores.products.change(product.id, (before) => ({
        after: { ...before, ...fields },
        event: event('product.changed', product.slug, by, issuedAt),
      }));

    /** Walks through all pages, forwards and then back, and returns the slugs. */
    async function pages(wish: Wish, bounds?: typeof walking): Promise<string[]> {
      const catalogue = stores.catalogue(bounds);
      const query = { order: 'newest', limit: 2, ...wish } as const;
      const read = async (side: 'after' | 'before', from: CatalogueQuery['from']) => {
        const found: string[] = [];
        for (let page = 0, start = from; page < 200; page++) {
          const { items, further } = await catalogue.search({ ...query, from: start });
          expect(items.length).to.be.at.most(query.limit);
          const slugs = items.map(({ slug }) => slug);
          if (side === 'after') found.push(...slugs);
          else found.unshift(...slugs);
          if (further === undefined) return found;
          start = { side, place: further };
        }
        throw new Error('The list does not end.');
      };
      const forwards = await read('after', undefined);
      // A place behind all products, in the direction of the order.
      const last = { id: query.order === 'price_low' ? 2 ** 31 - 1 : 0, by: query.order === 'newest' ? null : 0 };
      const end = query.order === 'price_low' ? { ...last, by: 2 ** 31 - 1 } : last;
      const back = await read('before', { side: 'before', place: end as never });
      expect(back).to.deep.equal(forwards);
      return forwards;
    }

    /** Reads the list in both ways: sorting what was found, and walking in the order of the list. */
    async function slugs(wish: Wish): Promise<string[]> {
      const found = await pages(wish);
      expect(await pages(wish, walking), 'walking').to.deep.equal(found);
      return found;
    }

    it('lists the products in each range of ids once, for search engines, and no others', async () => {
      expect(await stores.catalogue().newestId()).to.equal(0);
      const products = [await add('a'), await add('b'), await add('c'), await add('d')];
      await add('hidden', { status: 'unlisted' });
      await add('test', { isLive: false });
      await change(must(products[1]), { archivedAt: issuedAt });
      const catalogue = stores.catalogue();
      const storefront = createStorefront({ catalogue, products: stores.products });
      const newest = await catalogue.newestId();
      expect(newest).to.equal(products[3]?.id);
      const slugs = async (from: number, before: number) =>
        (await catalogue.listedIn({ from, before })).map(({ slug }) => slug);
      expect(await slugs(0, newest + 9)).to.deep.equal(['a', 'c', 'd']);
      const middle = must(products[2]).id;
      expect([await slugs(0, middle), await slugs(middle, newest), await slugs(newest, newest + 9)]).to.deep.equal([
        ['a'],
        ['c'],
        ['d'],
      ]);
      const parts = await storefront.countSiteParts();
      expect(parts).to.equal(Math.floor(newest / productsInPart) + 1);
      const all = await Promise.all(Array.from({ length: parts }, (_, part) => storefront.sitePart(part)));
      expect(all.flat().map(({ slug }) => slug)).to.deep.equal(['a', 'c', 'd']);
      expect(await storefront.sitePart(parts)).to.deep.equal([]);
    });

    it('shows beside a product the others: those of its category first', async () => {
      const [jar, swap] = [await add('jar', { category: 'defi' }), await add('swap', { category: 'defi' })];
      const [, free] = [await add('game', { category: 'games' }), await add('free')];
      await add('hidden', { status: 'unlisted', category: 'defi' });
      const storefront = createStorefront({ catalogue: stores.catalogue(), products: stores.products });
      const slugsOf = (items: readonly { readonly slug: string }[]) => items.map(({ slug }) => slug);
      expect(slugsOf(await storefront.related(jar, 4))).to.deep.equal(['swap', 'free', 'game']);
      expect(slugsOf(await storefront.related(swap, 1))).to.deep.equal(['jar']);
      expect(slugsOf(await storefront.related(free, 9))).to.deep.equal(['game', 'swap', 'jar']);
      expect(await storefront.bestSellers(9)).to.deep.equal([]);
    });

    it('lists live published products that are not archived, newest first', async () => {
      for (const slug of ['a', 'b', 'c']) await add(slug);
      await add('test', { isLive: false });
      for (const status of ['pending', 'rejected', 'unlisted'] as const) await add(status, { status });
      await add('old', { archivedAt: 5 });
      expect(await slugs({})).to.deep.equal(['c', 'b', 'a']);
    });

    itLong('finds words in all texts, and the beginning of the last one', async () => {
      await add('title', { title: 'Uniswap-style DEX' });
      await add('tagline', { tagline: 'A dex, for all' });
      await add('tags', { tags: ['AMM', 'dex'] });
      await add('seller', { sellerName: 'Dexter & Co' });
      await add('other', { description: 'It is a **dex**, too, but only the description says so. [co](https://a.b)' });
      for (const [search, found] of [
        ['dex', ['other', 'seller', 'tags', 'tagline', 'title']],
        ['  DEX! ', ['other', 'seller', 'tags', 'tagline', 'title']],
        ['descr', ['other']],
        ['dex other', ['other']],
        ['other dex', ['other']],
        ['only says', ['other']],
        ['only says title', []],
        ['dext', ['seller']],
        ['style uni', ['title']],
        ['uni style', []],
        ['unis', ['title']],
        ['uni dex', []],
        ['dex uniswap', ['title']],
        ['niswap', []],
        ['co', ['other', 'seller']],
        ['for all', ['tagline']],
        ['?!', ['other', 'seller', 'tags', 'tagline', 'title']],
        ['dex nothing', []],
        ['\' OR "', []],
        ['dex* NOT amm', []],
        [':supported', []],
        ['\0dex', ['other', 'seller', 'tags', 'tagline', 'title']],
      ] as const) {
        expect(await slugs({ search }), search).to.deep.equal(found);
      }
    });

    itLong(
      'finds as many words of a description as it keeps, and returns the description to a search for words',
      async () => {
        const words = Array.from({ length: 600 }, (_, at) => `w${at}x`);
        await add('long', { title: 'Long', description: [...words, ...words].join(' ') });
        expect(await slugs({ search: 'w0x' })).to.deep.equal(['long']);
        expect(await slugs({ search: 'w499x long' })).to.deep.equal(['long']);
        expect(await slugs({ search: 'w599x' })).to.deep.equal([]);
        const described = async (wish: Wish) =>
          (await stores.catalogue().search({ order: 'newest', limit: 2, ...wish })).items[0]?.description;
        expect(await described({ search: 'long' })).to.match(/^w0x w1x .* w599x$/);
        expect(await described({})).to.equal(undefined);
      },
    );

    it('compares the first 16 words of a search', async () => {
      const words = Array.from({ length: 16 }, (_, at) => `w${at}`);
      await add('one', { description: words.join(' ') });
      for (const [more, found] of [
        ['', ['one']],
        ['other', ['one']],
      ] as const)
        expect(await slugs({ search: [...words, more].join(' ') })).to.deep.equal(found);
      expect(await slugs({ search: [...words.slice(1), 'other'].join(' ') })).to.deep.equal([]);
    });

    itLong('corrects one typo in words that no product has, with the word that most products have', async () => {
      const token = await add('token', { title: 'Token vault', description: 'Governance for everybody.' });
      for (const slug of ['taken', 'taken-2']) await add(slug, { title: `Taken ${slug}` });
      await add('short', { title: 'Swap ÜBERWEISUNG 4096' });
      const { corrected } = stores.catalogue();
      for (const [search, expected] of [
        ['tokne', 'token'],
        ['VALT', undefined],
        ['vauult', 'vault'],
        ['Vaolt TOKEN', 'vault token'],
        ['\u24e3okne', 'token'],
        ['\u24e3okxx', undefined],
        ['token vautl!', 'token vault!'],
        ['governence', 'governance'],
        ['takn', undefined],
        ['tiken', 'taken'],
        ['tken token', undefined],
        ['txkxn', undefined],
        ['vaul', undefined],
        ['token', undefined],
        ['sawp', undefined],
        ['uberweisumg', 'uberweisung'],
        ['40096', undefined],
        ['vautl nothing', undefined],
        ['', undefined],
        ['\0 %_', undefined],
      ] as const) {
        expect(await corrected(search), search).to.equal(expected);
      }
      await change(token, { status: 'unlisted' });
      expect(await corrected('governence'), 'gone with its product').to.equal(undefined);
      await change(token, { status: 'published', description: 'Nothing.' });
      expect(await corrected('governence')).to.equal(undefined);
      expect(await corrected('vautl')).to.equal('vault');
    });

    it('shows what a corrected search finds, page by page, and says so', async () => {
      for (const slug of ['a', 'b', 'c']) await add(slug, { title: 'Token' });
      const { list } = createStorefront({ catalogue: stores.catalogue(), products: stores.products });
      const page = async (wish: Partial<Parameters<typeof list>[0]>) => {
        const found = await list({ order: 'newest', limit: 2, ...wish });
        if (isRefused(found)) throw new Error(found.reason);
        return { ...found, items: found.items.map(({ slug }) => slug) };
      };
      const first = await page({ search: 'tokne' });
      expect(first).to.deep.include({ items: ['c', 'b'], corrected: 'token' });
      expect(await page({ search: 'tokne', after: must(first.next ?? undefined) })).to.deep.include({ items: ['a'] });
      expect(await page({ search: 'token' })).to.not.have.property('corrected');
      // A sign that is a letter only when it is folded.
      expect(await page({ search: '\u24e3oken\u24e8' })).to.deep.include({ items: ['c', 'b'], corrected: 'token' });
      expect(await page({ search: 'tokne', module: 'other' })).to.deep.equal({ items: [], next: null, previous: null });
    });

    itLong('ignores case, accents and forms of letters in all scripts', async () => {
      for (const title of [
        'Café Über',
        'Łódź',
        'Straße',
        'ΟΔΟΣ',
        'Ёлка',
        'ＡＢＣ１',
        'İstanbul',
        '数字货币',
        'กาแฟ',
        'न्यू',
      ])
        await add(title, { title });
      for (const [search, found] of [
        ['cafe uber', 'Café Über'],
        ['CAFE\u0301', 'Café Über'],
        ['lodz', 'Łódź'],
        ['STRASSE', 'Straße'],
        ['οδός', 'ΟΔΟΣ'],
        ['елка', 'Ёлка'],
        ['abc1', 'ＡＢＣ１'],
        ['ISTANBUL', 'İstanbul'],
        ['货币', '数字货币'],
        ['กา', 'กาแฟ'],
        ['न्यू', 'न्यू'],
      ] as const) {
        expect(await slugs({ search }), search).to.deep.equal([found]);
      }
    });

    itLong('finds a product with offers by the lowest price of the listed ones, and pages by it', async () => {
      const offer = (price: number, isListed = true) => ({ ...exampleOffer, slug: `o-${price}`, price, isListed });
      await add('own', { price: 500 });
      await add('hidden', { price: 700, offers: [offer(1, false)] });
      const many = await add('many', { price: 1, offers: [offer(900), offer(600), offer(2, false)] });
      expect(await slugs({ order: 'price_low' })).to.deep.equal(['own', 'many', 'hidden']);
      expect(await slugs({ priceFrom: 501, priceTo: 699 })).to.deep.equal(['many']);
      const { list } = createStorefront({ catalogue: stores.catalogue(), products: stores.products });
      const first = await list({ order: 'price_low', limit: 1 });
      if (isRefused(first)) throw new Error(first.reason);
      const second = await list({ order: 'price_low', limit: 1, after: first.next ?? undefined });
      if (isRefused(second)) throw new Error(second.reason);
      expect(second.items.map(({ slug, offers }) => [slug, offers.length])).to.deep.equal([['many', 3]]);
      const third = await list({ order: 'price_low', limit: 1, after: second.next ?? undefined });
      expect(!isRefused(third) && third.items.map(({ slug }) => slug)).to.deep.equal(['hidden']);
      await change(many, { offers: [] });
      expect(await slugs({ order: 'price_low' })).to.deep.equal(['many', 'own', 'hidden']);
    });

    itLong('filters by what sellers chose, by price and by support', async () => {
      await add('one', { category: 'DeFi', subcategory: 'amm', module: 'token', blockchains: ['Base', 'BNB Chain'] });
      await add('two', { category: 'defi', module: 'nft', price: 0, isSupported: false, blockchains: ['base'] });
      await add('three', { category: 'de fi', module: 'token', price: 9900, isSupported: false });
      for (const [wish, found] of [
        [{ category: 'DEFI' }, ['two', 'one']],
        [{ category: 'de-fi' }, ['three']],
        [{ category: 'amm' }, []],
        [{ subcategory: 'AMM' }, ['one']],
        [{ module: 'token' }, ['three', 'one']],
        [{ module: 'tok' }, []],
        [{ blockchain: 'base' }, ['two', 'one']],
        [{ blockchain: 'bnb-chain' }, ['one']],
        [{ isSupported: true }, ['one']],
        [{ priceTo: 0 }, ['two']],
        [{ priceFrom: 1 }, ['three', 'one']],
        [{ priceFrom: 4990, priceTo: 4990 }, ['one']],
        [{ priceFrom: 5000, priceTo: 4000 }, []],
        [{ priceFrom: 1, order: 'price_high' }, ['three', 'one']],
        [{ priceTo: 5000, order: 'price_low' }, ['two', 'one']],
        [{ search: 'two', category: 'defi', blockchain: 'base', priceTo: 10 }, ['two']],
        [{ search: 'defi' }, []],
        [{ search: 'tw', priceTo: 10 }, ['two']],
        [{ search: 't', priceFrom: 1, priceTo: 9900 }, ['three']],
      ] as const) {
        expect(await slugs(wish), JSON.stringify(wish)).to.deep.equal(found);
      }
    });

    itLong('shows what matches a search best first: whole words before starts, the title before the rest', async () => {
      await add('described', { description: 'A swap.' });
      await add('seller', { sellerName: 'Swap & Co', tags: ['one', 'two'] });
      await add('starting', { title: 'Swapping' });
      await add('tagline', { title: 'A jar', tagline: 'Swap it' });
      await add('title', { title: 'Swap' });
      await add('second', { title: 'A swap' });
      const best = ['title', 'second', 'tagline', 'seller', 'starting', 'described'];
      expect(await pages({ search: 'swap', order: 'relevance' })).to.deep.equal(best);
      expect(await pages({ search: 'a swa', order: 'relevance' })).to.deep.equal(['second', 'tagline', 'described']);
      const newest = ['second', 'title', 'tagline', 'starting', 'seller', 'described'];
      for (const bounds of [undefined, walking])
        expect(await pages({ order: 'relevance' }, bounds), 'without words').to.deep.equal(newest);
      expect(await pages({ search: 'swap', order: 'relevance' }, walking), 'too many to sort').to.deep.equal(newest);
      const { list } = createStorefront({ catalogue: stores.catalogue(), products: stores.products });
      const first = await list({ search: 'swap', order: 'relevance', limit: 4 });
      if (isRefused(first)) throw new Error(first.reason);
      const second = await list({ search: 'swap', order: 'relevance', limit: 4, after: must(first.next ?? undefined) });
      if (isRefused(second)) throw new Error(second.reason);
      expect([...first.items, ...second.items].map(({ slug }) => slug)).to.deep.equal(best);
      expect(await list({ search: 'swap', order: 'relevance', limit: 4, before: must(second.previous ?? undefined) }))
        .to.have.property('items')
        .that.deep.equals(first.items);
    });

    it('finds products with long texts like others', async () => {
      // Random, so that Postgres cannot compress it, and longer than an index row may be.
      const random = randomOf(1);
      const long = Array.from({ length: 400 }, () => Math.floor(random() * 2 ** 50).toString(36)).join(' ');
      await add('long', { title: 'Vault', tags: [long] });
      const grown = await add('grown', { title: 'Vault' });
      await change(grown, { tags: [long] });
      for (const order of indexed) {
        for (const search of ['vault', must(long.split(' ').at(-1))])
          expect(await slugs({ order, search }), `${order}: ${search}`).to.have.members(['long', 'grown']);
      }
      await change(grown, { tags: [] });
      expect(await slugs({ order: 'price_low', search: long })).to.deep.equal(['long']);
    });

    itLong('follows each change of a product', async () => {
      const jar = await add('jar', { title: 'Tip jar', category: 'tools', price: 100 });
      await add('pot', { title: 'Tip pot', price: 200 });
      await change(jar, { title: 'Money jar', price: 300 });
      expect(await slugs({ search: 'tip' })).to.deep.equal(['pot']);
      expect(await slugs({ search: 'money' })).to.deep.equal(['jar']);
      expect(await slugs({ order: 'price_high' })).to.deep.equal(['jar', 'pot']);
      const labels = async () => (await stores.catalogue().values('category', 9)).map(({ label }) => label);
      expect(await labels()).to.deep.equal(['tools']);
      await change(jar, { description: 'Pot, jar and money' });
      expect(await slugs({ search: 'pot' })).to.deep.equal(['pot', 'jar']);
      expect(await slugs({ search: 'pot', order: 'price_low' })).to.deep.equal(['pot', 'jar']);
      await change(jar, { title: 'Pot for money', description: 'A jar.' });
      for (const search of ['pot', 'money pot'])
        expect(await slugs({ search: `${search} jar` })).to.deep.equal(['jar']);
      await change(jar, { title: 'Money jar', description: '' });
      expect(await slugs({ search: 'pot' })).to.deep.equal(['pot']);
      await change(jar, { status: 'unlisted' });
      for (const wish of [{}, { order: 'price_low' }] as const) expect(await slugs(wish)).to.deep.equal(['pot']);
      for (const wish of [{ search: 'jar' }, { category: 'tools' }]) expect(await slugs(wish)).to.deep.equal([]);
      expect(await labels()).to.deep.equal([]);
      await change(jar, { status: 'published' });
      expect(await slugs({ search: 'jar' })).to.deep.equal(['jar']);
    });

    it('returns the most frequent values of a filter, as sellers wrote them', async () => {
      for (const [slug, blockchains] of Object.entries({
        a: ['Base'],
        b: ['Base', 'Solana'],
        c: ['Base', 'Solana', 'TON'],
      }))
        await add(slug, { blockchains });
      expect(await stores.catalogue().values('blockchain', 2)).to.deep.equal([
        { label: 'Base', products: 3 },
        { label: 'Solana', products: 2 },
      ]);
      expect(await stores.catalogue().values('module', 9)).to.deep.equal([{ label: 'token', products: 3 }]);
    });

    it('goes on beside a product that is gone', async () => {
      const [one, two, three] = [await add('one'), await add('two'), await add('three')];
      const search = (side: 'after' | 'before') =>
        stores.catalogue().search({ order: 'newest', limit: 5, from: { side, place: { id: two.id, by: null } } });
      await change(two, { archivedAt: 1 });
      expect((await search('after')).items.map(({ id }) => id)).to.deep.equal([one.id]);
      expect((await search('before')).items.map(({ id }) => id)).to.deep.equal([three.id]);
    });

    itLong('leads from page to page and back, and to the first page before a page that is not full', async () => {
      for (const slug of ['a', 'b', 'c', 'd', 'e']) await add(slug);
      const { list } = createStorefront({ catalogue: stores.catalogue(), products: stores.products });
      const page = async (places: { after?: string; before?: string } = {}) => {
        const found = await list({ order: 'price_low', limit: 2, ...places });
        if (isRefused(found)) throw new Error(found.reason);
        return { ...found, slugs: found.items.map(({ slug }) => slug).join('') };
      };
      const first = await page();
      expect(first).to.include({ slugs: 'ab', previous: null });
      const second = await page({ after: must(first.next ?? undefined) });
      expect(second.slugs).to.equal('cd');
      const third = await page({ after: must(second.next ?? undefined) });
      expect(third).to.include({ slugs: 'e', next: null });
      const back = await page({ before: must(third.previous ?? undefined) });
      expect(back).to.deep.equal(second);
      expect(await page({ before: must(back.previous ?? undefined) })).to.deep.equal(first);
      const between = await page({ before: must(first.next ?? undefined) });
      expect(between, 'one product is before it').to.deep.equal(first);
      for (const after of ['x', '1', '1~', '~1', '1~x', '']) {
        expect(await list({ order: 'price_low', limit: 2, after }), after).to.include({ reason: 'unknown_place' });
      }
      expect(await list({ order: 'newest', limit: 2, after: '1~1' })).to.include({ reason: 'unknown_place' });
    });

    itLong('finds what a look at each product finds, in every order', async () => {
      const words = ['Token', 'tokens', 'Café', 'to', 'DEX'] as const;
      const plain: Record<(typeof words)[number], string> = {
        Token: 'token',
        tokens: 'tokens',
        Café: 'cafe',
        to: 'to',
        DEX: 'dex',
      };
      const texts = fc.uniqueArray(fc.constantFrom(...words), { maxLength: 3 });
      const value = fc.constantFrom('a', 'B', 'c d');
      const product = fc.record({
        title: texts,
        tags: texts,
        description: texts,
        module: value,
        category: fc.option(value),
        blockchains: fc.uniqueArray(value, { maxLength: 2 }),
        price: fc.constantFrom(0, 100, 4990),
        isSupported: fc.boolean(),
        isLive: fc.constantFrom(true, true, true, false),
      });
      const wish = fc.record(
        {
          search: fc.array(fc.constantFrom('token', 'tok', 'cafe', 'TO', 'dex'), { maxLength: 2 }),
          module: value,
          category: value,
          blockchain: value,
          isSupported: fc.boolean(),
          priceFrom: fc.constantFrom(0, 1, 100),
          priceTo: fc.constantFrom(0, 100, 9999),
          order: fc.constantFrom(...catalogueOrders),
        },
        { requiredKeys: ['order'] },
      );
      const made: Product[] = [];
      await fc.assert(
        fc.asyncProperty(product, wish, async (one, { search = [], ...query }) => {
          // Each case has one product more than the one before.
          const { title, tags, description, ...rest } = one;
          const texts = { title: title.join(' ') || '-', tags: tags.map(String), description: description.join(', ') };
          made.push(await add(`p-${made.length}`, { ...rest, ...texts }));
          const matches = (each: Product) => {
            const has = [each.title, ...each.tags, each.description]
              .join(' ')
              .split(/[ ,]+/)
              .map((text) => plain[text as 'DEX'] ?? text);
            const sought = search.map((text) => text.toLowerCase());
            return (
              isInCatalogue(each) &&
              sought.slice(0, -1).every((text) => has.includes(text)) &&
              (sought.length === 0 || has.some((text) => text.startsWith(must(sought.at(-1))))) &&
              (query.module === undefined || each.module === query.module) &&
              (query.category === undefined || each.category === query.category) &&
              (query.blockchain === undefined || each.blockchains.includes(query.blockchain)) &&
              (!query.isSupported || each.isSupported) &&
              each.price >= (query.priceFrom ?? 0) &&
              each.price <= (query.priceTo ?? Number.POSITIVE_INFINITY)
            );
          };
          const wanted = search.join(' ');
          const expected = made.filter(matches).toSorted(compare(wanted)[query.order]);
          // A walk sorts by sales instead of relevance.
          const read = query.order === 'relevance' ? pages : slugs;
          expect(await read({ ...query, search: wanted, limit: 5 })).to.deep.equal(expected.map(({ slug }) => slug));
        }),
        { numRuns: runs(100) },
      );
    });
  });
}

/** The orders that have an index. */
const indexed = catalogueOrders.filter((order) => order !== 'relevance');

/** How well a product matches a search: see `CatalogueOrder`. */
function matchOf(product: Product, search: string): number {
  const terms = termsOf(product).flatMap(({ kind, term }) => (kind === 'described' ? [] : [term]));
  const text = ` ${terms.join(' ')} `;
  const words = searchedWords(search);
  const points = words.map((word, at) => {
    const isLast = at === words.length - 1;
    const place = text.indexOf(isLast ? ` ${word}` : ` ${word} `);
    return (place === -1 ? 0 : Math.max(1, 255 - place)) + (isLast && terms.includes(word) ? 256 : 0);
  });
  return points.reduce((sum, one) => sum + one, 0);
}

/** None of the products of this test is sold. */
const compare = (search: string): Record<CatalogueOrder, (one: Product, other: Product) => number> => ({
  relevance: (one, other) => matchOf(other, search) - matchOf(one, search) || other.id - one.id,
  newest: (one, other) => other.id - one.id,
  price_low: (one, other) => one.price - other.price || one.id - other.id,
  price_high: (one, other) => other.price - one.price || other.id - one.id,
  most_sold: (one, other) => other.id - one.id,
});
