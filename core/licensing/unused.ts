import type { Instant } from '../ports/clock.ts';
import { day } from '../time.ts';
import type { Period } from './periods.ts';

/** A period with the part of the time that it gives. `to` is `null` for ever, or if it gave no time and its worth is unused. */
export interface Part {
  readonly period: Period;
  readonly from: Instant;
  readonly to: Instant | null;
}

/** Returns what the unused rest of a part is worth. A day that has begun counts as unused, so that a price stays the same for a day. */
export function unusedOf({ period: { worth }, from, to }: Part, now: Instant): number {
  if (to === null || now <= from) return worth;
  const left = Math.min(to - from, Math.ceil((to - now) / day) * day);
  return to <= now ? 0 : Math.floor((worth * left) / (to - from));
}

/**
 * Returns what stays unused of a part when other terms begin that it was not taken off the price of: it was paid after their
 * order was made. Of one that is built on others, nothing stays, because what was taken off its price could be counted twice.
 */
export function leftUnused(part: Part, { at, builtOn }: Pick<Period, 'at' | 'builtOn'>): readonly Part[] {
  const { period } = part;
  const worth = unusedOf(part, at);
  const isCounted = period.gives.kind === 'start' || period.builtOn.length > 0 || builtOn.includes(period.cause);
  if (worth === 0 || isCounted) return [];
  return [{ period: { ...period, worth }, from: at, to: null }];
}
