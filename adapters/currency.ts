import { LRUCache } from 'lru-cache';
import { decimalsOf } from '../core/currency.ts';

/** How amounts of a currency are written. */
interface Currency {
  /** Writes an amount in the main unit, such as dollars, for people. */
  readonly format: Intl.NumberFormat;
  /** The number of decimals. */
  readonly digits: number;
  /** The code and the symbols in lower case, such as `usd` and `$`. People type them before or after an amount. */
  readonly signs: readonly string[];
}

/** More than there are currencies. They are kept because it is slow to create a number format. */
const known = new LRUCache<string, Currency>({ max: 300 });

/** Returns how to write a currency. `code`: three letters, such as `usd`. Throws `RangeError` if it is anything else. */
export function currencyOf(code: string): Currency {
  const found = known.get(code);
  if (found) return found;
  const digits = decimalsOf(code);
  const decimals = digits === undefined ? {} : { minimumFractionDigits: digits, maximumFractionDigits: digits };
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency: code, ...decimals });
  const made = { format, digits: digits ?? format.resolvedOptions().maximumFractionDigits ?? 2, signs: signsOf(code) };
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
