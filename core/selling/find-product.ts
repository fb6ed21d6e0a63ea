import type { Action } from '../accounts/role.ts';
import { findProduct, unknownProduct } from '../marketplace/find-product.ts';
import type { Product } from '../marketplace/product.ts';
import type { ProductStore } from '../ports/product-store.ts';
import type { Refused } from '../refusal.ts';
import { reaches, type Seller } from './seller.ts';

/** Finds a product as `findProduct` does. A product on which the seller does not have this right is unknown. */
export async function findProductOf(
  products: Pick<ProductStore, 'findById' | 'findBySlug'>,
  idOrSlug: string,
  seller: Seller,
  action: Action,
): Promise<Product | Refused<'product_not_found'>> {
  const product = await findProduct(products, idOrSlug);
  return product && reaches(seller, action, product) ? product : unknownProduct(idOrSlug);
}
