import type { CheckTaxId } from '../ports/tax-ids.ts';
import { isRefused, type Refused, refuseAll } from '../refusal.ts';
import { isCountry } from './countries.ts';

/** Who is named on an invoice, with the address. Texts that are not known are empty. */
export interface BillingDetails {
  /** Of the company, or of the person. */
  readonly name: string;
  /** Street and number, and what else stands above the town. */
  readonly lines: readonly string[];
  readonly postalCode: string;
  readonly city: string;
  /** The state or province. */
  readonly region: string;
  /** A code of ISO 3166-1 with two letters. `null`: not known. */
  readonly country: string | null;
  /** For VAT or another tax. */
  readonly taxId: string;
}

/** The largest numbers of characters, and of lines. */
export const billingLimits = {
  name: 200,
  line: 120,
  lines: 4,
  postalCode: 20,
  city: 100,
  region: 100,
  taxId: 40,
} as const;

export type BillingFault =
  | 'name_missing'
  | 'address_missing'
  | 'city_missing'
  | 'country_unknown'
  | 'tax_id_invalid'
  | 'odd_characters'
  | 'too_long';

/** Line breaks, other control characters, and marks that turn the direction of the text around them. */
const odd = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\ufeff]/u;
const allOdd = new RegExp(odd.source, 'gu');

/** Whether a text can stand on one line of a document. */
export function isPlainLine(text: string): boolean {
  return !odd.test(text);
}

/** Returns a text of one line that can be printed: for what others have entered elsewhere. */
export function plainLine(text: string | null | undefined, max: number): string {
  const plain = (text ?? '').replaceAll(allOdd, ' ').replaceAll(/\s+/g, ' ').trim();
  return [...plain].slice(0, max).join('');
}

/** Checks what somebody has typed. Blank lines are left out. The tax id is returned as its country writes it. A refusal has all faults. */
export function checkedBilling(typed: BillingDetails, checkTaxId: CheckTaxId): BillingDetails | Refused<BillingFault> {
  const { country } = typed;
  const tidied = {
    name: typed.name.trim(),
    lines: typed.lines.map((line) => line.trim()).filter((line) => line !== ''),
    postalCode: typed.postalCode.trim(),
    city: typed.city.trim(),
    region: typed.region.trim(),
  };
  const { name, lines, postalCode, city, region } = tidied;
  const taxId = typed.taxId.trim();
  const isKnown = country !== null && isCountry(country);
  // The form of a tax id depends on the country.
  const checked = taxId === '' || !isKnown ? taxId : checkTaxId(country, taxId);
  const wrong = refuseAll<BillingFault>([
    ['odd_characters', ![name, ...lines, postalCode, city, region, taxId].every(isPlainLine)],
    ['name_missing', name === ''],
    ['address_missing', lines.length === 0],
    ['city_missing', city === ''],
    ['country_unknown', !isKnown],
    ['too_long', !isShort({ ...tidied, taxId })],
    ['tax_id_invalid', isRefused(checked)],
  ]);
  return wrong ?? { ...tidied, country, taxId: String(checked) };
}

function isShort({ lines, ...texts }: Omit<BillingDetails, 'country'>): boolean {
  const fits = (text: string, max: number) => [...text].length <= max;
  return (
    lines.length <= billingLimits.lines &&
    lines.every((line) => fits(line, billingLimits.line)) &&
    fits(texts.name, billingLimits.name) &&
    fits(texts.postalCode, billingLimits.postalCode) &&
    fits(texts.city, billingLimits.city) &&
    fits(texts.region, billingLimits.region) &&
    fits(texts.taxId, billingLimits.taxId)
  );
}
