import type { VNode } from 'preact';
import { decimalsOf } from '../../../../core/currency.ts';
import type { OfferedAs } from '../../../../core/marketplace/offers.ts';
import { choiceOf } from '../../../../core/marketplace/price-choice.ts';
import type { Product } from '../../../../core/marketplace/product.ts';
import type { Asset } from '../../ui/assets.ts';
import { words } from './words.ts';

const { buy: names } = words;

/** The script that keeps the sum on the button and in the total true while somebody types. */
export const sumScript: Asset = 'sum.js';

/**
 * The text of a button without a script. Nobody knows yet what a buyer pays who chooses the price, so the button names no sum. The
 * script shows it.
 */
export function withoutSum({ suggested }: OfferedAs<Product>, withSum: string): string {
  return suggested === undefined ? withSum : names.goOn;
}

/** What the script needs. `withSum`: the text of the button for what the page shows. */
export function SumMarks({
  sold,
  withSum,
  textFor,
}: {
  readonly sold: OfferedAs<Product>;
  readonly withSum: string;
  /** The text of the button for a sum. `undefined` if the sum is not the amount that somebody types. */
  readonly textFor: ((sum: string) => string) | undefined;
}): VNode {
  return (
    <p
      hidden
      data-sum={withSum}
      data-update={names.showSum}
      data-pattern={textFor?.('{sum}')}
      data-currency={sold.currency.toUpperCase()}
      data-digits={decimalsOf(sold.currency)}
      data-least={choiceOf(sold)?.least}
    />
  );
}
