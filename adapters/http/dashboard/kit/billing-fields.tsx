import type { VNode } from 'preact';
import { z } from 'zod';
import { type BillingDetails, type BillingFault, billingLimits } from '../../../../core/invoices/billing-details.ts';
import { countries } from '../../../../core/invoices/countries.ts';
import { AreaField, SelectField, TextField } from '../../ui/form.tsx';
import type { FormValues } from '../../ui/form-state.ts';
import { countryName } from '../../ui/invoice-sheet.ts';
import { hiddenText, optional } from './fields.ts';

/** The words of the fields for who is named on an invoice. */
const names = {
  company: 'Name of the company',
  street: 'Address',
  streetHint: 'Street and number. At most four lines.',
  postalCode: 'Postal code (optional)',
  city: 'City',
  region: 'State or province (optional)',
  country: 'Country',
  noCountry: 'Choose a country',
  taxId: 'VAT or tax ID (optional)',
  taxIdHint: 'Such as DE136695976.',
} as const;

const limits = billingLimits;
const longestStreet = limits.lines * (limits.line + 1);

/** The fields of a form. All may be empty here: the use case says what is missing. */
export const billingFields = {
  company: optional(limits.name),
  street: optional(longestStreet),
  postal_code: optional(limits.postalCode),
  city: optional(limits.city),
  region: optional(limits.region),
  country: hiddenText,
  tax_id: optional(limits.taxId),
};
const allFields = z.object(billingFields);
type Typed = z.output<typeof allFields>;

/** Returns what was typed. `undefined`: nothing. */
export function typedBilling(typed: Typed): BillingDetails | undefined {
  const { company, street, postal_code: postalCode, city, region, country, tax_id: taxId } = typed;
  if ([company, street, postalCode, city, region, country, taxId].every((text) => text === '')) return undefined;
  const lines = street.replaceAll('\r\n', '\n').split('\n');
  return { name: company, lines, postalCode, city, region, country: country || null, taxId };
}

/** Returns the values of the fields. */
export function billingValues(details: BillingDetails | null | undefined): FormValues {
  if (details == null) return {};
  const { name, lines, postalCode, city, region, country, taxId } = details;
  return {
    ...{ company: name, street: lines.join('\n'), postal_code: postalCode, city, region },
    ...{ country: country ?? '', tax_id: taxId },
  };
}

/** How the form shows what is wrong. */
export const billingRefusals = {
  name_missing: { field: 'company', text: 'Enter the name of the company.' },
  address_missing: { field: 'street', text: 'Enter the street and number.' },
  city_missing: { field: 'city', text: 'Enter the city.' },
  country_unknown: { field: 'country', text: 'Choose the country.' },
  tax_id_invalid: { field: 'tax_id', text: 'This is no VAT ID of this country. Check its letters and digits.' },
  odd_characters: { field: 'company', text: 'The details contain characters that cannot be printed. Type them again.' },
  too_long: { field: 'street', text: 'Use at most four lines of at most 120 characters.' },
} as const satisfies Record<BillingFault, { readonly field: string; readonly text: string }>;

export function BillingFields(): VNode {
  const known = countries.map((code) => [code, countryName(code)] as const);
  const byName = known.toSorted(([, one], [, other]) => one.localeCompare(other, 'en'));
  return (
    <>
      <TextField name="company" label={names.company} autocomplete="organization" />
      <AreaField name="street" label={names.street} hint={names.streetHint} rows={2} />
      <TextField name="postal_code" label={names.postalCode} autocomplete="postal-code" />
      <TextField name="city" label={names.city} autocomplete="address-level2" />
      <TextField name="region" label={names.region} autocomplete="address-level1" />
      <SelectField name="country" label={names.country} options={[['', names.noCountry], ...byName]} />
      <TextField name="tax_id" label={names.taxId} hint={names.taxIdHint} isCode />
    </>
  );
}
