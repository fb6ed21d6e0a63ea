import type { VNode } from 'preact';
import type { z } from 'zod';
import { baseCurrency, currencies, formatAmount, mostAmount } from '../../../../core/currency.ts';
import { mostPrices, type Priced, type PriceList } from '../../../../core/marketplace/price-list.ts';
import { currencyName } from '../../ui/currency-choice.tsx';
import { useFormState } from '../../ui/current-form.ts';
import { ChoiceField, SelectField, TextField } from '../../ui/form.tsx';
import { type FormValues, textOf } from '../../ui/form-state.ts';
import { parseMoney, readPrice } from '../../ui/prices.ts';
import { optionalText, someOf } from '../kit/fields.ts';
import { offerWords as names } from './offer-words.ts';

/** The rows below the last one that is filled in. Without script, more come each time the form is saved. */
const spareRows = 3;
const rows = Array.from({ length: mostPrices }, (_, index) => index + 1);
const currencyField = (row: number) => `currency_${row}`;
const amountField = (row: number) => `amount_${row}`;
const leastField = (row: number) => `least_${row}`;

/** The fields of the prices in other currencies. */
const priceRowNames = rows.flatMap((row) => [currencyField(row), amountField(row), leastField(row)]);
const rowFields: Readonly<Record<string, typeof optionalText>> = Object.fromEntries(
  priceRowNames.map((name) => [name, optionalText]),
);
const choiceFields = { choice: someOf(['yes']), least: optionalText };
/** All of them, and whether buyers choose the price. */
export const priceRows = { ...rowFields, ...choiceFields } as typeof choiceFields;

/** The typed values, by the names of the fields. */
type Typed = Readonly<Record<string, unknown>>;

interface Row {
  readonly row: number;
  readonly currency: string;
  readonly text: string;
  /** The least price, as it was typed. */
  readonly least: string;
}

const textIn = (typed: Typed, name: string) => String(typed[name] ?? '').trim();

/** The rows that are filled in. */
function rowsIn(typed: Typed): Row[] {
  return rows
    .map((row) => ({
      row,
      currency: textIn(typed, currencyField(row)),
      text: textIn(typed, amountField(row)),
      least: textIn(typed, leastField(row)),
    }))
    .filter(({ currency, text }) => currency !== '' || text !== '');
}

/** Whether the form says that buyers choose the price. The style sheet hides the choice from what cannot have it. */
function isChosen({ choice, kind }: Typed): boolean {
  return [choice].flat().includes('yes') && kind !== 'trial' && kind !== 'subscription';
}

/** Returns the message about the least price of a row, or `undefined` if it is right. */
function leastFaultOf(typed: Typed, { currency, least }: Row): string | undefined {
  if (!isChosen(typed) || faultOfCurrency(currency) !== undefined) return undefined;
  if (least === '') return names.noLeastIn(currency);
  return parseMoney(least, currency) === undefined ? names.wrongAmount(currency) : undefined;
}

function faultOfCurrency(currency: string): string | undefined {
  return currencies.includes(currency) && currency !== baseCurrency ? undefined : names.noCurrency;
}

/** Returns the message about a row, or `undefined` if it is right. */
function faultOf(typed: Typed, { row, currency, text }: Row): string | undefined {
  if (currency === '') return names.noCurrency;
  if (rowsIn(typed).some((other) => other.row < row && other.currency === currency)) return names.sameCurrency;
  if (faultOfCurrency(currency) !== undefined) return names.noCurrency;
  const amount = parseMoney(text, currency);
  if (amount !== undefined && amount > 0 && amount <= mostAmount) return undefined;
  return text === '' ? names.noAmount : names.wrongAmount(currency);
}

/** Adds the checks of the prices to a form, each with its message beside its field. */
export function withPriceRows<Fields extends z.ZodObject>(fields: Fields): Fields {
  const ofRow = (row: number, fault: (typed: Typed, one: Row) => string | undefined) => (typed: Typed) => {
    const one = rowsIn(typed).find((one) => one.row === row);
    return one && fault(typed, one);
  };
  const checks: readonly (readonly [name: string, fault: (typed: Typed) => string | undefined])[] = [
    [
      'least',
      (typed) => (isChosen(typed) && readPrice(textIn(typed, 'least')) === undefined ? names.noLeast : undefined),
    ],
    ...rows.flatMap((row) => [
      [amountField(row), ofRow(row, faultOf)] as const,
      [leastField(row), ofRow(row, leastFaultOf)] as const,
    ]),
  ];
  return checks.reduce<Fields>(
    (checked, [name, fault]) =>
      checked.refine((typed) => fault(typed) === undefined, {
        path: [name],
        error: ({ input }) => fault(input as Typed),
        // Checked also if other fields are wrong, so that all messages come at once.
        when: () => true,
      }),
    fields,
  );
}

/** Returns the prices of a form that passed the checks, besides the one in the base currency. */
export function toPrices(typed: Typed): { readonly prices: PriceList; readonly leastPrices: PriceList | null } {
  const listed = rowsIn(typed);
  const amounts = (of: (row: Row) => string) =>
    Object.fromEntries(listed.map((row) => [row.currency, parseMoney(of(row), row.currency) ?? 0]));
  const least = { ...amounts((row) => row.least), [baseCurrency]: readPrice(textIn(typed, 'least')) ?? 0 };
  return { prices: amounts(({ text }) => text), leastPrices: isChosen(typed) ? least : null };
}

/** The initial values of the prices, besides the one in the base currency. */
export function valuesOfPrices({ prices, leastPrices }: Pick<Priced, 'prices' | 'leastPrices'>): FormValues {
  const leastText = (currency: string) => {
    const least = leastPrices?.[currency];
    return least === undefined ? '' : formatAmount(least, currency);
  };
  return {
    choice: leastPrices == null ? [] : ['yes'],
    least: leastText(baseCurrency),
    ...Object.fromEntries(
      Object.entries(prices ?? {}).flatMap(([currency, amount], index) => [
        [currencyField(index + 1), currency],
        [amountField(index + 1), formatAmount(amount, currency)],
        [leastField(index + 1), leastText(currency)],
      ]),
    ),
  };
}

/** Whether buyers choose the price. The field of the least price is shown only then. */
function PriceChoiceFields(): VNode {
  return (
    <div class="if-choosable">
      <ChoiceField name="choice" type="checkbox" label={names.choice} options={[['yes', names.isChosen]]} />
      <div class="if-chosen">
        <TextField name="least" label={names.least} hint={names.leastHint} inputmode="decimal" />
      </div>
    </div>
  );
}

/** Whether buyers choose the price, and the prices in other currencies, folded away if there are none. */
export function PriceRows(): VNode {
  return (
    <>
      <PriceChoiceFields />
      <OtherPrices />
    </>
  );
}

function OtherPrices(): VNode {
  const state = useFormState();
  const filled = rows.filter((row) => textOf(state, currencyField(row)) + textOf(state, amountField(row)) !== '');
  const isWrong = priceRowNames.some((name) => state.faults[name] !== undefined);
  const shown = rows.slice(0, (filled.at(-1) ?? 0) + spareRows);
  const options = currencies.filter((code) => code !== baseCurrency).map((code) => [code, currencyName(code)] as const);
  return (
    <details class="folded price-rows" open={filled.length > 0 || isWrong}>
      <summary class="fold">{names.prices}</summary>
      <p class="lead">{names.pricesLead}</p>
      {shown.map((row) => (
        <div key={row} class="pair price-row">
          <SelectField
            name={currencyField(row)}
            label={names.currencyOf(row)}
            options={[['', names.chooseCurrency], ...options]}
          />
          <TextField name={amountField(row)} label={names.amountOf(row)} inputmode="decimal" />
          <TextField name={leastField(row)} label={names.leastOf(row)} inputmode="decimal" />
        </div>
      ))}
    </details>
  );
}
