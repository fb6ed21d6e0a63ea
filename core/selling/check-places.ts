import type { Clock, Instant } from '../ports/clock.ts';
import { type Refused, refuse } from '../refusal.ts';
import { minute } from '../time.ts';

/** When another try of an import is worth it while others are at work, in seconds. */
export const soon = 30;

/**
 * The files that one process checks at the same time. Fewer than it receives, so that imports have room beside them. The last place is
 * for people who have checked none in the last minutes, so that two who check large files again and again leave room for others.
 */
const most = 2;
const lately = 5 * minute;

/** Returns a function that checks a file for somebody, or refuses if no place is free for this person. */
export function createCheckPlaces(clock: Clock) {
  let taken = 0;
  /** When somebody's last check ended. In the order of these times. */
  const ended = new Map<string, Instant>();

  function isFreeFor(actor: string): boolean {
    const since = clock.now() - lately;
    for (const [one, at] of ended) {
      if (at > since) break;
      ended.delete(one);
    }
    return taken < (ended.has(actor) ? most - 1 : most);
  }

  return async <T>(actor: string, check: () => Promise<T>): Promise<T | Refused<'checks_running'>> => {
    if (!isFreeFor(actor))
      return refuse('checks_running', 'Other files are being checked. Try again in some minutes.', {
        retry_after: soon,
      });
    taken += 1;
    try {
      return await check();
    } finally {
      taken -= 1;
      ended.delete(actor); // Now it is the last.
      ended.set(actor, clock.now());
    }
  };
}
