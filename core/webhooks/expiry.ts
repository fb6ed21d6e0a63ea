import type { Clock } from '../ports/clock.ts';
import type { WebhookExpiries } from '../ports/webhook-expiries.ts';

/**
 * How long the job waits after the end of a license, in milliseconds: a change that was decided before the end may be
 * committed this much later. A change that is committed even later can be missed.
 */
const margin = 20_000;

/** Tells webhooks of all licenses that have expired. Every process may call this at any time. */
export async function tellExpired(expiries: WebhookExpiries, clock: Clock, goOn: () => boolean): Promise<void> {
  const now = clock.now();
  while (goOn()) {
    if ((await expiries.tell(now - margin, now)) === 'done') return;
  }
}
