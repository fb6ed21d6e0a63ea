import type { Event } from '../events/event.ts';
import type { ProductId, UserId } from '../id.ts';
import type { AdaptedProduct, ComparedProduct, Product, ProductStatus } from '../marketplace/product.ts';
import type { DeletableVersion, NewVersion, ProductVersion } from '../marketplace/product-version.ts';
import type { Place } from '../place.ts';
import type { Refused } from '../refusal.ts';
import type { Change, ChangeById, News } from './change.ts';
import type { Instant } from './clock.ts';

/** One page of a list, and the length of the whole list. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
}

export interface ProductFilter {
  readonly ownerId?: UserId | undefined;
  readonly isLive?: boolean | undefined;
  readonly status?: ProductStatus | undefined;
  /** Otherwise newest first. */
  readonly isOldestFirst?: boolean | undefined;
}

/** The status of a product that is not archived, or `archived`. */
export type ProductState = ProductStatus | 'archived';

/** `text` is the text by which a search found the product. */
export type ProductPlace = Place<ProductId>;

export interface ProductSearch {
  readonly isLive: boolean;
  /** `undefined` means those of all owners. */
  readonly ownerId: UserId | undefined;
  /** The beginning of a word in the title, or of the slug, and what follows. In upper or lower case. */
  readonly search?: string | undefined;
  /** Without it, all products that are not archived. */
  readonly state?: ProductState | undefined;
  /** The place of the previous page. */
  readonly after?: ProductPlace | undefined;
  readonly limit: number;
  /** Whether only these are wanted, and not what follows: `next` is `undefined`, which saves a read. */
  readonly isOnlyPage?: boolean | undefined;
}

/** A page of a search. `next` is `undefined` after the last page. */
export interface ProductPage {
  readonly items: readonly Product[];
  readonly next: ProductPlace | undefined;
}

/** The decision to add a version. */
export interface VersionChange extends Change<Product> {
  readonly event: Event;
  readonly version: NewVersion;
}

export interface VersionPage {
  /** Only versions before the one with this ordinal. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** Which version of a product a buyer may have. */
export interface VersionWish {
  readonly productId: ProductId;
  /** The number of the version that was agreed. Older ones are left out. `null` if there was none, or for all. */
  readonly agreed: string | null;
  /** Later versions are left out, except the agreed one and those for everybody. `null` leaves out none. */
  readonly updatesUntil: Instant | null;
}

/** Products of the marketplace. */
export interface ProductStore {
  /**
   * Adds a product under its slug, or under the slug with the lowest free suffix, with its first version. `eventOf` gets
   * the final slug, and `newsOf` the stored product.
   */
  add(
    product: Omit<Product, 'id'>,
    eventOf: (slug: string) => Event,
    version?: NewVersion,
    newsOf?: (added: Product) => News,
  ): Promise<Product>;
  /**
   * As `add`, for a product without files. Refuses if its owner has added `most` of them already. Those that are added at once are
   * counted one by one.
   */
  addWithoutFiles(
    product: Omit<Product, 'id'> & { readonly ownerId: UserId; readonly zip: null },
    eventOf: (slug: string) => Event,
    most: number,
    newsOf?: (added: Product) => News,
  ): Promise<Product | Refused<'too_many_bundles'>>;
  findById(id: ProductId): Promise<Product | undefined>;
  findBySlug(slug: string): Promise<Product | undefined>;
  /** Those of these products that exist, in any order. */
  findAll(ids: readonly ProductId[]): Promise<readonly Product[]>;
  /** As `findById`, but reads only what clients of other systems need. */
  findAdapted(id: ProductId): Promise<AdaptedProduct | undefined>;
  /** The public product that lets clients of EDD Software Licensing in under this id of theirs. The oldest one, if there are several. */
  findPublicEddItem(itemId: number): Promise<Product | undefined>;
  /** All products for which somebody has set an adapter, switched on or not, in any order. Reads no more of them. */
  withAdapters(): Promise<readonly ComparedProduct[]>;
  /** Returns at most `limit` products from `offset` on. `total` counts all that match the filter. */
  list(filter: ProductFilter, offset: number, limit: number): Promise<Page<Product>>;
  /** Counts the live products that wait for approval, up to `most`. May be some seconds old. */
  countWaiting(most: number): Promise<number>;
  /**
   * Returns a page of the products of one mode: newest first, or with `search` in the order of the matching texts. Each
   * product is listed once, by its first matching text. The page can be short or empty and have a `next`: a call looks at
   * a bounded number of products. May be some seconds old.
   */
  search(filter: ProductSearch): Promise<ProductPage>;
  /** Nothing else changes the product in between. Returns `undefined` if the product does not exist. */
  readonly change: ChangeById<ProductId, Product>;
  /**
   * As `change`, and adds the version, which gets the next ordinal. `taken` are the numbers of the product's versions, in
   * their order.
   */
  addVersion<R extends string = never>(
    id: ProductId,
    decide: (before: Product, taken: readonly string[]) => VersionChange | Refused<R>,
  ): Promise<{ readonly product: Product; readonly version: ProductVersion } | Refused<R> | undefined>;
  /**
   * Deletes the version with this number. Its zip is not referred to any more from the time of the event on. `decide`
   * gets `undefined` if there is no such version. Nothing else changes the product or its versions in between. Returns
   * `undefined` if the product does not exist.
   */
  deleteVersion<R extends string = never>(
    id: ProductId,
    number: string,
    decide: (product: Product, found: DeletableVersion | undefined) => Event | Refused<R>,
  ): Promise<Product | Refused<R> | undefined>;
  /** Newest first. */
  versions(id: ProductId, page: VersionPage): Promise<ProductVersion[]>;
  /**
   * The number of the newest version for each of these wishes, in their order. While a product waits for a review, that is the
   * agreed one. One statement, however many they are.
   */
  newestFor(wishes: readonly VersionWish[]): Promise<readonly (string | undefined)[]>;
  /** Returns the version with this number, or the newest one without a number. */
  findVersion(id: ProductId, number: string | undefined): Promise<ProductVersion | undefined>;
  /** Whether a version of the product has this stored file. */
  hasFile(id: ProductId, zip: string): Promise<boolean>;
}
