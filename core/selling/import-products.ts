import { refusingLicenses } from '../marketplace/bundle.ts';
import type { Product } from '../marketplace/product.ts';

/** Why licenses cannot be imported for a product, or the product. */
export type ProductOf = (name: string) => Promise<Product | string>;

/** The products that are remembered while a file is read. */
const mostProducts = 1_000;

/** Finds only products that have licenses. */
export function withLicenses(productOf: ProductOf): ProductOf {
  return async (name) => {
    const found = await productOf(name);
    return typeof found === 'string' ? found : (refusingLicenses(found)?.detail ?? found);
  };
}

/** Asks for each product once, as long as a file does not have too many. */
export function remembering(productOf: ProductOf): ProductOf {
  const known = new Map<string, Product | string>();
  return async (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const found = await productOf(name);
    if (known.size >= mostProducts) known.clear();
    known.set(name, found);
    return found;
  };
}
