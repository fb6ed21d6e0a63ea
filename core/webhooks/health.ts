import type { Instant } from '../ports/clock.ts';
import { day } from '../time.ts';
import { type Health, healthy } from './endpoint.ts';

/** Milliseconds with nothing but failures after which the owner of an endpoint is warned. */
export const warnAfter = 4 * day;
/** Milliseconds with nothing but failures after which an endpoint is switched off. */
export const offAfter = 5 * day;
/** Milliseconds at least between the warning and the end. */
export const warnedFor = day;

/** An attempt that ended, as far as the health of its endpoint is concerned. */
export interface HealthSign {
  readonly at: Instant;
  readonly isSuccess: boolean;
  /** It was the last attempt of a delivery that failed. */
  readonly isFinal: boolean;
}

/** What the owner of an endpoint is told. `failed`: a delivery failed for good, for the first time since a success. */
export type HealthNews = 'failed' | 'off_soon' | 'off';

export interface Judged {
  readonly health: Health;
  readonly news: readonly HealthNews[];
}

/**
 * Judges an endpoint after attempts, oldest first. After a success, the owner need not be warned any more, but is still told
 * that a delivery has failed. Without attempts, nothing changes: an endpoint that gets no events is neither warned nor switched off.
 */
export function afterAttempts(before: Health, signs: readonly HealthSign[]): Judged {
  return signs.reduce<Judged>((judged, sign) => afterOne(judged, sign), { health: before, news: [] });
}

function afterOne({ health, news }: Judged, { at, isSuccess, isFinal }: HealthSign): Judged {
  if (isSuccess) return { health: healthy, news: news.filter((one) => one === 'failed') };
  const failingSince = health.failingSince ?? at;
  const failingFor = at - failingSince;
  const isFailed = isFinal && health.failedAt === null;
  const isWarned = health.warnedAt === null && failingFor >= warnAfter;
  const isOff = health.warnedAt !== null && at - health.warnedAt >= warnedFor && failingFor >= offAfter;
  return {
    health: {
      failingSince,
      failedAt: isFailed ? at : health.failedAt,
      warnedAt: isWarned ? at : health.warnedAt,
    },
    news: [
      ...news,
      ...(isFailed ? (['failed'] as const) : []),
      ...(isWarned ? (['off_soon'] as const) : []),
      ...(isOff && !news.includes('off') ? (['off'] as const) : []),
    ],
  };
}
