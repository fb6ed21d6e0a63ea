import type { Clock } from '../ports/clock.ts';
import type { WebhookStore } from '../ports/webhook-store.ts';
import { keptFor } from './delivery.ts';

/** Deletes events with their deliveries that can no longer be sent again. Returns the number of events. */
export async function forgetOldEvents(store: Pick<WebhookStore, 'forget'>, clock: Clock): Promise<number> {
  return await store.forget(clock.now() - keptFor);
}
