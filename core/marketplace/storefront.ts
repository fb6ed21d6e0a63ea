import { parseId, toProductId } from '../id.ts';
import type {
  Catalogue,
  CatalogueItem,
  CatalogueOrder,
  CataloguePlace,
  CatalogueQuery,
  CatalogueSide,
  FacetValue,
  ListedProduct,
} from '../ports/catalogue.ts';
import type { ProductStore } from '../ports/product-store.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { sellableIn } from './bundle.ts';
import { type CatalogueFilter, type Facet, facets, isInCatalogue } from './catalogue-terms.ts';
import { type OfferedAs, priceRange } from './offers.ts';
import type { Product } from './product.ts';
import type { ProductVersion } from './product-version.ts';

/** The most products in one part of the list for search engines: what is made in some milliseconds. */
export const productsInPart = 2_000;
/** The versions that the page of a product shows. */
const shownVersions = 20;
/** The values of each filter from which a visitor can choose. */
const shownValues = 50;

/** A visitor's query. `after` and `before` are places in the form that addresses contain. */
export interface StorefrontWish extends CatalogueFilter {
  readonly order: CatalogueOrder;
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
}

/** One page of the catalogue, with the places of the previous and the next page. */
export interface StorefrontPage {
  readonly items: readonly CatalogueItem[];
  readonly next: string | null;
  readonly previous: string | null;
  /** The search that was made instead, if nothing was found for words with a typo. */
  readonly corrected?: string;
}

export interface FoundProduct {
  readonly product: Product;
  /** The newest ones, newest first. */
  readonly versions: readonly ProductVersion[];
  /** Of a bundle: the products in it that can be sold now. */
  readonly contents: readonly OfferedAs<Product>[];
}

export type FacetValues = Readonly<Record<Facet, readonly FacetValue[]>>;

const nothing: StorefrontPage = { items: [], next: null, previous: null };

/** The marketplace as visitors see it. */
export interface Storefront {
  /** Going back from a page that is not full leads to the first page. */
  list(wish: StorefrontWish): Promise<StorefrontPage | Refused<'unknown_place'>>;
  /** Refuses unless everybody can find the product. */
  find(slug: string): Promise<FoundProduct | Refused<'product_not_found'>>;
  /** The values of each filter that most products have, in the order of the alphabet. */
  values(): Promise<FacetValues>;
  versionsOf(product: Product): Promise<readonly ProductVersion[]>;
  /** The products that were sold most. Products that nobody has bought are not in it. */
  bestSellers(limit: number): Promise<readonly CatalogueItem[]>;
  /** Other products: those of its category that were sold most, then the rest. */
  related(product: Product, limit: number): Promise<readonly CatalogueItem[]>;
  /** The number of parts of the list of all products for search engines. At least 1. */
  countSiteParts(): Promise<number>;
  /** The products of a part, which are at most `productsInPart`. Parts count from 0. */
  sitePart(part: number): Promise<readonly ListedProduct[]>;
}

/** Created once, because `localeCompare` with a language creates one at each call. */
const inOrder = new Intl.Collator('en');

interface StorefrontPorts {
  readonly catalogue: Catalogue;
  readonly products: Pick<ProductStore, 'findBySlug' | 'findAll' | 'versions'>;
}

export function createStorefront({ catalogue, products }: StorefrontPorts): Storefront {
  const versionsOf = ({ id }: Product) => products.versions(id, { limit: shownVersions });

  async function list(wish: StorefrontWish, isCorrected = false): Promise<StorefrontPage | Refused<'unknown_place'>> {
    const { after, before, ...rest } = wish;
    const from = placeIn(wish);
    if (isRefused(from)) return from;
    const { items, further } = await catalogue.search({ ...rest, from });
    const written = (place: CataloguePlace | undefined) => (place === undefined ? null : formatPlace(place));
    const place = (item: CatalogueItem | undefined) => written(item && placeOf(item, wish.order));
    if (items.length === 0 && further === undefined && wish.search !== undefined && !isCorrected) {
      const corrected = await catalogue.corrected(wish.search);
      if (corrected !== undefined) {
        const page = await list({ ...wish, search: corrected }, true);
        return isRefused(page) || page.items.length === 0 ? nothing : { ...page, corrected };
      }
    }
    if (from?.side !== 'before') {
      return { items, next: written(further), previous: from === undefined ? null : place(items[0]) };
    }
    if (items.length < wish.limit && further === undefined) return await list({ ...rest }, isCorrected);
    return { items, next: place(items.at(-1)), previous: written(further) };
  }

  return {
    list: (wish) => list(wish),

    async find(slug) {
      const product = await products.findBySlug(slug);
      if (product === undefined || !isInCatalogue(product)) {
        return refuse('product_not_found', `No product for sale has the slug ${slug}.`);
      }
      const inside = (product.bundle ?? []).map(({ productId }) => productId);
      const [versions, found] = await Promise.all([versionsOf(product), products.findAll(inside)]);
      return { product, versions, contents: sellableIn(product, found) };
    },

    async values() {
      const valuesOf = async (facet: Facet) => {
        const found = await catalogue.values(facet, shownValues);
        return [facet, found.toSorted((one, other) => inOrder.compare(one.label, other.label))] as const;
      };
      return Object.fromEntries(await Promise.all(facets.map(valuesOf))) as Record<Facet, FacetValue[]>;
    },

    versionsOf,

    async bestSellers(limit) {
      const { items } = await catalogue.search({ order: 'most_sold', limit });
      return items.filter(({ sold }) => sold > 0);
    },

    async related({ id, category }, limit) {
      const others = async (filter: CatalogueFilter) => {
        const { items } = await catalogue.search({ ...filter, order: 'most_sold', limit: limit + 1 });
        return items.filter((item) => item.id !== id);
      };
      const near = category === null ? [] : await others({ category });
      const rest = near.length < limit ? await others({}) : [];
      const known = new Set(near.map((item) => item.id));
      return [...near, ...rest.filter((item) => !known.has(item.id))].slice(0, limit);
    },

    countSiteParts: async () => Math.floor((await catalogue.newestId()) / productsInPart) + 1,
    sitePart: (part) => catalogue.listedIn({ from: part * productsInPart, before: (part + 1) * productsInPart }),
  };
}

/** The place of a product in this order. */
function placeOf(item: CatalogueItem, order: CatalogueOrder): CataloguePlace {
  const { id, sold, relevance = sold } = item;
  const price = priceRange(item).lowest;
  const by = { relevance, newest: null, price_low: price, price_high: price, most_sold: sold } as const;
  return { id, by: by[order] };
}

/** Writes a place as text that can be part of a URL: the id and, after `~`, what the list is sorted by. */
function formatPlace({ id, by }: CataloguePlace): string {
  return by === null ? String(id) : `${id}~${by}`;
}

function placeIn({ after, before, order }: StorefrontWish): CatalogueQuery['from'] | Refused<'unknown_place'> {
  const [side, text]: [CatalogueSide, string | undefined] = after === undefined ? ['before', before] : ['after', after];
  if (text === undefined) return undefined;
  const [, digits = '', value] = /^(\d{1,15})(?:~(\d{1,15}))?$/.exec(text) ?? [];
  const id = parseId(digits, toProductId);
  // A place belongs to an order.
  if (id === undefined || (value === undefined) !== (order === 'newest')) {
    return refuse('unknown_place', 'This is no place in the list.');
  }
  return { side, place: { id, by: value === undefined ? null : Number(value) } };
}
