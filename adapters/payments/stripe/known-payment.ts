import type Stripe from 'stripe';
import { type ProductId, parseId, toProductId } from '../../../core/id.ts';
import type { KnownPayment } from '../../../core/ports/payments.ts';
import { productsInOrder } from '../../../core/purchases/parts.ts';
import type { DisputeState, PaymentFacts, PaymentStatus } from '../../../core/purchases/payment.ts';
import { fromStripe } from './amounts.ts';
import { billingOf, taxesOfSession } from './tax-facts.ts';

/** A Checkout Session with its payment intent expanded, and the refunds and disputes of that intent. */
export interface Seen {
  readonly session: Stripe.Checkout.Session;
  readonly refunds: readonly Stripe.Refund[];
  readonly disputes: readonly Stripe.Dispute[];
}

/** Returns the facts of a payment. Throws if Stripe's answer lacks a field that every payment has. */
export function knownPayment({ session, refunds, disputes }: Seen): KnownPayment {
  const {
    id,
    currency,
    amount_subtotal: full,
    amount_total: total,
    total_details: parts,
    customer_details: details,
  } = session;
  if (currency === null || full === null || total === null) throw new Error(`Stripe tells no amount of ${id}.`);
  const status = statusOf(session);
  const code = currency.toLowerCase();
  return {
    status,
    currency: code,
    // Tax can make up for a discount in the total, so the discount is taken off here.
    subtotal: fromStripe(full - (parts?.amount_discount ?? 0), code),
    total: fromStripe(total, code),
    ...paymentFacts({ refunds, disputes }, code),
    ...taxesOfSession(session),
    intentId: idOf(session.payment_intent),
    subscriptionId: status === 'paid' ? idOf(session.subscription) : null,
    buyer: { email: details?.email ?? session.customer_email, name: details?.name?.replaceAll('\0', '') ?? null },
    billing: billingOf({
      name: details?.business_name ?? details?.name ?? null,
      address: details?.address ?? null,
      taxIds: details?.tax_ids ?? null,
    }),
  };
}

/** What was paid back, or is disputed. */
export function paymentFacts(
  { refunds, disputes }: Pick<Seen, 'refunds' | 'disputes'>,
  currency: string,
): Pick<PaymentFacts, TakenBack> {
  const [made, underway] = [['succeeded'], ['pending', 'requires_action']];
  const [refundedParts, refundingParts] = [productsOf(refunds, made), productsOf(refunds, underway)];
  return {
    refunded: fromStripe(sumOf(refunds, made), currency),
    refundsPending: fromStripe(sumOf(refunds, underway), currency),
    dispute: disputeOf(disputes),
    ...(refundedParts.length > 0 && { refundedParts }),
    ...(refundingParts.length > 0 && { refundingParts }),
  };
}

type TakenBack = 'refunded' | 'refundsPending' | 'dispute' | 'refundedParts' | 'refundingParts';

/** The products of a bundle whose shares these refunds pay back. */
function productsOf(refunds: readonly Stripe.Refund[], statuses: readonly string[]): readonly ProductId[] {
  return productsInOrder(
    refunds.flatMap(({ status, metadata }) => {
      const id = statuses.includes(status ?? '') ? parseId(metadata?.product ?? '', toProductId) : undefined;
      return id === undefined ? [] : [id];
    }),
  );
}

/** Returns the id of an object that may be expanded. */
export function idOf(one: string | { readonly id: string } | null): string | null {
  return typeof one === 'string' ? one : (one?.id ?? null);
}

/** https://docs.stripe.com/api/checkout/sessions/object: `status` and `payment_status`. */
function statusOf({
  id,
  status,
  payment_status: paid,
  payment_intent: intent,
}: Stripe.Checkout.Session): PaymentStatus {
  if (status === 'open') return 'open';
  if (status === 'expired') return 'expired';
  if (status !== 'complete') throw new Error(`Stripe tells an unknown status of ${id}: ${status}.`);
  if (paid !== 'unpaid') return 'paid';
  if (intent === null || typeof intent === 'string') throw new Error(`Stripe did not expand the intent of ${id}.`);
  return slow[intent.status] ?? 'processing';
}

/**
 * The state of a payment by a slow method after the checkout, by the status of the intent. In all other states the
 * money is on its way, for example if the buyer must still pay a voucher.
 */
const slow: Readonly<Partial<Record<string, PaymentStatus>>> = {
  succeeded: 'paid',
  requires_payment_method: 'failed',
  canceled: 'failed',
} satisfies { readonly [S in Stripe.PaymentIntent.Status]?: PaymentStatus };

/** Refunds with the statuses `failed` and `canceled` count nowhere: the buyer did not get the money. */
function sumOf(refunds: readonly Stripe.Refund[], statuses: readonly string[]): number {
  return refunds.reduce((sum, { status, amount }) => sum + (statuses.includes(status ?? '') ? amount : 0), 0);
}

/**
 * The meaning of each status of a dispute. Those with `warning` are questions of a bank that have moved no money.
 * `by money`: the money that moved decides.
 */
const meaning: Readonly<Partial<Record<string, DisputeState | 'none' | 'by money'>>> = {
  warning_needs_response: 'none',
  warning_under_review: 'none',
  warning_closed: 'none',
  needs_response: 'open',
  under_review: 'open',
  appeal_needs_response: 'open',
  appeal_under_review: 'open',
  won: 'won',
  lost: 'lost',
  prevented: 'by money',
} satisfies Record<KnownStatus, DisputeState | 'none' | 'by money'>;

/** Without the type for statuses that are added later. */
type KnownStatus = Stripe.Dispute.Status extends infer S
  ? S extends string
    ? string extends S
      ? never
      : S
    : never
  : never;

function disputeOf(disputes: readonly Stripe.Dispute[]): PaymentFacts['dispute'] {
  const states = disputes.map(({ status, balance_transactions: moved }) => {
    const known = meaning[status] ?? 'by money';
    if (known !== 'by money') return known;
    return moved.reduce((sum, { amount }) => sum + amount, 0) < 0 ? 'lost' : 'none';
  });
  return (['lost', 'open', 'won'] as const).find((state) => states.includes(state)) ?? null;
}
