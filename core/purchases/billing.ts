import { event } from '../events/event.ts';
import { type BillingDetails, type BillingFault, checkedBilling } from '../invoices/billing-details.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { OrderStore } from '../ports/order-store.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';
import type { CheckTaxId } from '../ports/tax-ids.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { isSame } from '../same.ts';
import { day } from '../time.ts';
import { isBundle, type Order } from './order.ts';
import { countChange } from './order-limits.ts';

/** For how long after the payment buyers can correct who is named on the invoice. */
const correctionTime = 30 * day;

/** Until when the buyer can add or correct the details. `undefined`: there is nothing to correct, or not any more. */
export function correctableUntil(
  {
    agreed,
    partOf,
    paidAt,
    number,
    invoice,
    state,
  }: Pick<Order, 'agreed' | 'partOf' | 'paidAt' | 'number' | 'invoice' | 'state'>,
  now: Instant,
): Instant | 'until_paid' | undefined {
  // The parts of a bundle are on the invoice of its order.
  if (agreed.price === 0 || partOf !== null) return undefined;
  if (paidAt === null) return 'until_paid';
  // The receipt of an older order has no room for them.
  if (number === null || invoice === null) return undefined;
  // The credit note has closed it.
  if (state === 'refunded' || state === 'charged_back') return undefined;
  const until = paidAt + correctionTime;
  return now < until ? until : undefined;
}

/** Who is named on the invoice of an order. Whoever has the token of the order may change it. */
export interface Billing {
  /** Returns the details as they are kept, or what is wrong with them. */
  check(typed: BillingDetails): BillingDetails | Refused<BillingFault>;
  /**
   * Adds or corrects the details. After the payment, the invoice keeps its number and says when it was corrected. Refuses after
   * 30 days.
   */
  correct(
    order: Order,
    typed: BillingDetails,
  ): Promise<Order | Refused<BillingFault | 'not_correctable' | 'too_many_attempts' | 'order_not_found'>>;
}

interface BillingPorts {
  readonly store: Pick<OrderStore, 'change'>;
  readonly checkTaxId: CheckTaxId;
  readonly limiter: RateLimiter;
  readonly clock: Clock;
}

export function createBilling({ store, checkTaxId, limiter, clock }: BillingPorts): Billing {
  const check = (typed: BillingDetails) => checkedBilling(typed, checkTaxId);
  return {
    check,

    async correct({ id }, typed) {
      const billing = check(typed);
      if (isRefused(billing)) return billing;
      const tooMany = await countChange({ limiter, clock }, id);
      if (tooMany) return tooMany;
      const after = await store.change<'not_correctable'>(id, (before) => {
        const now = clock.now();
        if (correctableUntil(before, now) === undefined) return refuse('not_correctable');
        if (isSame(before.billing, billing)) return { after: before, events: [] };
        const invoice = before.invoice && { ...before.invoice, correctedAt: now };
        // The history of the order does not repeat an address.
        const told = event('order.billing_changed', String(id), { actor: before.buyer.email }, now, {});
        const corrected = (order: Order) => ({ after: { ...order, billing, updatedAt: now }, events: [told] });
        return {
          after: { ...before, billing, invoice, updatedAt: now },
          events: [told],
          ...(isBundle(before) && { parts: (_: Order, part: Order) => corrected(part) }),
        };
      });
      return after ?? refuse('order_not_found');
    },
  };
}
