import type { Product } from '../../../../../core/marketplace/product.ts';
import type { Addresses } from '../../../addresses.ts';

/** The addresses of the thumbnails of products, by id. */
export async function imagesOf(
  products: readonly Product[],
  addresses: Pick<Addresses, 'image'>,
): Promise<ReadonlyMap<number, string>> {
  const found = await Promise.all(
    products.flatMap(({ id, thumbnail }) =>
      thumbnail === null ? [] : [addresses.image(thumbnail).then((image) => [id, image] as const)],
    ),
  );
  return new Map(found);
}
