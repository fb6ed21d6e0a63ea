import type { Instant } from '../ports/clock.ts';
import type { BillingDetails } from './billing-details.ts';
import type { InvoiceFacts } from './invoice.ts';
import { addTaxes, shareOf, type TaxLine } from './tax-line.ts';

/** A document that takes a part of an invoice back, or cancels that again. */
export interface CreditNote {
  /** 1, 2, 3 … per seller and mode, without gaps. A series of its own. */
  readonly number: number;
  /** `cancellation`: what was taken back before was paid after all, such as when a refund failed, or a lost dispute is won. */
  readonly kind: 'credit' | 'cancellation';
  readonly reason: 'refund' | 'dispute';
  /** In the smallest unit of the currency, with tax. More than 0. */
  readonly amount: number;
  /** The part of each tax of the invoice, in the same order. */
  readonly taxes: readonly TaxLine[];
  readonly at: Instant;
  /** Who is named on it: the details of the order when it was made. Older ones have none, and name who is on the invoice. */
  readonly billing?: BillingDetails | null;
}

/** An order, as its documents see it. */
interface Invoiced {
  readonly invoice: InvoiceFacts | null;
  readonly creditNotes: readonly CreditNote[];
  readonly billing: BillingDetails | null;
  readonly payment: { readonly total: number; readonly refunded: number; readonly dispute: string | null };
}

/** Returns what the seller keeps of a payment: nothing after a lost dispute. */
export function keptOf({ payment: { total, refunded, dispute } }: Pick<Invoiced, 'payment'>): number {
  return dispute === 'lost' ? 0 : Math.max(0, total - refunded);
}

/** Returns what the credit notes of an order take back together. */
export function creditedOf({ creditNotes }: Pick<Invoiced, 'creditNotes'>): number {
  return creditNotes.reduce((sum, { kind, amount }) => sum + (kind === 'credit' ? amount : -amount), 0);
}

/**
 * Returns the document that is missing, so that the invoice without its credit notes is what the seller keeps. It does not
 * matter in which order, or how often, the payment was looked at. `undefined`: nothing is missing, or the order has no
 * invoice, as all that were paid before there were invoices.
 */
export function dueNote(order: Invoiced, at: Instant): Omit<CreditNote, 'number'> | undefined {
  const { invoice, payment, creditNotes, billing } = order;
  if (invoice === null) return undefined;
  const credited = creditedOf(order);
  const due = payment.total - keptOf(order) - credited;
  if (due === 0) return undefined;
  const none = invoice.taxes.map((line) => ({ ...line, amount: 0 }));
  const creditedTaxes = creditNotes.reduce(
    (sum, { kind, taxes }) => addTaxes(sum, taxes, kind === 'credit' ? 1 : -1),
    none,
  );
  if (due > 0) {
    const left = addTaxes(invoice.taxes, creditedTaxes, -1);
    const reason = payment.dispute === 'lost' ? 'dispute' : 'refund';
    return { kind: 'credit', reason, amount: due, taxes: shareOf(left, due, payment.total - credited), at, billing };
  }
  const reason = creditNotes.findLast(({ kind }) => kind === 'credit')?.reason ?? 'refund';
  return { kind: 'cancellation', reason, amount: -due, taxes: shareOf(creditedTaxes, -due, credited), at, billing };
}
