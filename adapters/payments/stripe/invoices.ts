import Stripe from 'stripe';
import type { KnownPayment } from '../../../core/ports/payments.ts';
import type { SubscriptionPayment } from '../../../core/ports/subscriptions.ts';
import type { PaymentStatus } from '../../../core/purchases/payment.ts';
import { fromStripe } from './amounts.ts';
import { idOf, paymentFacts, type Seen } from './known-payment.ts';
import { billingOf, taxesOfInvoice } from './tax-facts.ts';

/** More invoices than a subscription can have in practice. The SDK wants a limit. */
const mostInvoices = 10_000;
const pageSize = 100;

/** Whether an id is that of an invoice: a payment of a subscription after its first one. */
export function isInvoiceId(id: string): boolean {
  return id.startsWith('in_');
}

/**
 * Returns the intent by which an invoice was paid or is being paid. Invoices do not name it any more: see
 * https://docs.stripe.com/api/invoice-payment.
 */
export async function intentOfInvoice(stripe: Stripe, invoice: string): Promise<Stripe.PaymentIntent | null> {
  const { data } = await stripe.invoicePayments.list({
    invoice,
    expand: ['data.payment.payment_intent'],
    limit: pageSize,
  });
  const paid = data.find(({ status }) => status === 'paid') ?? data.find(({ is_default }) => is_default);
  const intent = paid?.payment.payment_intent;
  if (typeof intent === 'string') throw new Error(`Stripe did not expand the intent of ${invoice}.`);
  return intent ?? null;
}

/**
 * Returns the payment of the invoice that an intent has paid: the session that began its subscription, or the invoice itself.
 * `undefined` if it is no invoice of a subscription, or the key may not read invoices: such a key sells no subscriptions,
 * and the payments of other programs must not look like an outage to it.
 */
export async function paymentOfInvoice(stripe: Stripe, intentId: string): Promise<string | undefined> {
  const payment = { type: 'payment_intent', payment_intent: intentId } as const;
  const { data } = await stripe.invoicePayments.list({ payment, limit: 1 }).catch(nothingIfForbidden);
  const paid = data[0] && idOf(data[0].invoice);
  if (paid == null) return undefined;
  const { id, billing_reason: reason, parent } = await stripe.invoices.retrieve(paid);
  const subscription = idOf(parent?.subscription_details?.subscription ?? null);
  if (subscription === null) return undefined;
  if (reason !== 'subscription_create') return id;
  return (await stripe.checkout.sessions.list({ subscription, limit: 1 })).data[0]?.id;
}

function nothingIfForbidden(error: unknown): { readonly data: readonly Stripe.InvoicePayment[] } {
  if (error instanceof Stripe.errors.StripePermissionError) return { data: [] };
  throw error;
}

/** All invoices of a subscription, oldest first. */
export async function invoicesOf(stripe: Stripe, subscription: string): Promise<Stripe.Invoice[]> {
  const found = stripe.invoices.list({ subscription, limit: pageSize });
  return (await found.autoPagingToArray({ limit: mostInvoices })).reverse();
}

/** The payments of a subscription that its invoices show, without the first one. */
export function paymentsIn(invoices: readonly Stripe.Invoice[]): SubscriptionPayment[] {
  return invoices.flatMap((invoice) => {
    const { id, status } = invoice;
    const currency = invoice.currency.toLowerCase();
    const line = isPayment(invoice) && status === 'paid' ? periodLine(invoice) : undefined;
    if (line === undefined) return [];
    const { start, end } = line.period;
    const price = priceOf(invoice);
    return [{ paymentId: id, from: start * 1_000, to: end * 1_000, price, currency }];
  });
}

/** A change of a subscription whose new price begins later makes an invoice of nothing, which pays no time. */
function isPayment({ billing_reason: reason, total }: Stripe.Invoice): boolean {
  return reason === 'subscription_cycle' || (reason === 'subscription_update' && total > 0);
}

/** The line of the time that an invoice pays. Others are parts of periods that were paid before. */
function periodLine({ lines }: Stripe.Invoice): Stripe.InvoiceLineItem | undefined {
  return lines.data.find(({ parent }) => parent?.subscription_item_details?.proration === false);
}

/** The price without the tax that is added to it, after discounts. */
function priceOf({ total, total_taxes: taxes, currency }: Stripe.Invoice): number {
  const price = (taxes ?? []).reduce((sum, tax) => (tax.tax_behavior === 'exclusive' ? sum - tax.amount : sum), total);
  return fromStripe(price, currency.toLowerCase());
}

/** https://docs.stripe.com/api/invoices/object: `status`. A draft becomes open by itself. */
const statuses: Readonly<Partial<Record<string, PaymentStatus>>> = {
  draft: 'open',
  open: 'open',
  paid: 'paid',
  uncollectible: 'failed',
  void: 'cancelled',
} satisfies { readonly [S in Stripe.Invoice.Status]?: PaymentStatus };

/** Returns the facts of the payment of an invoice. */
export function knownInvoice(
  invoice: Stripe.Invoice,
  intent: Stripe.PaymentIntent | null,
  rates: Parameters<typeof taxesOfInvoice>[1],
  { refunds, disputes }: Pick<Seen, 'refunds' | 'disputes'>,
): KnownPayment {
  const { id, total, customer_email: email, customer_name: name, status } = invoice;
  const currency = invoice.currency.toLowerCase();
  const known = statuses[status ?? ''];
  if (known === undefined) throw new Error(`Stripe tells an unknown status of ${id}: ${status}.`);
  return {
    status: known,
    currency,
    subtotal: priceOf(invoice),
    total: fromStripe(total, currency),
    ...paymentFacts({ refunds, disputes }, currency),
    ...taxesOfInvoice(invoice, rates),
    intentId: idOf(intent),
    subscriptionId: null,
    buyer: { email, name: name?.replaceAll('\0', '') ?? null },
    billing: billingOf({ name, address: invoice.customer_address, taxIds: invoice.customer_tax_ids ?? null }),
  };
}
