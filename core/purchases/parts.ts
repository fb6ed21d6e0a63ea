import type { OrderId, ProductId } from '../id.ts';
import { type Refused, refuse } from '../refusal.ts';
import { split } from '../split.ts';
import { type Order, orderTable, titleOf } from './order.ts';
import { type PaymentFacts, type PaymentStatus, refundable, refundOf, unpaid, type WholeRefund } from './payment.ts';

/*
 * The parts of an order of a bundle. The order has the payment, with its number, refunds and disputes. Each part has the license
 * of one product. What a payment means for a part is computed from the order alone, so it does not depend on the order of events.
 */

type Whole = Pick<Order, 'agreed' | 'payment' | 'state'>;

/** Returns what the payment of an order means for each of its parts, in their order. */
export function paymentsOfParts({ agreed, payment, state }: Whole): readonly PaymentFacts[] {
  const parts = agreed.bundle ?? [];
  const shares = parts.map(({ price }) => price);
  if (orderTable[state].stage !== 'paid') {
    const status = state === 'held' ? 'processing' : (state as PaymentStatus);
    return shares.map((share) => ({ ...unpaid(share, agreed.currency), status }));
  }
  const { status, currency, subtotal, total, refunded, refundsPending, dispute } = payment;
  const subtotals = split(subtotal, shares);
  const totals = split(total, shares);
  const refunds = parts.map(({ productId }) => refundOfPart(payment, productId));
  const isMade = (index: number) => refunds[index] === 'made';
  const paidBack = spread(refunded, totals, isMade);
  const open = totals.map((part, index) => part - (paidBack[index] ?? 0));
  const pending = spread(refundsPending, open, (index) => refunds[index] !== 'none');
  return parts.map((_, index) => ({
    ...{ status, currency, dispute },
    subtotal: subtotals[index] ?? 0,
    total: totals[index] ?? 0,
    refunded: paidBack[index] ?? 0,
    refundsPending: pending[index] ?? 0,
    refund: refunds[index] ?? 'none',
  }));
}

/** Whether the share of a product is paid back, or on its way. */
export function isRefunding(payment: PaymentFacts, productId: ProductId): boolean {
  return refundOfPart(payment, productId) !== 'none';
}

function refundOfPart(payment: PaymentFacts, productId: ProductId): WholeRefund {
  const whole = refundOf(payment);
  const { refundedParts = [], refundingParts = [] } = payment;
  if (whole === 'made' || refundedParts.includes(productId)) return 'made';
  return whole === 'underway' || refundingParts.includes(productId) ? 'underway' : 'none';
}

/**
 * Gives the amount first to those that come first, as far as it goes, and spreads what is left over the others. It may not go far
 * enough: the rest of a share was paid back while an amount was on its way, and that one failed.
 */
function spread(amount: number, mosts: readonly number[], comesFirst: (index: number) => boolean): readonly number[] {
  let left = amount;
  const taken = mosts.map((most, index) => {
    const one = comesFirst(index) ? Math.min(most, left) : 0;
    left -= one;
    return one;
  });
  const rest = split(
    left,
    mosts.map((most, index) => (comesFirst(index) ? 0 : most)),
  );
  return left === 0 ? taken : taken.map((one, index) => one + (rest[index] ?? 0));
}

/** The rest of the share of a product that is to be paid back. */
export interface PartRefund {
  readonly productId: ProductId;
  readonly amount: number;
}

/** Returns the refunds that pay back all of the shares of these parts. */
export function refundsOfParts(
  order: Whole,
  parts: readonly Pick<Order, 'productId'>[],
): readonly PartRefund[] | Refused<'refund_not_possible'> {
  const { bundle = [] } = order.agreed;
  const payments = paymentsOfParts(order);
  const refunds: PartRefund[] = [];
  for (const [index, { productId, title }] of bundle.entries()) {
    const payment = payments[index];
    if (payment === undefined || !parts.some((part) => part.productId === productId)) continue;
    if (refundOf(payment) !== 'none') return refuse('refund_not_possible', `“${title}” is refunded already.`);
    const amount = refundable(payment);
    if (amount === 0) return refuse('refund_not_possible', `Nothing can be refunded for “${title}”.`);
    refunds.push({ productId, amount });
  }
  return refunds;
}

/** Returns the facts of a payment after the rest of some shares was paid back. */
export function withRefunds(payment: PaymentFacts, refunds: readonly PartRefund[]): PaymentFacts {
  const refunded = payment.refunded + refunds.reduce((sum, { amount }) => sum + amount, 0);
  const products = [...(payment.refundedParts ?? []), ...refunds.map(({ productId }) => productId)];
  return { ...payment, refunded, refundedParts: productsInOrder(products) };
}

/** Each product once, by ascending ids. */
export function productsInOrder(products: readonly ProductId[]): readonly ProductId[] {
  return [...new Set(products)].sort((one, other) => one - other);
}

/** One thing that was sold with an order, for invoices and lists. The prices of all lines together are the agreed price. */
export interface OrderLine {
  readonly title: string;
  readonly price: number;
}

/** Returns the lines of an order: one for each product of a bundle, and else one. */
export function linesOf({ agreed }: Pick<Order, 'agreed'>): readonly OrderLine[] {
  const { bundle } = agreed;
  if (bundle === undefined) return [{ title: titleOf(agreed), price: agreed.price }];
  return bundle.map(({ title, offer, price }) => ({ title: offer === null ? title : `${title}: ${offer}`, price }));
}

/** The order to which pages and links lead: a part is on that of its bundle. */
export function mainOrderOf({ id, partOf }: Pick<Order, 'id' | 'partOf'>): OrderId {
  return partOf ?? id;
}
