import type { VNode } from 'preact';
import { baseCurrency } from '../../../core/currency.ts';
import { formWords } from './words.ts';

/** Returns the currency that an address asks for, if there is a price in it. Else the base currency. */
export function currencyWanted(wanted: unknown, offered: readonly string[]): string {
  const code = typeof wanted === 'string' ? wanted.toLowerCase() : '';
  return offered.includes(code) ? code : baseCurrency;
}

/** The fields of an address with a currency. The base currency needs none, so addresses stay as they are. */
export function currencyQuery(currency: string): { readonly currency?: string } {
  return currency === baseCurrency ? {} : { currency };
}

/** Returns the end of an address, with its question mark. */
export function queryWith(fields: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

/**
 * Lets buyers choose a currency. Works without script: the choice is part of the address. Returns nothing if there is only one.
 */
export function CurrencyChoice({
  action,
  currencies,
  chosen,
  keep = {},
}: {
  readonly action: string;
  readonly currencies: readonly string[];
  readonly chosen: string;
  /** Other fields of the address. */
  readonly keep?: Readonly<Record<string, string | undefined>>;
}): VNode | null {
  if (currencies.length < 2) return null;
  return (
    <form method="get" action={action} class="currency-choice">
      {Object.entries(keep).map(([name, value]) =>
        value === undefined ? null : <input key={name} type="hidden" name={name} value={value} />,
      )}
      <label for="currency">{formWords.currency}</label>
      <select id="currency" name="currency">
        {currencies.map((code) => (
          <option key={code} value={code} selected={code === chosen}>
            {currencyName(code)}
          </option>
        ))}
      </select>
      <button type="submit" class="button small">
        {formWords.change}
      </button>
    </form>
  );
}

let names: Intl.DisplayNames | undefined;

/** The code of a currency with its name, such as `EUR – Euro`. */
export function currencyName(code: string): string {
  names ??= new Intl.DisplayNames('en', { type: 'currency', fallback: 'none' });
  const [short, name] = [code.toUpperCase(), names.of(code.toUpperCase())];
  return name === undefined ? short : `${short} – ${name}`;
}
