import type { Clock, Instant } from '../ports/clock.ts';
import type { WebhookExpiries, WebhookVerifications } from '../ports/webhook-telling.ts';
import { minute } from '../time.ts';

/** If a process stops in the middle of a run, others wait this long before they take over. In milliseconds. */
const lease = minute;

/**
 * Tells webhooks of the verifications of the minutes that have ended. Every process may call this at any time: one of them
 * does the work, once a minute. Stops early if `goOn` returns false; a later call does the rest.
 */
export async function tellVerified(
  verifications: WebhookVerifications,
  clock: Clock,
  goOn: () => boolean,
): Promise<'not due' | 'done' | 'stopped' | 'lost'> {
  const now = clock.now();
  const run = await verifications.claim(now - (now % minute), lease);
  if (run === undefined) return 'not due';
  while (goOn()) {
    const step = await run.next();
    if (step !== 'more') return step;
  }
  return 'stopped';
}

/**
 * How long the job waits after the end of a license, in milliseconds: a change that was decided before the end may be
 * committed this much later. A change that is committed even later can be missed.
 */
const margin = 20_000;

/** The ends that are told of: all up to this one. */
export function expiriesDue(now: Instant): Instant {
  return now - margin;
}

/** Tells webhooks of all licenses that have expired. Every process may call this at any time. */
export async function tellExpired(expiries: WebhookExpiries, clock: Clock, goOn: () => boolean): Promise<void> {
  const now = clock.now();
  while (goOn()) {
    if ((await expiries.tell(expiriesDue(now), now)) === 'done') return;
  }
}
