import { byOf } from '../accounts/role.ts';
import type { User } from '../accounts/user.ts';
import { type Event, event } from '../events/event.ts';
import { folderOf } from '../marketplace/file-visibility.ts';
import { unknownProduct } from '../marketplace/find-product.ts';
import { archived } from '../marketplace/listing-edit.ts';
import type { Product } from '../marketplace/product.ts';
import { changedPictures, withPicture } from '../marketplace/product-pictures.ts';
import { isVersionNumber, nextNumber, refusingNeeded, versionLimits } from '../marketplace/product-version.ts';
import type { ReviewPolicy } from '../marketplace/review-policy.ts';
import { withNewFile } from '../marketplace/review-policy.ts';
import type { Reviewers } from '../marketplace/reviewers.ts';
import type { Storing } from '../marketplace/storing.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileStorage } from '../ports/file-storage.ts';
import type { ProductStore } from '../ports/product-store.ts';
import type { Secrets } from '../ports/secrets.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { newStorageKey } from '../storage-key.ts';
import type { SellerProducts } from './products.ts';
import type { Seller } from './seller.ts';
import { findProductOf } from './seller.ts';

/** The dependencies of the use cases of files. */
export interface ProductFilePorts {
  readonly store: ProductStore;
  readonly accounts: Pick<AccountStore, 'findById'>;
  readonly files: Pick<FileStorage, 'link'>;
  readonly storing: Storing;
  readonly reviewers: Pick<Reviewers, 'toTell'>;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly review: ReviewPolicy;
  /** In milliseconds. */
  readonly linkLifetime: number;
}

type FileUseCases = Pick<
  SellerProducts,
  'room' | 'versions' | 'addVersion' | 'deleteVersion' | 'setThumbnail' | 'addPicture' | 'changePicture' | 'download'
>;

/** The use cases of sellers on the files of their products. */
export function createProductFiles({
  store,
  accounts,
  files,
  storing,
  reviewers,
  clock,
  secrets,
  review,
  linkLifetime,
}: ProductFilePorts): FileUseCases {
  const find = (idOrSlug: string, seller: Seller) => findProductOf(store, idOrSlug, seller, 'products:manage');

  /** The account for which the files of a product count. */
  async function ownerOf({ ownerId }: Product): Promise<User | undefined> {
    return ownerId === null ? undefined : await accounts.findById(ownerId);
  }

  async function setPictures<R extends string>(
    idOrSlug: string,
    seller: Seller,
    decide: (before: Product, owner: User | undefined) => Product | Refused<R>,
  ) {
    const product = await find(idOrSlug, seller);
    if (isRefused(product)) return product;
    const [tellReviewers, owner] = [await reviewers.toTell(seller.actor), await ownerOf(product)];
    const set = await store.change<R | 'product_archived'>(product.id, (before) => {
      if (before.archivedAt !== null) return archived();
      const decided = decide(before, owner);
      if (isRefused(decided)) return decided;
      const now = clock.now();
      const after = { ...decided, updatedAt: now };
      return {
        after,
        event: changed('product.changed', after, seller, { fields: 'pictures', status: after.status }),
        ...tellReviewers(before, after, now),
      };
    });
    return set ?? unknownProduct(idOrSlug);
  }

  return {
    async room(idOrSlug, bytes, seller) {
      const product = await find(idOrSlug, seller);
      return isRefused(product) ? product : await storing.room(await ownerOf(product), bytes);
    },

    async versions(idOrSlug, { after, limit }, seller) {
      const product = await find(idOrSlug, seller);
      if (isRefused(product)) return product;
      const isPlace = after === undefined || /^[1-9]\d{0,8}$/.test(after);
      if (!isPlace) return refuse('unknown_place', `${after} is no place in this list.`);
      const before = after === undefined ? undefined : Number(after);
      const found = await store.versions(product.id, { before, limit: limit + 1 });
      const versions = found.slice(0, limit);
      const last = found.length > limit ? versions.at(-1) : undefined;
      return { versions, next: last === undefined ? null : String(last.ordinal) };
    },

    async addVersion(idOrSlug, { number: wanted, notes, isForEverybody = false }, zip, seller) {
      const product = await find(idOrSlug, seller);
      if (isRefused(product)) return product;
      if (product.archivedAt !== null) return archived();
      if (wanted !== undefined && !isVersionNumber(wanted)) {
        return refuse('invalid_number', `${wanted} is no number of a version, such as 1.2.0.`);
      }
      const key = newStorageKey(secrets, 'products', zip.kind);
      const [tellReviewers, owner] = [await reviewers.toTell(seller.actor), await ownerOf(product)];
      const added = await storing.store(owner, [[key, zip]], () =>
        store.addVersion(product.id, (before, taken) => {
          if (before.archivedAt !== null) return archived();
          if (before.bundle !== null) return refuse('bundle_without_files', 'A bundle has no files of its own.');
          if (taken.length >= versionLimits.versions) {
            return refuse('too_many_versions', `A product has at most ${versionLimits.versions} versions.`);
          }
          const number = wanted ?? nextNumber(taken);
          if (taken.includes(number)) return refuse('version_exists', `The product already has a version ${number}.`);
          const now = clock.now();
          const after = { ...withNewFile(before, review, owner), zip: key, version: number, updatedAt: now };
          return {
            after,
            version: {
              number,
              notes,
              zip: key,
              size: zip.size,
              createdAt: now,
              ...(isForEverybody && { isForEverybody }),
            },
            event: changed('product.version_added', after, seller, {
              number,
              status: after.status,
              ...(isForEverybody && { for_everybody: true }),
            }),
            ...tellReviewers(before, after, now),
          };
        }),
      );
      return added ?? unknownProduct(idOrSlug);
    },

    async deleteVersion(idOrSlug, number, seller) {
      const product = await find(idOrSlug, seller);
      if (isRefused(product)) return product;
      const changed = await store.deleteVersion(product.id, number, ({ slug }, found) => {
        if (found === undefined) return noVersion(number);
        const refused = refusingNeeded(found);
        return refused ?? event('product.version_deleted', slug, byOf(seller.actor), clock.now(), { number });
      });
      return changed ?? unknownProduct(idOrSlug);
    },

    async setThumbnail(idOrSlug, image, seller) {
      const product = await find(idOrSlug, seller);
      if (isRefused(product)) return product;
      if (product.archivedAt !== null) return archived();
      const key = newStorageKey(secrets, folderOf[product.isLive ? 'live' : 'test'], image.kind);
      const [tellReviewers, owner] = [await reviewers.toTell(seller.actor), await ownerOf(product)];
      const set = await storing.store(owner, [[key, image]], () =>
        store.change(product.id, (before) => {
          if (before.archivedAt !== null) return archived();
          const now = clock.now();
          const after = { ...withNewFile(before, review, owner), thumbnail: key, updatedAt: now };
          return {
            after,
            event: changed('product.changed', after, seller, { fields: 'thumbnail', status: after.status }),
            ...tellReviewers(before, after, now),
          };
        }),
      );
      return set ?? unknownProduct(idOrSlug);
    },

    addPicture: (idOrSlug, picture, seller) =>
      setPictures(idOrSlug, seller, (before, owner) => {
        const pictures = withPicture(before.pictures, picture);
        return isRefused(pictures) ? pictures : { ...withNewFile(before, review, owner), pictures };
      }),

    changePicture: (idOrSlug, key, change, seller) =>
      setPictures(idOrSlug, seller, (before) => {
        const pictures = changedPictures(before.pictures, key, change);
        return isRefused(pictures) ? pictures : { ...before, pictures };
      }),

    async download(idOrSlug, number, seller) {
      const product = await find(idOrSlug, seller);
      if (isRefused(product)) return product;
      const version = await store.findVersion(product.id, number);
      if (version === undefined) {
        return number === undefined ? refuse('version_not_found', 'The product has no zip.') : noVersion(number);
      }
      const filename = `${product.slug}-${version.number}.zip`;
      return { url: await files.link(version.zip, filename, clock.now() + linkLifetime), filename };
    },
  };
}

function noVersion(number: string): Refused<'version_not_found'> {
  return refuse('version_not_found', `There is no version ${number}.`);
}

/** The event of a change at the time of the changed product. */
function changed(
  type: 'product.version_added' | 'product.changed',
  { slug, updatedAt }: Product,
  { actor }: Seller,
  data: Event['data'],
): Event {
  return event(type, slug, byOf(actor), updatedAt, data);
}
