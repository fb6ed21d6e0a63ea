import type { By } from '../events/event.ts';
import { mintLicenseKey } from '../licensing/license-key.ts';
import type { Instant } from '../ports/clock.ts';
import type { NewOrder, OrderChange } from '../ports/order-store.ts';
import type { Secrets } from '../ports/secrets.ts';
import { isSame } from '../same.ts';
import type { Agreed, Order } from './order.ts';
import { settled } from './settled.ts';

/** Whether an order is about what is offered now: the same price, version, terms and offer. */
export function isSameOffer(agreed: Agreed, now: Pick<Agreed, 'price' | 'version' | 'terms' | 'offer'>): boolean {
  const { price, version, terms, offer } = now;
  const isSamePrice = agreed.price === price && agreed.version === version;
  return isSamePrice && isSame(agreed.terms, terms) && isSame(agreed.offer, offer);
}

/**
 * Whether the buyer of an unpaid order only wants to pay it in another way, or under another name, and so makes a new one: the
 * same account or address, product and offer.
 */
export function isPaidInstead(earlier: Order, made: NewOrder): boolean {
  const { name: _, ...buyer } = earlier.buyer;
  const { name: _other, ...same } = made.buyer;
  return (
    earlier.state === 'open' && earlier.productId === made.productId && isSame(buyer, same) && isSameSale(earlier, made)
  );
}

/** An upgrade gets dearer every day, so it replaces one of another price. */
function isSameSale(earlier: Order, made: NewOrder): boolean {
  if (earlier.renews === null) return made.renews === null && isSameOffer(earlier.agreed, made.agreed);
  return earlier.renews === made.renews && earlier.agreed.offer?.slug === made.agreed.offer?.slug;
}

/** Decides to cancel an order that nobody has paid. If its payment comes all the same, it becomes paid. */
export function cancelling(by: By, now: Instant, secrets: Secrets) {
  return (before: Order): OrderChange => {
    const status = before.state === 'open' ? 'cancelled' : before.payment.status;
    const telling = { by, now, newKey: mintLicenseKey(secrets) };
    return settled(before, undefined, { payment: { ...before.payment, status } }, telling);
  };
}
