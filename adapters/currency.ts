import { LRUCache } from 'lru-cache';

/** How amounts of a currency are written. */
interface Currency {
  /** Writes an amount in the main unit, such as dollars, for people. */
  readonly format: Intl.NumberFormat;
  /** The number of decimals. */
  readonly digits: number;
  /** What people write beside an amount, in lower case, such as `usd` and `$`. */
  readonly signs: readonly string[];
}

/** More than there are currencies. To make one takes as long as to write a hundred amounts. */
const known = new LRUCache<string, Currency>({ max: 300 });

/** `code`: three letters, such as `usd`. Throws if it is no such text. */
export function currencyOf(code: string): Currency {
  const found = known.get(code);
  if (found) return found;
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency: code });
  const made = { format, digits: format.resolvedOptions().maximumFractionDigits ?? 2, signs: signsOf(code) };
  known.set(code, made);
  return made;
}

function signsOf(currency: string): string[] {
  return (['code', 'symbol', 'narrowSymbol'] as const).flatMap((currencyDisplay) =>
    new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay })
      .formatToParts(0)
      .flatMap(({ type, value }) => (type === 'currency' ? [value.toLowerCase()] : [])),
  );
}
