import { decimalsOf, payable } from '../../../core/currency.ts';

/*
 * How Stripe writes amounts, and which it takes: https://docs.stripe.com/currencies. This file needs nothing of Stripe's
 * package, so that prices can be checked before it is loaded.
 */

/** Stripe writes these with two decimals, which must be 0. They have none. */
const withTwoMore: readonly string[] = ['isk', 'ugx'];

/** The least amounts, as Stripe writes them: its fee would use up smaller ones. Where Stripe names none, it is 1. */
const least: ReadonlyMap<string, number> = new Map(
  Object.entries({
    ...{
      usd: 50,
      aed: 200,
      ars: 50,
      aud: 50,
      brl: 50,
      cad: 50,
      chf: 50,
      cop: 50,
      czk: 1_500,
      dkk: 250,
      eur: 50,
      gbp: 30,
    },
    ...{ hkd: 400, huf: 17_500, idr: 50, ils: 50, inr: 50, jpy: 50, krw: 50, mxn: 1_000, myr: 200, nok: 300, nzd: 50 },
    ...{ php: 50, pln: 200, ron: 200, rub: 50, sek: 300, sgd: 50, thb: 1_000, zar: 50 },
  }),
);

/** The digits of the largest amount that all ways to pay at Stripe take. */
const mostDigits: Readonly<Partial<Record<string, number>>> = { idr: 12, cop: 10, inr: 9 };
const usualDigits = 8;

/** Whether Stripe takes an amount of a currency, in its smallest unit. */
export function takes(amount: number, currency: string): boolean {
  const known = decimalsOf(currency) !== undefined && payable(amount, currency) === amount;
  const written = toStripe(amount, currency);
  return known && written >= (least.get(currency) ?? 1) && written < 10 ** (mostDigits[currency] ?? usualDigits);
}

/** Returns an amount as Stripe writes it. `amount` is in the smallest unit of the currency. */
export function toStripe(amount: number, currency: string): number {
  return withTwoMore.includes(currency) ? amount * 100 : amount;
}

/** Returns an amount that Stripe has written in the smallest unit of the currency, and never more than that. */
export function fromStripe(amount: number, currency: string): number {
  return withTwoMore.includes(currency) ? Math.floor(amount / 100) : amount;
}
