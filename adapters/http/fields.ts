import { z } from 'zod';
import { iso } from '../../core/iso.ts';
import { normalizeDomain } from '../../core/licensing/domain-name.ts';
import type { Instant } from '../../core/ports/clock.ts';

/** A text that is there once, is not blank, and has at most `max` characters (code points). */
export function text(max: number) {
  return bounded(withoutNul, max);
}

/** The same, without the blanks around it, which do not count. */
export function trimmed(max: number) {
  return bounded(withoutNul.trim(), max);
}

/** A text that may be missing or blank, which is `null`; blanks around it do not count. */
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

/** Postgres cannot keep a NUL character, so no text may have one, whatever the database. */
export function isWithoutNul(value: string): boolean {
  return !value.includes('\0');
}

export const nulFault = 'It must not contain a NUL character.';

export const missing = 'It is required.';
export const notOneText = 'It must be one text.';

/** What is said of a value that is not of a schema's type: that it is missing, or else the text given. */
export function missingOr(otherwise: string) {
  return { error: ({ input }: { readonly input?: unknown }) => (input === undefined ? missing : otherwise) };
}

/** A text that is there once. */
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

/** A key with a NUL character is no key, as any other text that no license has. */
export const licenseKey = bounded(present, 64).meta({
  description: 'The license key. Blanks around it, line breaks and lower case are repaired.',
  example: 'LIC-7H2K-9QWX-M4TB-C0VJ',
});

export const domain = text(2048)
  .transform((value, context) => {
    const name = normalizeDomain(value);
    if (name !== undefined) return name;
    context.addIssue('It is not the address of a site.');
    return z.NEVER;
  })
  .meta({ description: 'The site, as a host or any address on it.', example: 'https://app.example.com/' });

/** ISO 8601 in UTC with milliseconds. */
export const timestamp = z.iso.datetime({ precision: 3 }).meta({ example: '2026-11-21T09:30:00.000Z' });

export function isoOrNull(instant: Instant | null): string | null {
  return instant === null ? null : iso(instant);
}
