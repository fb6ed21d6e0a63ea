import type { Caller } from '../accounts/accounts.ts';
import { event } from '../events/event.ts';
import type { Clock } from '../ports/clock.ts';
import type { Page, ProductStore, PublicPlace } from '../ports/product-store.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { LoadTransliterate } from '../ports/transliterate.ts';
import type { UploadLog } from '../ports/upload-log.ts';
import { isRefused, type Refused } from '../refusal.ts';
import { type Folder, newStorageKey } from '../storage-key.ts';
import type { CheckedFile } from './checked-file.ts';
import { folderOf } from './file-visibility.ts';
import type { LoadParsePattern } from './preview-pattern.ts';
import { type Listing, newOffer, type Product, slugOf } from './product.ts';
import { checkedTerms } from './product-terms.ts';
import { firstVersion } from './product-version.ts';
import { type PublicProducts, publicProducts } from './public-products.ts';
import type { Storing } from './storing.ts';

/** The parts of a seller's offer besides the listing. */
export type Offer = Pick<Product, 'sellerName' | 'terms'>;

/** The operations of sellers on their own products and files, in the mode of their API key, and what everybody sees. */
export interface Marketplace {
  /**
   * Stores a product and its files, for approval. Its licenses have the default terms. If it throws, nothing is stored,
   * except after `OutcomeUnknown`.
   */
  publish(
    caller: Caller,
    listing: Listing,
    zip: CheckedFile,
    thumbnail: CheckedFile,
  ): Promise<Product | Refused<'quota_exceeded'>>;
  /** As `publish`, with the name of the seller and the terms of the licenses. */
  publishOffer(
    caller: Caller,
    offer: Listing & Offer,
    zip: CheckedFile,
    thumbnail: CheckedFile,
  ): Promise<Product | Refused<'quota_exceeded' | 'invalid_terms'>>;
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

export function createMarketplace(
  store: ProductStore,
  uploads: UploadLog,
  storing: Storing,
  clock: Clock,
  secrets: Secrets,
  loadTransliterate: LoadTransliterate,
  loadParsePattern: LoadParsePattern,
): Marketplace {
  const newKey = (folder: Folder, { kind }: CheckedFile) => newStorageKey(secrets, folder, kind);

  async function add(
    { user, mode }: Caller,
    offer: Listing & Offer,
    zip: CheckedFile,
    thumbnail: CheckedFile,
  ): Promise<Product | Refused<'quota_exceeded'>> {
    const now = clock.now();
    const zipKey = newKey('products', zip);
    const thumbnailKey = newKey(folderOf[mode], thumbnail);
    const product = {
      ...newOffer,
      ...offer,
      version: firstVersion,
      slug: slugOf(offer.title, await loadTransliterate()),
      status: 'pending',
      ownerId: user.id,
      isLive: mode === 'live',
      zip: zipKey,
      thumbnail: thumbnailKey,
      createdAt: now,
      updatedAt: now,
    } as const;
    const version = { number: firstVersion, notes: '', zip: zipKey, size: zip.size, createdAt: now };
    return await storing.store(
      user,
      [
        [zipKey, zip],
        [thumbnailKey, thumbnail],
      ],
      () => store.add(product, (slug) => event('product.published', slug, { actor: user.email }, now), version),
    );
  }

  return {
    publish: (caller, listing, zip, thumbnail) => {
      const { sellerName, terms } = newOffer;
      return add(caller, { ...listing, sellerName, terms }, zip, thumbnail);
    },

    async publishOffer(caller, offer, zip, thumbnail) {
      const terms = checkedTerms(offer.terms, await loadParsePattern());
      return isRefused(terms) ? terms : await add(caller, { ...offer, terms }, zip, thumbnail);
    },

    own: ({ user, mode }, page, perPage) =>
      store.list({ ownerId: user.id, isLive: mode === 'live' }, (page - 1) * perPage, perPage),

    async upload(caller, file) {
      const { user, mode } = caller;
      const key = newKey(folderOf[mode], file);
      const upload = { userId: user.id, isLive: mode === 'live', key, size: file.size, at: clock.now() };
      return await storing.store(user, [[key, file]], async () => {
        await uploads.add(upload);
        return key;
      });
    },

    room: ({ user }, bytes) => storing.room(user, bytes),

    findBySlug: (slug) => store.findBySlug(slug),

    published: (place, perPage) => publicProducts(store, place, perPage),
  };
}
