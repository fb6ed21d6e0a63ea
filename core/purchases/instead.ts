import type { By } from '../events/event.ts';
import { mintLicenseKey } from '../licensing/license-key.ts';
import type { Instant } from '../ports/clock.ts';
import type { NewOrder, OrderChange } from '../ports/order-store.ts';
import type { Secrets } from '../ports/secrets.ts';
import { isSame } from '../same.ts';
import { listPriceOf } from './discounted.ts';
import { type Agreed, isBundle, isOutside, type Order } from './order.ts';
import { settled, settledParts } from './settled.ts';

/**
 * Whether an order is about what is offered now: the same price before a coupon in the same
 * currency, version, terms and offer. Where buyers choose the price, it is the same offer at any.
 */
export function isSameOffer(
  agreed: Agreed,
  now: Pick<Agreed, 'price' | 'suggested' | 'currency' | 'discount' | 'version' | 'terms' | 'offer' | 'bundle'>,
): boolean {
  const { currency, version, terms, offer, bundle } = now;
  const isChosen = agreed.suggested !== undefined && now.suggested !== undefined;
  const isSamePrice = (isChosen || listPriceOf(agreed) === listPriceOf(now)) && agreed.currency === currency;
  // A coupon makes the shares smaller.
  const inside = (all: Agreed['bundle']) => all?.map(({ price: _, ...part }) => part);
  const isSameContent = isSame(agreed.offer, offer) && isSame(inside(agreed.bundle), inside(bundle));
  return isSamePrice && agreed.version === version && isSame(agreed.terms, terms) && isSameContent;
}

/**
 * Whether the buyer of an unpaid order only wants to pay it in another way, or under another name, and so makes a new one: the
 * same account or address, product and offer. An order with a coupon that can still be paid at the provider keeps the use of its
 * coupon, and so is not replaced: else one use would pay for many orders.
 */
export function isPaidInstead(earlier: Order, made: NewOrder): boolean {
  if (earlier.agreed.discount !== undefined && isOutside(earlier.provider)) return false;
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
    const newKey = () => mintLicenseKey(secrets);
    const change = settled(
      before,
      undefined,
      { payment: { ...before.payment, status } },
      { by, now, newKey: newKey() },
    );
    return { ...change, ...(isBundle(before) && { parts: settledParts(by, now, newKey) }) };
  };
}
