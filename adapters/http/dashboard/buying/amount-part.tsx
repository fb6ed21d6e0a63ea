import type { VNode } from 'preact';
import { formatAmount } from '../../../../core/currency.ts';
import type { OfferedAs } from '../../../../core/marketplace/offers.ts';
import type { PriceChoice } from '../../../../core/marketplace/price-choice.ts';
import { choiceOf } from '../../../../core/marketplace/price-choice.ts';
import type { Product } from '../../../../core/marketplace/product.ts';
import type { Provider } from '../../../../core/purchases/order.ts';
import { isRefused, type Refused, refuse } from '../../../../core/refusal.ts';
import { TextField } from '../../ui/form.tsx';
import type { FormState } from '../../ui/form-state.ts';
import { moneyOf, parseMoney } from '../../ui/prices.ts';
import { words } from './words.ts';

const { amount: names } = words;

/** The most characters of an amount that somebody types. */
export const longestAmount = 30;

/** The sale at the amount that was typed. If that is not possible: at the usual amount, and the reason. */
export interface AtTyped<Sold> {
  readonly sold: Sold;
  /** Why the typed amount is not possible. */
  readonly fault: string | undefined;
}

/** Reads the amount that a buyer has typed, if buyers choose the price. `ask` returns what is sold at an amount. */
export async function atTyped<Sold extends OfferedAs<Product>, R extends string>(
  sold: Sold,
  typed: string,
  ask: (amount: number) => Sold | Refused<'amount_not_possible'> | Promise<Sold | Refused<R | 'amount_not_possible'>>,
): Promise<AtTyped<Sold> | Refused<R>> {
  const text = typed.trim();
  if (text === '' || choiceOf(sold) === undefined) return { sold, fault: undefined };
  const amount = parseMoney(text, sold.currency);
  if (amount === undefined) return { sold, fault: names.wrong(sold.currency) };
  const chosen = await ask(amount);
  if (!isRefused(chosen)) return { sold: chosen, fault: undefined };
  if (chosen.reason !== 'amount_not_possible') return chosen as Refused<R>;
  return { sold, fault: chosen.detail };
}

/** The amount in the field of a page that is opened: the chosen one. Empty if the price cannot be chosen. */
export function amountIn(sold: OfferedAs<Product>, credit = 0): string {
  return choiceOf(sold) === undefined ? '' : formatAmount(sold.product.price + credit, sold.currency);
}

/** Refuses an amount that is not possible, if buyers choose the price. */
export function wrongAmount(
  { sold, fault }: AtTyped<OfferedAs<Product>>,
  typed: string,
): undefined | Refused<'amount_not_possible'> {
  if (sold.suggested === undefined || (typed !== '' && fault === undefined)) return undefined;
  return refuse('amount_not_possible', fault ?? names.wrong(sold.currency));
}

/**
 * Whether the page has not shown what is to be paid for the amount that was typed. Nobody pays a price that the page has not
 * shown. Another amount can need another way to pay.
 */
export function isUnseen(
  sold: OfferedAs<Product> & { readonly ways: readonly Provider[]; readonly credit?: number },
  { seen, way }: { readonly seen: string; readonly way: string },
): boolean {
  if (sold.suggested === undefined) return false;
  return seen !== amountIn(sold, sold.credit) || (way !== '' && !sold.ways.some((one) => one === way));
}

/** Says what is to be paid, after the buyer has chosen a price, a coupon or a currency that the page did not show. */
export function changedTo(price: number, currency: string): string {
  return price === 0 ? names.free : names.changed(moneyOf(price, currency));
}

/** The state of the form, with what is wrong with the amount. */
export function withAmountFault(state: FormState, fault: string | undefined): FormState {
  if (fault === undefined || state.faults.amount !== undefined) return state;
  return { ...state, faults: { ...state.faults, amount: [fault] } };
}

/** The field in which buyers choose the price, with the amount that the page shows. Nothing if they cannot. */
export function AmountField({
  sold,
  credit = 0,
}: {
  readonly sold: OfferedAs<Product>;
  /** The credit that is subtracted from the amount. */
  readonly credit?: number;
}): VNode | null {
  const choice = choiceOf(sold);
  if (choice === undefined) return null;
  const { currency } = sold;
  return (
    <>
      <TextField name="amount" label={names.label(currency)} hint={hintOf(choice, currency)} inputmode="decimal" />
      <input type="hidden" name="seen_amount" value={amountIn(sold, credit)} />
    </>
  );
}

function hintOf({ least, suggested }: PriceChoice, currency: string): string {
  return least === 0
    ? names.orNothing(moneyOf(suggested, currency))
    : names.atLeast(moneyOf(least, currency), moneyOf(suggested, currency));
}
