import { byOf, needing } from '../accounts/role.ts';
import { event } from '../events/event.ts';
import { type ProductId, toProductId, type UserId } from '../id.ts';
import type { CheckedFile } from '../marketplace/checked-file.ts';
import { unknownProduct } from '../marketplace/find-product.ts';
import { editProduct, type ListingEdit } from '../marketplace/listing-edit.ts';
import type { Product } from '../marketplace/product.ts';
import type { PictureChange, ProductPicture } from '../marketplace/product-pictures.ts';
import type { LoadParsePattern } from '../marketplace/product-terms.ts';
import type { ProductTransition } from '../marketplace/product-transitions.ts';
import type { KeptBecause, ProductVersion } from '../marketplace/product-version.ts';
import type { TransitProduct } from '../marketplace/transit-product.ts';
import { formatPlace, parsePlace } from '../place.ts';
import type { Instant } from '../ports/clock.ts';
import type { ProductState } from '../ports/product-store.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { isSame } from '../same.ts';
import type { DownloadLink } from '../templates/templates.ts';
import { createProductFiles, type ProductFilePorts } from './product-files.ts';
import { findProductOf, reachableBy, reaches, type Seller } from './seller.ts';

type Unknown = 'product_not_found';
/** An archived product is never changed. */
type Unchangeable = Unknown | 'product_archived';

export interface OwnProductFilter {
  /** Can only narrow: a plain user never sees the products of others. */
  readonly ownerId?: UserId | undefined;
  /** The beginning of a word in the title, or of the slug, and what follows. In upper or lower case. */
  readonly search?: string | undefined;
  /** Without it, all products that are not archived. */
  readonly state?: ProductState | undefined;
  /** The `next` of the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** A page of a list. */
export interface OwnProducts {
  readonly products: readonly Product[];
  /** The place of the next page. `null` after the last page. */
  readonly next: string | null;
}

export interface VersionQuery {
  /** The `next` of the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** A page of the versions of a product. */
export interface Versions {
  readonly versions: readonly ProductVersion[];
  /** The place of the next page. `null` after the last page. */
  readonly next: string | null;
}

export interface VersionFacts {
  /** Without it, the next whole number. */
  readonly number?: string | undefined;
  readonly notes: string;
  /** See `ProductVersion`. */
  readonly isForEverybody?: boolean;
}

/**
 * The operations of sellers on their products, and of administrators on all products. Each needs `products:manage`, and
 * works only with products of the seller's mode. Products of others are unknown. Accepts an id in digits, or a slug.
 */
export interface SellerProducts {
  /** Newest first, or with `search` in the order of the matching texts. A page can be short and not be the last. */
  list(filter: OwnProductFilter, seller: Seller): Promise<OwnProducts | Refused<'forbidden' | 'unknown_place'>>;
  show(idOrSlug: string, seller: Seller): Promise<Product | Refused<Unknown>>;
  /** Those of these products that exist and that the seller manages, in any order. One statement, however many they are. */
  named(ids: readonly ProductId[], seller: Seller): Promise<readonly Product[]>;
  /**
   * Changes the given fields. A published product stays published. Without a difference, nothing is written. With `seen`, refuses
   * if the product is not as it was seen.
   */
  change(
    idOrSlug: string,
    edit: ListingEdit,
    seller: Seller,
    seen?: Product,
  ): Promise<Product | Refused<Unchangeable | 'invalid_terms' | 'invalid_prices' | 'changed_meanwhile'>>;
  /**
   * Approving and rejecting need `products:moderate`, and notify the owner. The reason of a rejection is the reason of
   * the actor. With `seenAt`, the time of the last change that the caller has seen, refuses if the product has changed
   * since then.
   */
  transit(
    idOrSlug: string,
    transition: ProductTransition,
    seller: Seller,
    seenAt?: Instant,
  ): Promise<Product | Refused<Unknown | 'forbidden' | 'transition_not_allowed'>>;
  /** Refuses if the product is unknown, or if the files of its owner have no room for this number of bytes now. */
  room(idOrSlug: string, bytes: number, seller: Seller): Promise<undefined | Refused<Unknown | 'quota_exceeded'>>;
  /** Newest first. */
  versions(
    idOrSlug: string,
    page: VersionQuery,
    seller: Seller,
  ): Promise<Versions | Refused<Unknown | 'unknown_place'>>;
  /**
   * Stores a zip as the newest version. It counts for the owner. If it is refused or throws, nothing is stored, except
   * after `OutcomeUnknown`. With `REVIEW=every`, a published product waits for approval again.
   */
  addVersion(
    idOrSlug: string,
    version: VersionFacts,
    zip: CheckedFile,
    seller: Seller,
  ): Promise<
    | { readonly product: Product; readonly version: ProductVersion }
    | Refused<
        | Unchangeable
        | 'quota_exceeded'
        | 'version_exists'
        | 'invalid_number'
        | 'too_many_versions'
        | 'bundle_without_files'
      >
  >;
  /**
   * Deletes a version that buyers do not need, also of an archived product. Its zip counts for the owner until the sweep
   * has deleted it, a day later or two.
   */
  deleteVersion(
    idOrSlug: string,
    number: string,
    seller: Seller,
  ): Promise<Product | Refused<Unknown | 'version_not_found' | KeptBecause>>;
  /** Adds a picture that the seller has uploaded, as the last one. */
  addPicture(
    idOrSlug: string,
    picture: ProductPicture,
    seller: Seller,
  ): Promise<Product | Refused<Unknown | 'product_archived' | 'too_many_pictures'>>;
  changePicture(
    idOrSlug: string,
    key: string,
    change: PictureChange,
    seller: Seller,
  ): Promise<Product | Refused<Unknown | 'product_archived' | 'picture_not_found'>>;
  /** Stores another thumbnail. Otherwise as `addVersion`. */
  setThumbnail(
    idOrSlug: string,
    image: CheckedFile,
    seller: Seller,
  ): Promise<Product | Refused<Unchangeable | 'quota_exceeded'>>;
  /** Returns a link to the zip of a version, or of the newest one. */
  download(
    idOrSlug: string,
    number: string | undefined,
    seller: Seller,
  ): Promise<DownloadLink | Refused<Unknown | 'version_not_found'>>;
}

/** The transitions that decide about the publication of a product. */
const moderated: readonly ProductTransition[] = ['approve', 'reject'];

interface SellerProductPorts extends ProductFilePorts {
  readonly transit: TransitProduct;
  readonly loadParsePattern: LoadParsePattern;
}

export function createSellerProducts(ports: SellerProductPorts): SellerProducts {
  const { store, clock, transit, loadParsePattern } = ports;
  const find = (idOrSlug: string, seller: Seller) => findProductOf(store, idOrSlug, seller, 'products:manage');
  return {
    ...createProductFiles(ports),
    show: find,

    async named(ids, seller) {
      const found = await store.findAll(ids);
      return found.filter((product) => reaches(seller, 'products:manage', product));
    },

    async list({ after, ownerId, ...filter }, seller) {
      const reachable = reachableBy(seller, 'products:manage');
      if (reachable === undefined) return refuse('forbidden', 'This needs the right products:manage.');
      const place = after === undefined ? undefined : parsePlace(after, toProductId);
      if (isRefused(place)) return place;
      const { items, next } = await store.search({
        ...filter,
        isLive: reachable.isLive,
        ownerId: reachable.ownerId ?? ownerId,
        after: place,
      });
      return { products: items, next: next === undefined ? null : formatPlace(next) };
    },

    async change(idOrSlug, edit, seller, seen) {
      const product = await find(idOrSlug, seller);
      if (isRefused(product)) return product;
      const parsePattern = await loadParsePattern();
      const changed = await store.change(product.id, (before) => {
        if (seen !== undefined && !isSame(before, seen)) return refuse('changed_meanwhile');
        const now = clock.now();
        const edited = editProduct(before, edit, now, parsePattern);
        if (isRefused(edited)) return edited;
        const { after, fields } = edited;
        if (fields.length === 0) return { after };
        const told = { fields: fields.join(', ') };
        return { after, event: event('product.changed', before.slug, byOf(seller.actor), now, told) };
      });
      return changed ?? unknownProduct(idOrSlug);
    },

    async transit(idOrSlug, transition, seller, seenAt) {
      const product = await find(idOrSlug, seller);
      if (isRefused(product)) return product;
      const refused = moderated.includes(transition) ? needing(seller.actor, 'products:moderate') : undefined;
      return refused ?? (await transit(product, transition, seller.actor, seenAt)) ?? unknownProduct(idOrSlug);
    },
  };
}
