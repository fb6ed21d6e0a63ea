import { baseCurrency, formatAmount, mostAmount, shownCode } from '../currency.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import type { OfferedAs } from './offers.ts';
import { notPayable } from './price-list.ts';
import type { Product } from './product.ts';

/** What a buyer who chooses the price is told, in the smallest unit of one currency. */
export interface PriceChoice {
  readonly least: number;
  readonly suggested: number;
}

/** The largest price in the base currency. */
const mostBasePrice = 999_999_999;

/** Returns what a buyer who chooses the price is told. `undefined`: the price cannot be chosen. */
export function choiceOf({
  product: { price, leastPrices },
  currency,
  suggested = price,
}: OfferedAs<Pick<Product, 'price' | 'leastPrices'>>): PriceChoice | undefined {
  const least = leastPrices?.[currency];
  return least === undefined ? undefined : { least, suggested };
}

/** Returns what is sold at the amount that its buyer has chosen. */
export function atAmount<P extends Pick<Product, 'price' | 'leastPrices'>>(
  sold: OfferedAs<P>,
  amount: number,
): OfferedAs<P> | Refused<'amount_not_possible'> {
  const { product, offer, currency } = sold;
  const choice = choiceOf(sold);
  if (choice === undefined) return refuse('amount_not_possible', 'Buyers cannot choose the price of this.');
  const price = chosenAmount(choice, amount, currency);
  if (isRefused(price)) return price;
  const { suggested } = choice;
  return { product: { ...product, price }, offer: offer && { ...offer, price }, currency, suggested };
}

/** Returns an amount that a buyer can choose, or a refusal that names the least one. */
function chosenAmount(
  { least }: Pick<PriceChoice, 'least'>,
  amount: number,
  currency: string,
): number | Refused<'amount_not_possible'> {
  const wrongAmount = (detail: string) => refuse('amount_not_possible', detail);
  const code = shownCode(currency);
  if (!Number.isSafeInteger(amount) || amount < least) {
    return wrongAmount(`The least price is ${formatAmount(least, currency)} ${code}. Choose at least as much.`);
  }
  const most = currency === baseCurrency ? mostBasePrice : mostAmount;
  if (amount > most) return wrongAmount(`Choose at most ${formatAmount(most, currency)} ${code}.`);
  const fault = notPayable(amount, currency);
  return fault === undefined ? amount : wrongAmount(fault);
}
