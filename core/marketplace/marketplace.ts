import type { Caller } from '../accounts/accounts.ts';
import { event } from '../events/event.ts';
import type { Clock } from '../ports/clock.ts';
import type { Page, ProductStore } from '../ports/product-store.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { LoadTransliterate } from '../ports/transliterate.ts';
import type { UploadLog } from '../ports/upload-log.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { type Folder, newStorageKey } from '../storage-key.ts';
import { type BundledProduct, bundleLimits, checkedBundle } from './bundle.ts';
import type { CheckedFile } from './checked-file.ts';
import { folderOf } from './file-visibility.ts';
import { checkedPrices } from './price-list.ts';
import { blankProduct, type Listing, type Product, slugOf } from './product.ts';
import { checkedTerms, type LoadParsePattern } from './product-terms.ts';
import { firstVersion } from './product-version.ts';
import { beginning } from './review-policy.ts';
import type { Reviewers } from './reviewers.ts';
import { needingSeller, type SellingPolicy } from './selling-policy.ts';
import type { Storing } from './storing.ts';

/** The parts of a product that its seller chooses, besides the listing. */
export type ChosenParts = Pick<Product, 'sellerName' | 'links' | 'terms' | 'prices' | 'leastPrices'>;

/** The operations of sellers on their own products and files, in the mode of their API key. */
export interface Marketplace {
  /** Refuses a caller who cannot sell new products here. `publish` and `publishWith` refuse them too. */
  mayPublish(caller: Caller): undefined | Refused<'forbidden'>;
  /**
   * Stores a product and its files, for approval. Its licenses have the default terms. If it throws, nothing is stored,
   * except after `OutcomeUnknown`.
   */
  publish(
    caller: Caller,
    listing: Listing,
    zip: CheckedFile,
    thumbnail: CheckedFile,
  ): Promise<Product | Refused<'quota_exceeded' | 'forbidden'>>;
  /** As `publish`, with the name of the seller and the terms of the licenses, and possibly without a picture. */
  publishWith(
    caller: Caller,
    chosen: Listing & ChosenParts,
    zip: CheckedFile,
    thumbnail: CheckedFile | undefined,
  ): Promise<Product | Refused<'quota_exceeded' | 'invalid_terms' | 'invalid_prices' | 'forbidden'>>;
  /** As `publishWith`, for a bundle: it has no files. */
  publishBundle(
    caller: Caller,
    chosen: Listing & ChosenParts,
    bundle: readonly BundledProduct[],
  ): Promise<
    Product | Refused<'invalid_terms' | 'invalid_prices' | 'invalid_bundle' | 'too_many_bundles' | 'forbidden'>
  >;
  /** Newest first. Page numbers start at 1. */
  own(caller: Caller, page: number, perPage: number): Promise<Page<Product>>;
  /** Stores a file for use in a listing, and returns its storage key. */
  upload(caller: Caller, file: CheckedFile): Promise<string | Refused<'quota_exceeded'>>;
  /** Refuses if the account has no room for this number of bytes now. */
  room(caller: Caller, bytes: number): Promise<undefined | Refused<'quota_exceeded'>>;
  findBySlug(slug: string): Promise<Product | undefined>;
}

type StoredFile = readonly [key: string, file: CheckedFile];

interface MarketplacePorts {
  readonly store: ProductStore;
  readonly uploads: UploadLog;
  readonly storing: Storing;
  readonly reviewers: Pick<Reviewers, 'toTell'>;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly loadTransliterate: LoadTransliterate;
  readonly loadParsePattern: LoadParsePattern;
  sellingPolicy(): SellingPolicy;
}

export function createMarketplace({
  store,
  uploads,
  storing,
  reviewers,
  clock,
  secrets,
  loadTransliterate,
  loadParsePattern,
  sellingPolicy,
}: MarketplacePorts): Marketplace {
  const newKey = (folder: Folder, { kind }: CheckedFile) => newStorageKey(secrets, folder, kind);

  const mayPublish: Marketplace['mayPublish'] = ({ user }) => needingSeller(sellingPolicy(), user);

  async function add(
    caller: Caller,
    chosen: Listing & ChosenParts,
    zip: CheckedFile,
    thumbnail: CheckedFile | undefined,
  ): Promise<Product | Refused<'quota_exceeded' | 'forbidden'>> {
    const refused = mayPublish(caller);
    if (refused) return refused;
    const file = [newKey('products', zip), zip] as const;
    const picture = thumbnail && ([newKey(folderOf[caller.mode], thumbnail), thumbnail] as const);
    const files = picture ? [file, picture] : [file];
    const { product, eventOf, version, newsOf } = await newProductOf(caller, chosen, file, picture);
    return await storing.store(caller.user, files, () => store.add(product, eventOf, version, newsOf));
  }

  /** Returns a new product, with all that the store needs to add it. */
  async function newProductOf(
    { user, mode, request }: Caller,
    chosen: Listing & ChosenParts & Partial<Pick<Product, 'bundle'>>,
    file?: StoredFile,
    picture?: StoredFile,
  ) {
    const now = clock.now();
    const product = {
      ...blankProduct,
      ...chosen,
      version: file ? firstVersion : null,
      slug: slugOf(chosen.title, await loadTransliterate()),
      ...beginning(user),
      ownerId: user.id,
      isLive: mode === 'live',
      zip: file?.[0] ?? null,
      thumbnail: picture?.[0] ?? null,
      createdAt: now,
      updatedAt: now,
    } as const;
    const tellReviewers = await reviewers.toTell({ kind: 'user', user });
    const version = file && { number: firstVersion, notes: '', zip: file[0], size: file[1].size, createdAt: now };
    return {
      product,
      version,
      eventOf: (slug: string) => event('product.published', slug, { actor: user.email, request }, now),
      newsOf: (added: Product) => tellReviewers(undefined, added, now),
    };
  }

  return {
    mayPublish,

    publish: (caller, listing, zip, thumbnail) => {
      const { sellerName, links, terms, prices, leastPrices } = blankProduct;
      return add(caller, { ...listing, sellerName, links, terms, prices, leastPrices }, zip, thumbnail);
    },

    async publishWith(caller, chosen, zip, thumbnail) {
      const terms = checkedTerms(chosen.terms, await loadParsePattern());
      if (isRefused(terms)) return terms;
      const prices = checkedPrices(chosen);
      return isRefused(prices) ? prices : await add(caller, { ...chosen, terms, ...prices }, zip, thumbnail);
    },

    async publishBundle(caller, chosen, bundle) {
      const refused = mayPublish(caller);
      if (refused) return refused;
      const terms = checkedTerms(chosen.terms, await loadParsePattern());
      if (isRefused(terms)) return terms;
      const { user, mode } = caller;
      const named = await store.findAll(bundle.map(({ productId }) => productId));
      const checked = checkedBundle(
        { ...blankProduct, ownerId: user.id, isLive: mode === 'live', zip: null },
        bundle,
        named,
      );
      if (isRefused(checked)) return checked;
      const prices = checkedPrices(chosen);
      if (isRefused(prices)) return prices;
      const { product, eventOf, newsOf } = await newProductOf(caller, { ...chosen, terms, ...prices, bundle: checked });
      const { ofAccount } = bundleLimits;
      const added = await store.addWithoutFiles({ ...product, zip: null }, eventOf, ofAccount, newsOf);
      if (!isRefused(added)) return added;
      return refuse(
        'too_many_bundles',
        `An account can have ${ofAccount} products without files, also counting archived ones.`,
      );
    },

    own: ({ user, mode }, page, perPage) =>
      store.list({ ownerId: user.id, isLive: mode === 'live' }, (page - 1) * perPage, perPage),

    async upload(caller, file) {
      const { user, mode, request } = caller;
      const key = newKey(folderOf[mode], file);
      const upload = { userId: user.id, isLive: mode === 'live', key, size: file.size, at: clock.now(), request };
      return await storing.store(user, [[key, file]], async () => {
        await uploads.add(upload);
        return key;
      });
    },

    room: ({ user }, bytes) => storing.room(user, bytes),

    findBySlug: (slug) => store.findBySlug(slug),
  };
}
