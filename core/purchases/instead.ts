import type { Product } from '../marketplace/product.ts';
import type { NewOrder } from '../ports/order-store.ts';
import { isSame } from '../same.ts';
import type { Agreed, Order } from './order.ts';

/** Whether an order is about what is offered now: the same price, version and terms. */
export function isSameOffer(agreed: Agreed, { price, version, terms }: Pick<Product, 'price' | 'version' | 'terms'>) {
  return agreed.price === price && agreed.version === version && isSame(agreed.terms, terms);
}

/**
 * Whether the buyer of an unpaid order only wants to pay it in another way, and so makes a new one: the same buyer, product
 * and offer.
 */
export function isPaidInstead(earlier: Order, made: NewOrder): boolean {
  return (
    earlier.state === 'open' &&
    earlier.provider !== made.provider &&
    earlier.productId === made.productId &&
    isSame(earlier.buyer, made.buyer) &&
    isSameOffer(earlier.agreed, made.agreed)
  );
}
