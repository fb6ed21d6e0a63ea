import type { Parts } from '../../apps/wiring/compose.ts';
import { t } from '../../apps/wiring/tokens.ts';
import type { StorefrontWish } from '../../core/marketplace/storefront.ts';
import { isRefused } from '../../core/refusal.ts';
import { compare, type List } from './compare.ts';
import type { DatabaseKind, Databases } from './databases.ts';
import { withParts } from './seed.ts';
import { makeStorefront } from './storefront-market.ts';

export interface StorefrontSearches {
  /** The number of products. */
  readonly sizes: Readonly<Record<'few' | 'many', number>>;
  readonly all: readonly List[];
}

/** The size of a page of the marketplace. */
const limit = 24;
const calls = 100;

/** The searches of visitors. */
export const storefrontWishes = {
  'newest products': { order: 'newest' },
  'lowest price': { order: 'price_low' },
  'highest price': { order: 'price_high' },
  'most sold': { order: 'most_sold' },
  'a word of one product': { order: 'newest', search: 'unique321only' },
  'a word of 20 products, best match': { order: 'relevance', search: 'rareword' },
  'a word of 20 products': { order: 'price_low', search: 'rareword' },
  'a word of 20 products and one that all have': { order: 'newest', search: 'rareword template' },
  'a word that all have': { order: 'newest', search: 'template' },
  'a word that all have, lowest price': { order: 'price_low', search: 'template' },
  'a word that all have, most sold': { order: 'most_sold', search: 'templ' },
  'a word that half have, highest price': { order: 'price_high', search: 'token' },
  'a word that a tenth has, lowest price': { order: 'price_low', search: 'vault' },
  'the beginning of a word that all have': { order: 'newest', search: 'u' },
  'a category, lowest price': { order: 'price_low', category: 'defi' },
  'a category and a blockchain': { order: 'newest', category: 'defi', blockchain: 'base' },
  'supported products, most sold': { order: 'most_sold', isSupported: true },
  'prices in a range, newest': { order: 'newest', priceFrom: 100_00, priceTo: 5000_00 },
  'a word that half have, with filters': {
    order: 'price_low',
    search: 'token',
    module: 'nft',
    isSupported: true,
    priceFrom: 10_00,
  },
  'a word of 20 descriptions': { order: 'price_low', search: 'described' },
  'a word of a third of the descriptions': { order: 'newest', search: 'often' },
  'a word of a third of the descriptions, most sold': { order: 'most_sold', search: 'often' },
  'a word with a typo': { order: 'newest', search: 'rraeword' },
  'no such word': { order: 'newest', search: 'nowhere' },
} as const satisfies Record<string, Omit<StorefrontWish, 'limit'>>;

/** Measures each search with few and with many products. The times should be about the same. */
export async function measureStorefront(
  databases: Databases,
  sizes: StorefrontSearches['sizes'],
  seed: number,
  tell: (line: string) => void,
): Promise<StorefrontSearches> {
  const all: List[] = [];
  for (const kind of databases.kinds) {
    const fill = async (products: number) => {
      tell(`storefront: ${products} products for ${kind}`);
      const url = await databases.create(kind);
      await makeStorefront(url, products, seed);
      return url;
    };
    all.push(...(await compareAll(kind, await fill(sizes.few), await fill(sizes.many), tell)));
  }
  return { sizes, all };
}

async function compareAll(
  kind: DatabaseKind,
  few: string,
  many: string,
  tell: (line: string) => void,
): Promise<List[]> {
  return await withParts(few, (fewer) =>
    withParts(many, async (more) => {
      const all: List[] = [];
      for (const [name, wish] of Object.entries(storefrontWishes)) {
        const search = async (parts: Parts) => {
          const { list } = await parts.get(t.storefront);
          return async () => {
            const page = await list({ ...wish, limit });
            if (isRefused(page)) throw new Error(page.reason);
            if (page.items.length === 0 && name !== 'no such word') throw new Error(`${name}: nothing was found.`);
          };
        };
        const one = await compare(`${kind}: storefront, ${name}`, await search(fewer), await search(more), calls);
        tell(`${one.name}: ${one.few.toFixed(2)} ms, ${one.many.toFixed(2)} ms, ${one.ratio.toFixed(2)}`);
        all.push(one);
      }
      return all;
    }),
  );
}
