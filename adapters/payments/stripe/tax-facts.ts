import Stripe from 'stripe';
import { type BillingDetails, billingLimits, plainLine } from '../../../core/invoices/billing-details.ts';
import { isCountry } from '../../../core/invoices/countries.ts';
import { boundedTaxes, type TaxLine } from '../../../core/invoices/tax-line.ts';
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

/** The taxes of a Checkout Session whose breakdown is expanded. A tax of nothing is left out. */
export function taxesOfSession({ total_details: parts, currency }: Stripe.Checkout.Session): {
  taxes?: readonly TaxLine[];
} {
  const lines = (parts?.breakdown?.taxes ?? [])
    .filter(({ amount }) => amount > 0)
    .map(({ amount, rate }) => lineOf(fromStripe(amount, currency ?? ''), rate.inclusive, rate));
  return lines.length === 0 ? {} : { taxes: boundedTaxes(lines) };
}

/** The taxes of an invoice. It names only the ids of their rates: `rates` has those that the key may read. */
export function taxesOfInvoice(
  { total_taxes: taxes, currency }: Stripe.Invoice,
  rates: ReadonlyMap<string, Rate>,
): { taxes?: readonly TaxLine[] } {
  const lines = (taxes ?? [])
    .filter(({ amount }) => amount > 0)
    .map(({ amount, tax_behavior, tax_rate_details: details }) =>
      lineOf(fromStripe(amount, currency), tax_behavior === 'inclusive', rates.get(details?.tax_rate ?? '')),
    );
  return lines.length === 0 ? {} : { taxes: boundedTaxes(lines) };
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
