import type { Clock, Instant } from '../ports/clock.ts';
import { minute } from '../time.ts';
import type { DomainName } from './domain-name.ts';
import type { LicenseKey } from './license-key.ts';

/** The domains that were just looked up in vain. In the memory of one process. */
export interface MissedProofs {
  note(key: LicenseKey, host: DomainName): void;
  /** Whether the host was looked up for this license less than `missedFor` ago, and nothing was found. */
  has(key: LicenseKey, host: DomainName): boolean;
}

/** In milliseconds. */
export const missedFor = minute;

/** If there are more, the oldest are forgotten: their next lookup costs time, and nothing else. */
export const mostMissed = 10_000;

export function createMissedProofs(clock: Clock): MissedProofs {
  /** Until when, the oldest first. */
  const until = new Map<string, Instant>();
  return {
    note(key, host) {
      const pair = `${key} ${host}`;
      until.delete(pair);
      until.set(pair, clock.now() + missedFor);
      for (const oldest of until.keys()) {
        if (until.size <= mostMissed) break;
        until.delete(oldest);
      }
    },
    has: (key, host) => (until.get(`${key} ${host}`) ?? Number.NEGATIVE_INFINITY) > clock.now(),
  };
}
