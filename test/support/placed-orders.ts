import { createMemoryRateLimiter } from '../../adapters/limits/memory.ts';
import type { Parts } from '../../apps/wiring/compose.ts';
import { t } from '../../apps/wiring/tokens.ts';
import type { UserId } from '../../core/id.ts';
import type { Offer } from '../../core/marketplace/offers.ts';
import { createCheckout } from '../../core/purchases/checkout.ts';
import type { Order, Provider } from '../../core/purchases/order.ts';
import type { PaymentFacts } from '../../core/purchases/payment.ts';
import { createLearn } from '../../core/purchases/settle.ts';
import { by } from './by.ts';
import { good } from './good.ts';
import { addForSale } from './orders.ts';

/** The settings of a service on which orders can be paid by hand and with play money. */
export const payable = { PAYMENTS_URL: 'manual:,test:demo', PAYMENT_INSTRUCTIONS: 'Pay to our account.' } as const;

/** The differences from a paid order of a guest. `payment`: the last changes of its payment. */
interface Placed {
  readonly email?: string;
  /** The slug of an offer. */
  readonly offer?: string;
  readonly name?: string | null;
  readonly way?: Provider;
  readonly isPaid?: boolean;
  readonly payment?: Partial<PaymentFacts>;
}

/** Orders a product, as a buyer does, and pays it. However often: its limits are counted anew each time. */
export async function placeOrder(
  parts: Parts,
  product: string,
  { email = 'grace@example.com', offer, name = null, way, isPaid = true, payment }: Placed = {},
): Promise<Order> {
  const [ports, products, settings, settle, coupons, usdc] = [
    await parts.get(t.orderPorts),
    await parts.get(t.productStore),
    await parts.get(t.paymentSettings),
    await parts.get(t.settleOrder),
    await parts.get(t.couponStore),
    await parts.get(t.usdcPaying),
  ];
  const limiter = createMemoryRateLimiter(ports.clock);
  const checkout = createCheckout({ ...ports, products, coupons, settings, settle, limiter, usdc });
  const addresses = () => ({ done: 'https://example.com/done', cancelled: 'https://example.com' });
  const wish = { product, offer, email, name, way, client: email };
  const { order } = good(await checkout.begin(wish, undefined, addresses));
  const learn = createLearn(ports);
  const learned = async (facts: Partial<PaymentFacts>) =>
    good(await learn(order.id, (before) => ({ payment: { ...before.payment, ...facts } }), by)) ?? order;
  const paid = isPaid && order.payment.total > 0 && !payment?.subtotal ? await learned({ status: 'paid' }) : order;
  return payment ? await learned(payment) : paid;
}

/** An offer of a subscription for 9.90 dollars a month. */
export const monthly: Offer = {
  ...{ slug: 'monthly', name: 'Monthly', kind: 'subscription', price: 990, maxDomains: 2, duration: null },
  ...{ updatesMonths: null, entitlements: [], isListed: true },
  recurs: { months: 1, graceDays: 7, perpetualAfter: null },
};

let subscribed = 0;

/** Adds a product with that offer, orders it, and pays it. */
export async function placeSubscription(parts: Parts, ownerId: UserId | null, placed: Placed = {}): Promise<Order> {
  const products = await parts.get(t.productStore);
  subscribed++;
  const terms = { ownerId, isApproved: true, status: 'published', offers: [monthly] } as const;
  const { slug } = await addForSale({ products }, { ...terms, slug: `subscribed-${subscribed}` });
  return await placeOrder(parts, slug, { offer: monthly.slug, ...placed });
}
