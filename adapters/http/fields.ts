import { z } from 'zod';
import { iso } from '../../core/iso.ts';
import { aliasLength } from '../../core/licensing/alias.ts';
import { type DomainName, normalizeDomain } from '../../core/licensing/domain-name.ts';
import { entitlementLimits, isEntitlement } from '../../core/licensing/entitlements.ts';
import { parseActivationName } from '../../core/licensing/instance.ts';
import type { Instant } from '../../core/ports/clock.ts';

/** A required single text that is not blank and has at most `max` characters (code points). */
export function text(max: number) {
  return bounded(withoutNul, max);
}

/** Like `text`, but trims first. */
export function trimmed(max: number) {
  return bounded(withoutNul.trim(), max);
}

/** An optional text, trimmed. A missing or blank text becomes `null`. */
export function optionalText(max: number) {
  return z
    .string({ error: notOneText })
    .trim()
    .refine(isWithoutNul, nulFault)
    .refine((value) => isWithin(value, max), tooLong(max))
    .optional()
    .transform((value) => value || null)
    .meta({ maxLength: max });
}

/** Postgres cannot store NUL characters, so no text may contain one, with any database. */
export function isWithoutNul(value: string): boolean {
  return !value.includes('\0');
}

export const nulFault = 'It must not contain a NUL character.';

export const missing = 'It is required.';
export const notOneText = 'It must be one text.';

/** The message for a parameter that the address contains more than once. */
export const givenTwice = 'It is in the address more than once: send it once.';

/** The message for a value of the wrong type: `missing` if there is no value, else `otherwise`. */
export function missingOr(otherwise: string) {
  return { error: ({ input }: { readonly input?: unknown }) => (input === undefined ? missing : otherwise) };
}

/** A required single text. */
export const present = z.string(missingOr(notOneText));

const withoutNul = present.refine(isWithoutNul, nulFault);

function bounded(schema: z.ZodString, max: number) {
  return schema
    .refine((value) => value.trim() !== '', 'It must not be empty.')
    .refine((value) => isWithin(value, max), tooLong(max))
    .meta({ minLength: 1, maxLength: max });
}

function isWithin(value: string, max: number): boolean {
  return value.length <= max || [...value].length <= max;
}

function tooLong(max: number): string {
  return `It must have at most ${max} characters.`;
}

/** Accepts NUL. A key that contains NUL is unknown, not invalid. */
export const licenseKey = bounded(present, aliasLength.most).meta({
  description:
    'The license key, or another key that leads to the license. Surrounding blanks, line breaks and lower case are corrected.',
  example: 'LIC-7H2K-9QWX-M4TB-C0VJ',
});

function site(parse: (text: string) => DomainName | undefined) {
  return text(2048).transform((value, context) => {
    const name = parse(value);
    if (name !== undefined) return name;
    context.addIssue('It is not the address of a site.');
    return z.NEVER;
  });
}

export const domain = site(normalizeDomain).meta({
  description: 'The site: a host name, or any URL on it.',
  example: 'https://app.example.com/',
});

/** A domain, or an instance of a client of another system. */
export const activationName = site(parseActivationName);

/** ISO 8601 in UTC with milliseconds. */
export const timestamp = z.iso.datetime({ precision: 3 }).meta({ example: '2026-11-21T09:30:00.000Z' });

/** When something ends. In examples that is later than all other times. */
export const endTime = timestamp.meta({ example: '2027-11-21T09:30:00.000Z' });

/** The end of a license's updates, as answers show it. */
export const updatesUntil = timestamp
  .nullable()
  .meta({ description: 'The license may fetch the releases made until then. Null: all releases.', example: null });

/** The entitlements of a license, as answers show them. */
export const entitlementList = z
  .array(z.string())
  .meta({ description: 'Short codes of the seller, in alphabetical order.', example: ['pro'] });

/** The code of one entitlement. Upper case is corrected. */
export const entitlement = present
  .trim()
  .toLowerCase()
  .refine(isEntitlement, 'It must be a code such as pro: letters, digits and the characters . _ : -')
  .meta({ maxLength: entitlementLimits.code, example: 'pro' });

export function isoOrNull(instant: Instant | null): string | null {
  return instant === null ? null : iso(instant);
}

/** A whole number in a body. */
export function wholeNumber(least: number, most: number) {
  const fault = `It must be a whole number from ${least} to ${most}.`;
  return z.int(fault).min(least, fault).max(most, fault);
}
