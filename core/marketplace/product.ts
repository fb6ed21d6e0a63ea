import type { ProductId, TemplateId, UserId } from '../id.ts';
import type { Instant } from '../ports/clock.ts';
import type { Transliterate } from '../ports/transliterate.ts';
import type { BundledProduct } from './bundle.ts';
import type { Offer } from './offers.ts';
import type { PriceList } from './price-list.ts';
import { noAdapters, type ProductAdapters } from './product-adapters.ts';
import { noLinks, type ProductLinks } from './product-links.ts';
import type { ProductPicture } from './product-pictures.ts';
import { defaultTerms, type ProductTerms } from './product-terms.ts';

export const productStatuses = ['pending', 'published', 'rejected', 'unlisted'] as const;
export type ProductStatus = (typeof productStatuses)[number];

/** The seller's description of a product. */
export interface Listing {
  readonly title: string;
  readonly tagline: string;
  readonly description: string;
  /** In US cents; 0 is free. */
  readonly price: number;
  readonly module: string;
  readonly variant: string | null;
  readonly category: string | null;
  readonly subcategory: string | null;
  readonly tags: readonly string[];
  readonly blockchains: readonly string[];
  /** Whether the seller provides support. */
  readonly isSupported: boolean;
}

/** A product for sale. Licenses are issued for it. */
export interface Product extends Listing {
  readonly id: ProductId;
  /** Never only digits, because digits are always an id. */
  readonly slug: string;
  readonly status: ProductStatus;
  /** The seller. `null` for the operator's own products. */
  readonly ownerId: UserId | null;
  /** False if a test key published the product. Such a product is never public. */
  readonly isLive: boolean;
  /** The storage keys of its files. `null` if an administrator added the product without files. */
  readonly zip: string | null;
  readonly thumbnail: string | null;
  /** The number of the newest version. `null` without a zip. */
  readonly version: string | null;
  /** An administrator has approved what it contains now. The seller may relist such a product without a review. */
  readonly isApproved: boolean;
  /** The product's own prices in other currencies. Empty: it has none. */
  readonly prices: PriceList;
  /** Of the product itself: see `Priced`. */
  readonly leastPrices: PriceList | null;
  /** The name of the seller that buyers see. `null` if the seller has chosen none. */
  readonly sellerName: string | null;
  /** Why an administrator rejected the product. `null` unless it is rejected. */
  readonly rejectionReason: string | null;
  /** An archived product cannot be bought or changed. Its licenses still work. */
  readonly archivedAt: Instant | null;
  /** Besides the thumbnail, in the order in which pages show them. */
  readonly pictures: readonly ProductPicture[];
  readonly links: ProductLinks;
  readonly terms: ProductTerms;
  /** Which clients of other systems may use its licenses. */
  readonly adapters: ProductAdapters;
  /** In the order in which pages show them. Without a listed one, the product is sold at its own price and terms. */
  readonly offers: readonly Offer[];
  /** The products that it contains, in the order in which pages show them. `null`: it is no bundle. */
  readonly bundle: readonly BundledProduct[] | null;
  /** The template whose download is sold with it. Only administrators set it. */
  readonly templateId: TemplateId | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** The type of a product for which nobody has chosen one. */
export const defaultModule = 'custom';

/** What clients of other systems and their answers need of a product. Its long texts are not among it. */
export type AdaptedProduct = Pick<Product, 'id' | 'slug' | 'title' | 'status' | 'isLive' | 'adapters'>;

/** What is compared of two products whose clients of other systems could take the keys of one for those of the other. */
export type ComparedProduct = Pick<Product, 'id' | 'slug' | 'title' | 'ownerId' | 'isLive' | 'adapters'>;

/** The parts of a new product that its listing does not decide. */
export const blankProduct = {
  version: null,
  isApproved: false,
  sellerName: null,
  rejectionReason: null,
  archivedAt: null,
  pictures: [],
  links: noLinks,
  terms: defaultTerms,
  adapters: noAdapters,
  prices: {},
  leastPrices: null,
  offers: [],
  bundle: null,
  templateId: null,
} as const satisfies Partial<Product>;

export const listingLimits = {
  title: 120,
  tagline: 60,
  descriptionAtLeast: 20,
  description: 20_000,
  word: 50,
  words: 20,
  sellerName: 80,
} as const;

/** Returns the cents of a price in US dollars (`49`, `49.9`, `49.99`), or `undefined` if the text is no price. */
export function parsePrice(text: string): number | undefined {
  const [, dollars, cents = ''] = /^(\d{1,7})(?:\.(\d{1,2}))?$/.exec(text) ?? [];
  return dollars === undefined ? undefined : Number(dollars) * 100 + Number(cents.padEnd(2, '0'));
}

/** Formats cents as dollars with two decimals. */
export function formatPrice(cents: number): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}

/** Whether everybody may see the product. */
export function isPublic(product: Pick<Product, 'status' | 'isLive'>): boolean {
  return product.status === 'published' && product.isLive;
}

const slugLength = 80;
/** The characters of the number after the slug of a title that many products have. */
const longestSuffix = 10;

/**
 * Turns a title into a slug: lower-case ASCII letters and digits, with single hyphens between them. A slug is never
 * only digits, so that it cannot be mistaken for an id.
 */
export function slugOf(title: string, transliterate: Transliterate): string {
  const slug = transliterate(title)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, slugLength)
    .replace(/^-+|-+$/g, '');
  return /^\d*$/.test(slug) ? ['product', slug].filter(Boolean).join('-').slice(0, slugLength) : slug;
}

/** Whether a product can have this slug. */
export function isProductSlug(text: string): boolean {
  return text.length <= slugLength + longestSuffix && /^(?=.*[a-z-])[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text);
}

/** Returns the first of `slug`, `slug-2`, `slug-3` … that is not taken. */
export function freeSlug(slug: string, taken: ReadonlySet<string>): string {
  if (!taken.has(slug)) return slug;
  for (let suffix = 2; ; suffix++) {
    const candidate = `${slug}-${suffix}`;
    if (!taken.has(candidate)) return candidate;
  }
}
