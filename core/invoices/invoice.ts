import type { Instant } from '../ports/clock.ts';
import type { CreditNote } from './credit-note.ts';
import type { InvoiceProfile } from './invoice-profile.ts';
import { containedTax, type TaxLine } from './tax-line.ts';

/** What an invoice keeps of the time when it got its number. Later changes of the seller's details do not change it. */
export interface InvoiceFacts {
  /** `null`: the seller had entered no details. Then only the seller's name is known. */
  readonly seller: InvoiceProfile | null;
  readonly taxes: readonly TaxLine[];
  /** Whether the provider said that the buyer owes the tax. Missing: it did not say, or the invoice is of an older version. */
  readonly isReverseCharge?: boolean;
  /** When the buyer corrected the details last. */
  readonly correctedAt: Instant | null;
}

/** What has an invoice, if it is paid. */
interface Numbered {
  /** See `Order`. */
  readonly number: number | null;
  readonly invoice: InvoiceFacts | null;
}

/**
 * Returns the facts of a new invoice: of an order that is paid for the first time. `isByHand`: the seller takes the money. Of
 * another payment, only the provider knows the tax.
 */
export function newInvoice(
  {
    taxes = [],
    total,
    isReverseCharge,
  }: Partial<Pick<InvoiceFacts, 'taxes' | 'isReverseCharge'>> & { readonly total: number },
  isByHand: boolean,
  seller: InvoiceProfile | null,
): InvoiceFacts {
  const included = seller?.includedTax ?? null;
  const own =
    included !== null && isByHand && taxes.length === 0
      ? [containedTax(total, included, seller?.country ?? null)]
      : taxes;
  return { seller, taxes: own, ...(isReverseCharge !== undefined && { isReverseCharge }), correctedAt: null };
}

/** Returns the number of an invoice as people see it. `undefined`: the order has no number. */
export function invoiceNumberOf({ number, invoice }: Numbered): string | undefined {
  return number === null ? undefined : `${invoice?.seller?.prefix ?? ''}${number}`;
}

/** Returns the number of a credit note as people see it. It never looks like that of an invoice. */
export function noteNumberOf({ invoice }: Pick<Numbered, 'invoice'>, { number }: Pick<CreditNote, 'number'>): string {
  return `${invoice?.seller?.prefix ?? ''}CN-${number}`;
}
