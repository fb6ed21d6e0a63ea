import { z } from 'zod';
import type { Instant } from '../../../../core/ports/clock.ts';
import { type Refused, refuse } from '../../../../core/refusal.ts';

const day = 86_400_000;
export const expiries = ['never', '30', '90', '365', 'date'] as const;
export type Expiry = (typeof expiries)[number];

const isDay = (text: string) => z.iso.date().safeParse(text).success;

/** Returns when a new key expires. `until` is its last day in UTC, such as `2026-11-22`, for the choice `date`. */
export function expiryOf(choice: Expiry, until: string, now: Instant): Instant | null | Refused<'no_day'> {
  switch (choice) {
    case 'never':
      return null;
    case '30':
    case '90':
    case '365':
      return now + Number(choice) * day;
    case 'date':
      return isDay(until) ? Date.parse(until) + day : refuse('no_day');
  }
}
