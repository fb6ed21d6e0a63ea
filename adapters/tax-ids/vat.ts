import jsvat from 'jsvat-next';
import type { CheckTaxId } from '../../core/ports/tax-ids.ts';
import { refuse } from '../../core/refusal.ts';

/** The countries whose VAT ids are checked, with what their ids begin with: the EU, Great Britain, Norway and Switzerland. */
const prefixes: ReadonlyMap<string, string> = new Map([
  ...'AT BE BG CY CZ DE DK EE ES FI FR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK GB NO'
    .split(' ')
    .map((code) => [code, code] as const),
  ['GR', 'EL'],
  ['CH', 'CHE'],
]);

const { checkVAT, countries: _, ...byName } = jsvat;
const checked = Object.values(byName).filter(({ name }) => /^(?!Andorra|Australia|Brazil|Russia|Serbia)/.test(name));

/** Checks the form, and the check digits where the country has some. */
export const checkTaxId: CheckTaxId = (country, typed) => {
  const prefix = prefixes.get(country);
  if (prefix === undefined) return typed;
  const bare = typed.toUpperCase().replaceAll(/[\s.\-/]/g, '');
  const plain = country === 'NO' ? bare.replace(/MVA$/, '') : bare;
  // A company can also have the id of another country.
  for (const candidate of [plain, `${prefix}${plain}`]) {
    const { isValid, value } = checkVAT(candidate, checked);
    if (isValid && value !== undefined) return value;
  }
  return refuse('tax_id_invalid');
};
