import Stripe from 'stripe';
import { type BillingDetails, billingLimits, plainLine } from '../../../core/invoices/billing-details.ts';
import { isCountry } from '../../../core/invoices/countries.ts';
import { boundedTaxes, type TaxLine } from '../../../core/invoices/tax-line.ts';
import type { PaymentFacts } from '../../../core/purchases/payment.ts';
import { fromStripe } from './amounts.ts';

/** The longest name of a tax that is kept, in characters. */
const longestName = 40;

type Rate = Pick<Stripe.TaxRate, 'display_name' | 'percentage' | 'country' | 'state'>;

function lineOf(amount: number, isIncluded: boolean, rate: Rate | undefined): TaxLine {
  const { country = null, state = null } = rate ?? {};
  return {
    name: plainLine(rate?.display_name, longestName) || 'Tax',
    rate: rate?.percentage ?? null,
    amount,
    isIncluded,
    country: country !== null && isCountry(country) ? country : null,
    state: plainLine(state, longestName) || null,
  };
}

type Taxes = Pick<PaymentFacts, 'taxes' | 'isReverseCharge'>;

function taxesIn(lines: readonly TaxLine[]): Taxes {
  return lines.length === 0 ? {} : { taxes: boundedTaxes(lines) };
}

/** The taxes of a Checkout Session whose breakdown is expanded. A tax of nothing is left out. */
export function taxesOfSession({
  total_details: parts,
  currency,
  customer_details: buyer,
}: Stripe.Checkout.Session): Taxes {
  const taxes = parts?.breakdown?.taxes ?? [];
  const lines = taxes
    .filter(({ amount }) => amount > 0)
    .map(({ amount, rate }) => lineOf(fromStripe(amount, currency ?? ''), rate.inclusive, rate));
  return { ...taxesIn(lines), ...reverseChargeOf(buyer?.tax_exempt, taxes) };
}

/** The taxes of an invoice. It names only the ids of their rates: `rates` has those that the key may read. */
export function taxesOfInvoice(
  { total_taxes: all, currency, customer_tax_exempt: ofCustomer }: Stripe.Invoice,
  rates: ReadonlyMap<string, Rate>,
): Taxes {
  const taxes = all ?? [];
  const lines = taxes
    .filter(({ amount }) => amount > 0)
    .map(({ amount, tax_behavior, tax_rate_details: details }) =>
      lineOf(fromStripe(amount, currency), tax_behavior === 'inclusive', rates.get(details?.tax_rate ?? '')),
    );
  return { ...taxesIn(lines), ...reverseChargeOf(ofCustomer, taxes) };
}

/** Reads the rates of an invoice. A key that may not read them takes payments all the same: then taxes have no name. */
export async function ratesOf(stripe: Stripe, { total_taxes: taxes }: Stripe.Invoice): Promise<Map<string, Rate>> {
  const ids = new Set((taxes ?? []).flatMap(({ tax_rate_details: details }) => details?.tax_rate ?? []));
  const rates = new Map<string, Rate>();
  for (const id of ids) {
    const rate = await stripe.taxRates.retrieve(id).catch((error: unknown) => {
      if (error instanceof Stripe.errors.StripePermissionError) return undefined;
      throw error;
    });
    if (rate === undefined) break;
    rates.set(id, rate);
  }
  return rates;
}

type Reason = Stripe.Invoice.TotalTax['taxability_reason'];

/** Why no tax was taken, if the reason is not a reverse charge. Other reasons, such as `not_collecting`, leave it open. */
const exempt: ReadonlySet<string> = new Set([
  'customer_exempt',
  'product_exempt',
  'product_exempt_holiday',
  'zero_rated',
] satisfies Reason[]);

interface Reasoned {
  readonly taxability_reason: Reason | null;
}

/** Whether the buyer owes the tax, by the setting of the customer and the reasons of all taxes. */
function reverseChargeOf(
  ofCustomer: string | null | undefined,
  taxes: readonly Reasoned[],
): { isReverseCharge?: boolean } {
  const reasons = taxes.map(({ taxability_reason: reason }) => reason ?? '');
  if (ofCustomer === 'reverse' || reasons.includes('reverse_charge')) return { isReverseCharge: true };
  return ofCustomer === 'exempt' || reasons.some((reason) => exempt.has(reason)) ? { isReverseCharge: false } : {};
}

/** What Stripe knows of a buyer. */
interface Payer {
  readonly name: string | null;
  readonly address: Stripe.Address | null;
  readonly taxIds: readonly { readonly value: string | null }[] | null;
}

/** The details of a buyer for the invoice. `null`: the buyer was asked for neither a street nor a tax id. */
export function billingOf({ name, address, taxIds }: Payer): BillingDetails | null {
  const limits = billingLimits;
  const lines = [address?.line1, address?.line2].map((line) => plainLine(line, limits.line)).filter(Boolean);
  const taxId = plainLine(taxIds?.[0]?.value, limits.taxId);
  // For cards, Stripe asks for a country and a postal code alone. That is no address.
  if (lines.length === 0 && taxId === '') return null;
  const country = address?.country ?? '';
  return {
    name: plainLine(name, limits.name),
    lines,
    postalCode: plainLine(address?.postal_code, limits.postalCode),
    city: plainLine(address?.city, limits.city),
    region: plainLine(address?.state, limits.region),
    country: isCountry(country) ? country : null,
    taxId,
  };
}
