import type { Caller } from '../accounts/accounts.ts';
import { needing } from '../accounts/tier.ts';
import { type By, type EventType, event } from '../events/event.ts';
import { parseId, toProductId, type UserId } from '../id.ts';
import { NothingStored } from '../nothing-stored.ts';
import { OutcomeUnknown } from '../outcome-unknown.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileLedger } from '../ports/file-ledger.ts';
import type { FileStorage } from '../ports/file-storage.ts';
import type { Page, ProductFilter, ProductStore, PublicPlace } from '../ports/product-store.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { LoadTransliterate } from '../ports/transliterate.ts';
import type { UploadLog } from '../ports/upload-log.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { type Folder, newStorageKey } from '../storage-key.ts';
import type { CheckedFile } from './checked-file.ts';
import { folderOf } from './file-visibility.ts';
import { type Listing, type Product, type ProductTransition, slugOf, transitProduct } from './product.ts';
import { type PublicProducts, publicProducts } from './public-products.ts';
import { quotaExceeded, type StorageAllowance } from './storage-quota.ts';
import type { Withdrawals } from './withdrawals.ts';

/** The operations of sellers on their own products and files, in the mode of their API key, and what everybody sees. */
export interface Marketplace {
  /** Stores a product and its files, for approval. If it throws, nothing is stored, except after `OutcomeUnknown`. */
  publish(
    caller: Caller,
    listing: Listing,
    zip: CheckedFile,
    thumbnail: CheckedFile,
  ): Promise<Product | Refused<'quota_exceeded'>>;
  /** Newest first. Page numbers start at 1. */
  own(caller: Caller, page: number, perPage: number): Promise<Page<Product>>;
  /** Stores a file for use in a listing, and returns its storage key. */
  upload(caller: Caller, file: CheckedFile): Promise<string | Refused<'quota_exceeded'>>;
  /** Refuses if the account has no room for this number of bytes now. */
  room(caller: Caller, bytes: number): Promise<undefined | Refused<'quota_exceeded'>>;
  findBySlug(slug: string): Promise<Product | undefined>;
  /** Returns the page of the public products at a place, or the first page. */
  published(place: PublicPlace | undefined, perPage: number): Promise<PublicProducts>;
}

/** The operations of administrators on products. */
export interface MarketplaceAdministration {
  /** Adds an unlisted product, so that licenses can be issued for it. */
  add(product: { title: string; ownerId: UserId | null }, by: By): Promise<Product>;
  /** Accepts an id in digits, or a slug. */
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
  ledger: FileLedger,
  withdrawals: Withdrawals,
  clock: Clock,
  secrets: Secrets,
  loadTransliterate: LoadTransliterate,
  allowances: StorageAllowance,
): Marketplace {
  const newKey = (folder: Folder, { kind }: CheckedFile) => newStorageKey(secrets, folder, kind);

  /**
   * Counts and stores a seller's files, then does the work. If this fails, it deletes the files, unless the work may
   * have been done. In that case the files stay, and the sweep deletes them later if nothing refers to them.
   */
  async function storing<T>(
    { user }: Caller,
    stored: readonly [string, CheckedFile][],
    work: () => Promise<T>,
  ): Promise<T | Refused<'quota_exceeded'>> {
    const refused = needing('marketplace_publish', user.tier, 'Publishing');
    if (refused !== undefined) return refused;
    const added = stored.map(([key, { size }]) => ({ key, size }));
    const allowed = allowances[user.tier];
    const { isAdded, used } = await ledger.add(user.id, added, allowed, clock.now());
    if (!isAdded) return quotaExceeded(bytesOf(added), used, allowed);
    const begun: string[] = [];
    try {
      for (const [key, { path }] of stored) {
        begun.push(key);
        await files.put(key, path);
      }
      return await work();
    } catch (error) {
      if (error instanceof OutcomeUnknown) throw error;
      if (error instanceof NothingStored) begun.pop();
      const others = stored.map(([key]) => key).filter((key) => !begun.includes(key));
      await withdrawals.takeBack(begun, others);
      throw error;
    }
  }

  return {
    async publish(caller, listing, zip, thumbnail) {
      const { user, mode } = caller;
      const now = clock.now();
      const zipKey = newKey('products', zip);
      const thumbnailKey = newKey(folderOf[mode], thumbnail);
      const product = {
        ...listing,
        slug: slugOf(listing.title, await loadTransliterate()),
        status: 'pending',
        ownerId: user.id,
        isLive: mode === 'live',
        zip: zipKey,
        thumbnail: thumbnailKey,
        createdAt: now,
        updatedAt: now,
      } as const;
      return await storing(
        caller,
        [
          [zipKey, zip],
          [thumbnailKey, thumbnail],
        ],
        () => store.add(product, (slug) => event('product.published', slug, { actor: user.email }, now)),
      );
    },

    own: ({ user, mode }, page, perPage) =>
      store.list({ ownerId: user.id, isLive: mode === 'live' }, (page - 1) * perPage, perPage),

    async upload(caller, file) {
      const { user, mode } = caller;
      const key = newKey(folderOf[mode], file);
      const upload = { userId: user.id, isLive: mode === 'live', key, size: file.size, at: clock.now() };
      return await storing(caller, [[key, file]], async () => {
        await uploads.add(upload);
        return key;
      });
    },

    async room({ user }, bytes) {
      const allowed = allowances[user.tier];
      const used = await ledger.used(user.id);
      return used + bytes > allowed ? quotaExceeded(bytes, used, allowed) : undefined;
    },

    findBySlug: (slug) => store.findBySlug(slug),

    published: (place, perPage) => publicProducts(store, place, perPage),
  };
}

function bytesOf(files: readonly { readonly size: number }[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}

const eventOf = {
  approve: 'product.approved',
  reject: 'product.rejected',
  unlist: 'product.unlisted',
  resubmit: 'product.resubmitted',
} as const satisfies Record<ProductTransition, EventType>;

export function createMarketplaceAdministration(
  store: ProductStore,
  clock: Clock,
  loadTransliterate: LoadTransliterate,
): MarketplaceAdministration {
  async function find(idOrSlug: string): Promise<Product | Refused<'product_not_found'>> {
    const id = parseId(idOrSlug, toProductId);
    const product = id === undefined ? await store.findBySlug(idOrSlug) : await store.findById(id);
    return product ?? unknown(idOrSlug);
  }

  return {
    find,

    async add({ title, ownerId }, by) {
      const now = clock.now();
      return await store.add(
        { ...unlisted, slug: slugOf(title, await loadTransliterate()), title, ownerId, createdAt: now, updatedAt: now },
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
        return isRefused(product)
          ? product
          : { after: product, event: event(eventOf[transition], before.slug, by, now) };
      });
      return changed ?? unknown(idOrSlug);
    },
  };
}

function unknown(idOrSlug: string): Refused<'product_not_found'> {
  return refuse('product_not_found', `No product has the id or slug ${idOrSlug}.`);
}

/** The listing of a product that an administrator added. */
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
