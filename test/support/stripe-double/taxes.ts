import type Stripe from 'stripe';
import fixtures from './fixtures.json' with { type: 'json' };

type Reason = Stripe.Invoice.TotalTax['taxability_reason'];

/** A tax that the double takes. `percent` of the price, which contains it or not. */
export interface DoubleTax {
  readonly percent: number;
  readonly name?: string;
  readonly country?: string | null;
  readonly state?: string | null;
  readonly isIncluded?: boolean;
  /** Why it is taken, or why it is nothing. */
  readonly reason?: Reason;
}

/** The rate of a tax, and why it is taken or not. */
export interface Rated {
  readonly rate: Stripe.TaxRate;
  readonly reason: Reason;
}

/** A tax on a price. */
export interface Taxed extends Rated {
  readonly amount: number;
}

/** Makes the object of a rate: https://docs.stripe.com/api/tax_rates/object. */
export function rateOf(
  { percent, name = 'VAT', country = 'DE', state = null, isIncluded = false }: DoubleTax,
  id: string,
  livemode: boolean,
): Stripe.TaxRate {
  return {
    ...(fixtures.tax_rate as unknown as Stripe.TaxRate),
    ...{ id, livemode, percentage: percent, effective_percentage: percent, display_name: name },
    ...{ country, state, inclusive: isIncluded, jurisdiction: country, flat_amount: null },
  };
}

/** Computes the taxes on a price, each rounded. */
export function taxesOn(price: number, rates: readonly Rated[]): Taxed[] {
  const included = rates.reduce((sum, { rate }) => sum + (rate.inclusive ? rate.percentage : 0), 0);
  return rates.map(({ rate, reason }) => {
    const base = rate.inclusive ? price / (1 + included / 100) : price;
    const exact = (base * rate.percentage) / 100;
    // All that a price contains must not be more than the price.
    return { amount: rate.inclusive ? Math.floor(exact) : Math.round(exact), rate, reason };
  });
}

/** What is added to the price. */
export function addedBy(taxes: readonly Taxed[]): number {
  return taxes.reduce((sum, { amount, rate }) => sum + (rate.inclusive ? 0 : amount), 0);
}
