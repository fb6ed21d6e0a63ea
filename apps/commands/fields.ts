import { z } from 'zod';
import { parseExpiry, parseMoment } from '../../adapters/expiry.ts';
import { keyHint, parseLicenseKey } from '../../core/licensing/license-key.ts';
import { termLimits } from '../../core/marketplace/product-terms.ts';
import type { Instant } from '../../core/ports/clock.ts';
import { day, hour } from '../../core/time.ts';
import { parseWholeNumber } from '../../core/whole-number.ts';

/** One line of text, trimmed. */
export function line(max: number) {
  return z
    .string()
    .trim()
    .refine((text) => text !== '' && [...text].length <= max, `It must have 1 to ${max} characters.`)
    .refine((text) => !/\p{Control}/u.test(text), 'It must not contain control characters.');
}

export function wholeNumber(min: number, max: number) {
  return z
    .string()
    .trim()
    .refine(
      (text) => parseWholeNumber(text, min, max) !== undefined,
      `It must be a whole number from ${min} to ${max}.`,
    )
    .transform(Number);
}

export const email = z
  .string()
  .trim()
  .pipe(z.email('It must be an e-mail address.').max(254, 'It must have at most 254 characters.'));

export const maxDomains = wholeNumber(1, termLimits.maxDomains);

export const licenseKey = z.string().transform((text, context) => {
  const key = parseLicenseKey(text);
  if (key !== undefined) return key;
  context.addIssue(keyHint);
  return z.NEVER;
});

/** A date, a date and time, a span from `now` on, or `never` (becomes `null`). The time may be in the past. */
function expiry(now: Instant) {
  return z.string().transform((text, context) => {
    const instant = parseExpiry(text, now);
    if (instant !== undefined) return instant;
    context.addIssue(
      'It must be a date (2030-01-31, to the end of that day), a date and time (2030-01-31T12:00:00Z), a span (30d, 4w, 1y) or never.',
    );
    return z.NEVER;
  });
}

const units = { h: hour, d: day, w: 7 * day } as const;

/** A date (its first moment), a date and time, or a span that ends `now`. In UTC if it has no offset. */
export function pastTime(now: Instant) {
  return z.string().transform((text, context) => {
    const [, count, unit] = /^(\d{1,5})([hdw])$/.exec(text.trim()) ?? [];
    if (unit === 'h' || unit === 'd' || unit === 'w') return now - Number(count) * units[unit];
    const instant = parseMoment(text.trim());
    if (instant !== undefined) return instant;
    context.addIssue(
      'It must be a date (2030-01-31), a date and time (2030-01-31T12:00:00Z) or a span (12h, 30d, 4w).',
    );
    return z.NEVER;
  });
}

/** The expiry of a license or key. It is an object, because commander treats a bare `null` as an empty text. */
export interface Expiry {
  readonly at: Instant | null;
}

/** The same as `expiry`, but the time must be after `now`. */
export function futureExpiry(now: Instant) {
  return expiry(now)
    .refine((instant) => instant === null || instant > now, 'It must be in the future.')
    .transform((at): Expiry => ({ at }));
}
