import type { Clock, Instant } from '../ports/clock.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { minute } from '../time.ts';

/** When another try of an import is worth it while others are at work, in seconds. */
export const retryAfter = 30;

/**
 * The files that one process checks at the same time. Fewer than it receives, so that imports have room beside them. The last place is
 * for people who have checked none in the last minutes, so that two who check large files again and again leave room for others.
 */
const most = 2;
const lately = 5 * minute;

/** People with the time at which they did something lately, in the order of these times. */
function createLately(clock: Clock) {
  const times = new Map<string, Instant>();
  const forget = () => {
    const since = clock.now() - lately;
    for (const [one, at] of times) {
      if (at > since) break;
      times.delete(one);
    }
  };
  return {
    note(actor: string): void {
      times.delete(actor); // Now it is the last.
      times.set(actor, clock.now());
    },
    drop: (actor: string) => times.delete(actor),
    has(actor: string): boolean {
      forget();
      return times.has(actor);
    },
    hasOthers(actor: string): boolean {
      forget();
      return times.size > (times.has(actor) ? 1 : 0);
    },
  };
}

/** Returns a function that checks a file for somebody, or refuses if no place is free for this person. */
export function createCheckPlaces(clock: Clock) {
  let taken = 0;
  const checked = createLately(clock);
  return async <T>(actor: string, check: () => Promise<T>): Promise<T | Refused<'checks_running'>> => {
    if (taken >= (checked.has(actor) ? most - 1 : most))
      return refuse('checks_running', 'Other files are being checked. Try again in some minutes.', {
        retry_after: retryAfter,
      });
    taken += 1;
    try {
      return await check();
    } finally {
      taken -= 1;
      checked.note(actor);
    }
  };
}

/**
 * Returns a function that imports a file for somebody. One import runs at a time. Whoever has imported in the last minutes waits while another
 * person, who was refused because of an import, may come again.
 */
export function createImportTurns(clock: Clock) {
  const imported = createLately(clock);
  const refused = createLately(clock);
  return async <T>(actor: string, run: () => Promise<T | Refused<'import_running'>>) => {
    if (imported.has(actor) && refused.hasOthers(actor))
      return refuse('import_running', 'Others wait to import a file, too. Try again in some minutes.', {
        retry_after: retryAfter,
      });
    let hasRun = true;
    try {
      const done = await run();
      hasRun = !isRefused(done);
      return done;
    } finally {
      if (hasRun) {
        refused.drop(actor);
        imported.note(actor);
      } else refused.note(actor);
    }
  };
}
