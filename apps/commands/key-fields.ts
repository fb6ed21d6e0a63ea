import { z } from 'zod';
import { maxOverlap } from '../../core/accounts/api-key.ts';
import { type Scopes, scopeNames } from '../../core/accounts/scope.ts';

/** The scopes of a new key. It is an object, because commander treats a bare `null` as an empty text. */
export interface Allowed {
  readonly scopes: Scopes;
}

/** `all`, or names of scopes with commas between them. */
export const allowedScopes = z.string().transform((text, context): Allowed => {
  if (text.trim() === 'all') return { scopes: null };
  const list = z.array(z.enum(scopeNames)).safeParse(text.split(',').map((name) => name.trim()));
  if (list.success) return { scopes: list.data };
  context.addIssue(`It must be all, or some of ${scopeNames.join(',')}.`);
  return z.NEVER;
});

const units: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400 };

/** The overlap of a rotation, in seconds: `0`, `30m`, `12h` or `7d`. */
export const overlap = z.string().transform((text, context) => {
  if (text.trim() === '0') return 0;
  const [, count, unit = ''] = /^(\d{1,5})([mhd])$/.exec(text.trim()) ?? [];
  const seconds = Number(count) * (units[unit] ?? Number.NaN);
  if (seconds <= maxOverlap) return seconds;
  context.addIssue('It must be 0, or a time of at most 7 days, such as 30m, 12h or 7d.');
  return z.NEVER;
});
