import type { BillingDetails } from './billing-details.ts';
import type { InvoiceFacts } from './invoice.ts';
import { sumOf } from './tax-line.ts';

/** An order, as its documents see it. */
interface Invoiced {
  readonly invoice: InvoiceFacts | null;
  readonly payment: { readonly subtotal: number; readonly total: number };
}

/** The countries of the EU. */
const union: ReadonlySet<string> = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '),
);

/**
 * Whether the buyer owes the VAT instead of the seller, and the price has no tax. If the provider does not say so: both are
 * companies with a VAT id in two countries of the EU. A seller who is exempt charges no VAT to anybody. `buyer`: who is named on
 * the document.
 */
export function isReverseCharge({ invoice, payment }: Invoiced, buyer: BillingDetails | null): boolean {
  if (invoice === null || sumOf(invoice.taxes) > 0 || payment.total !== payment.subtotal) return false;
  if (invoice.isReverseCharge !== undefined) return invoice.isReverseCharge;
  const { seller } = invoice;
  if (seller === null || buyer === null || seller.isVatExempt) return false;
  return hasVatId(seller) && hasVatId(buyer) && seller.country !== buyer.country;
}

/** Whether a company in the EU has a VAT id of its country: two letters, and up to 12 others. */
function hasVatId({ country, taxId }: Pick<BillingDetails, 'country' | 'taxId'>): boolean {
  if (country === null || !union.has(country)) return false;
  return new RegExp(`^${country === 'GR' ? 'EL' : country}[0-9A-Z+*]{2,12}$`).test(taxId);
}
