import { isInCatalogue } from '../../../core/marketplace/catalogue-terms.ts';
import type { Product } from '../../../core/marketplace/product.ts';
import type { Checkout } from '../../../core/purchases/checkout.ts';

/** Whether everybody can buy the product now: it is for sale, and there is a way to pay for it. */
export async function isForSale(product: Product, checkout: Pick<Checkout, 'obstacle'>): Promise<boolean> {
  return isInCatalogue(product) && (await checkout.obstacle(product)) === undefined;
}
