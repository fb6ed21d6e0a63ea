import type { Caller } from '../accounts/accounts.ts';
import { type By, type EventType, event } from '../events/event.ts';
import { isId } from '../id.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileStorage } from '../ports/file-storage.ts';
import type { Page, ProductFilter, ProductStore } from '../ports/product-store.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { UploadLog } from '../ports/upload-log.ts';
import { randomHex } from '../random-hex.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { type Listing, type Product, type ProductTransition, slugOf, transitProduct } from './product.ts';

/** A file that was looked at and found good, waiting on this machine to be stored. */
export interface CheckedFile {
  readonly path: string;
  readonly kind: 'zip' | 'png' | 'jpg';
  /** Bytes. */
  readonly size: number;
}

/** What sellers do. Everything is the caller's own, and of the mode of the caller's key. */
export interface Marketplace {
  /** Lists a product for approval. Its files are stored with it, or nothing is. */
  publish(caller: Caller, listing: Listing, zip: CheckedFile, thumbnail: CheckedFile): Promise<Product>;
  /** Newest first; pages are counted from 1. */
  own(caller: Caller, page: number, perPage: number): Promise<Page<Product>>;
  /** Stores a file for use in a listing, and answers the key it is stored under. */
  upload(caller: Caller, file: CheckedFile): Promise<string>;
  findBySlug(slug: string): Promise<Product | undefined>;
}

/** What administrators do with products. */
export interface MarketplaceAdministration {
  /** Adds a product to issue licenses for, which is not listed. */
  add(product: { title: string; ownerId: number | null }, by: By): Promise<Product>;
  /** By id, written in digits, or by slug. */
  find(idOrSlug: string): Promise<Product | Refused<'product_not_found'>>;
  list(filter: ProductFilter, page: number, perPage: number): Promise<Page<Product>>;
  change(
    idOrSlug: string,
    transition: ProductTransition,
    by: By,
  ): Promise<Product | Refused<'product_not_found' | 'transition_not_allowed'>>;
}

export function createMarketplace(
  store: ProductStore,
  uploads: UploadLog,
  files: FileStorage,
  clock: Clock,
  secrets: Secrets,
): Marketplace {
  const newKey = (folder: string, { kind }: CheckedFile) => `${folder}/${randomHex(secrets, 16)}.${kind}`;

  /** Stores the files and does the work; where either fails, the files are taken away again. */
  async function storing<T>(stored: readonly [string, CheckedFile][], work: () => Promise<T>): Promise<T> {
    try {
      for (const [key, { path }] of stored) await files.put(key, path);
      return await work();
    } catch (error) {
      await Promise.allSettled(stored.map(([key]) => files.delete(key)));
      throw error;
    }
  }

  return {
    async publish({ user, mode }, listing, zip, thumbnail) {
      const now = clock.now();
      const zipKey = newKey('products', zip);
      const thumbnailKey = newKey('media', thumbnail);
      const product = {
        ...listing,
        slug: slugOf(listing.title),
        status: 'pending',
        ownerId: user.id,
        isLive: mode === 'live',
        zip: zipKey,
        thumbnail: thumbnailKey,
        createdAt: now,
        updatedAt: now,
      } as const;
      return await storing(
        [
          [zipKey, zip],
          [thumbnailKey, thumbnail],
        ],
        () => store.add(product, (slug) => event('product.published', slug, { actor: user.email }, now)),
      );
    },

    own: ({ user, mode }, page, perPage) =>
      store.list({ ownerId: user.id, isLive: mode === 'live' }, (page - 1) * perPage, perPage),

    async upload({ user, mode }, file) {
      const key = newKey('media', file);
      const upload = { userId: user.id, isLive: mode === 'live', key, size: file.size, at: clock.now() };
      await storing([[key, file]], () => uploads.add(upload));
      return key;
    },

    findBySlug: (slug) => store.findBySlug(slug),
  };
}

const eventOf = {
  approve: 'product.approved',
  reject: 'product.rejected',
  unlist: 'product.unlisted',
  resubmit: 'product.resubmitted',
} as const satisfies Record<ProductTransition, EventType>;

export function createMarketplaceAdministration(store: ProductStore, clock: Clock): MarketplaceAdministration {
  async function find(idOrSlug: string): Promise<Product | Refused<'product_not_found'>> {
    const product = isId(idOrSlug) ? await store.findById(Number(idOrSlug)) : await store.findBySlug(idOrSlug);
    return product ?? refuse('product_not_found', `No product has the id or slug ${idOrSlug}.`);
  }

  return {
    find,

    async add({ title, ownerId }, by) {
      const now = clock.now();
      return await store.add(
        { ...unlisted, slug: slugOf(title), title, ownerId, createdAt: now, updatedAt: now },
        (slug) => event('product.added', slug, by, now, { title }),
      );
    },

    list: (filter, page, perPage) => store.list(filter, (page - 1) * perPage, perPage),

    async change(idOrSlug, transition, by) {
      const found = await find(idOrSlug);
      if (isRefused(found)) return found;
      const changed = await store.change(found.id, (before) => {
        const now = clock.now();
        const product = transitProduct(before, transition, now);
        return isRefused(product) ? product : { product, event: event(eventOf[transition], before.slug, by, now) };
      });
      return changed ?? refuse('product_not_found');
    },
  };
}

/** What a product has of a listing that nobody wrote one for. */
const unlisted = {
  status: 'unlisted',
  isLive: true,
  tagline: '',
  description: '',
  price: 0,
  module: 'custom',
  variant: null,
  category: null,
  subcategory: null,
  tags: [],
  blockchains: [],
  isSupported: false,
  zip: null,
  thumbnail: null,
} as const;
