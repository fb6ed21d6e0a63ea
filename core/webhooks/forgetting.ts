import { type By, event } from '../events/event.ts';
import type { Clock } from '../ports/clock.ts';
import type { WebhookStore } from '../ports/webhook-store.ts';
import { keptFor } from './delivery.ts';
import { auditName, listenerLife } from './endpoint.ts';

/** Deletes events with their deliveries that can no longer be sent again. Returns the number of events. */
export async function forgetOldEvents(store: Pick<WebhookStore, 'forget'>, clock: Clock): Promise<number> {
  return await store.forget(clock.now() - keptFor);
}

const by: By = { actor: 'server', reason: 'Nobody fetched its events.' };

/** Removes the listeners that are on and that nobody uses any more, such as those of killed programs. Returns how many. */
export async function removeIdleListeners(store: Pick<WebhookStore, 'removeIdle'>, clock: Clock): Promise<number> {
  const now = clock.now();
  return await store.removeIdle(now - listenerLife, ({ id, url }) =>
    event('webhook.removed', auditName(url), by, now, { id }),
  );
}
