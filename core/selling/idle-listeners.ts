import { type By, event } from '../events/event.ts';
import type { Clock } from '../ports/clock.ts';
import type { WebhookStore } from '../ports/webhook-store.ts';
import { listenerLife } from '../webhooks/endpoint.ts';
import { hostOf } from './find-webhook.ts';

const by: By = { actor: 'server', reason: 'Nobody fetched its events.' };

/** Removes the listeners that are on and that nobody uses any more, such as those of killed programs. Returns how many. */
export async function removeIdleListeners(store: Pick<WebhookStore, 'removeIdle'>, clock: Clock): Promise<number> {
  const now = clock.now();
  return await store.removeIdle(now - listenerLife, ({ id, url }) =>
    event('webhook.removed', hostOf(url), by, now, { id }),
  );
}
