import { type Actor, needing } from '../accounts/role.ts';
import type { ProductStore } from '../ports/product-store.ts';
import type { ZipContents, ZipListing } from '../ports/zip-contents.ts';
import type { Refused } from '../refusal.ts';
import { findProduct, unknownProduct } from './find-product.ts';

/** The most files of a zip that are shown. */
const mostShownFiles = 500;

/**
 * Lists the files in the newest zip of a product, for whoever decides about it. Needs `products:moderate`. Returns `null`
 * if the product has no zip that can be read.
 */
export type ShowContents = (
  idOrSlug: string,
  actor: Actor,
) => Promise<ZipListing | null | Refused<'forbidden' | 'product_not_found'>>;

interface ShowContentsPorts {
  readonly store: Pick<ProductStore, 'findById' | 'findBySlug'>;
  readonly zips: ZipContents;
}

export function createShowContents({ store, zips }: ShowContentsPorts): ShowContents {
  return async (idOrSlug, actor) => {
    const refused = needing(actor, 'products:moderate');
    if (refused) return refused;
    const product = await findProduct(store, idOrSlug);
    if (product === undefined) return unknownProduct(idOrSlug);
    return product.zip === null ? null : ((await zips.list(product.zip, mostShownFiles)) ?? null);
  };
}
