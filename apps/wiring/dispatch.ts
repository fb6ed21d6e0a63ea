import type { Logger } from 'pino';
import type { Instruments } from '../../adapters/prometheus/instruments.ts';
import type { Abort } from '../../core/abort.ts';
import type { AccountStore } from '../../core/ports/account-store.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { WriteLetter } from '../../core/ports/mail-texts.ts';
import type { SecretBox } from '../../core/ports/secret-box.ts';
import type { WebhookQueue } from '../../core/ports/webhook-queue.ts';
import type { SendWebhook } from '../../core/ports/webhook-sender.ts';
import { createDispatcher, type Dispatcher } from '../../core/webhooks/dispatcher.ts';
import { createTellOwner } from '../../core/webhooks/health-letters.ts';

/** Creates a dispatcher. `stop` aborts running attempts, and `freed` is called when a place is free again. */
export type CreateDispatcher = (stop: Abort, freed?: () => void) => Dispatcher;

/** Returns a function that creates dispatchers. They log and count the results of deliveries. */
export function dispatcherFor(
  queue: WebhookQueue,
  send: SendWebhook,
  box: SecretBox,
  accounts: AccountStore,
  writeLetter: WriteLetter,
  clock: Clock,
  log: Logger,
  { webhookSent }: Instruments,
): CreateDispatcher {
  const tellOwner = createTellOwner(accounts, writeLetter);
  return (stop, freed = () => undefined) =>
    createDispatcher(
      { queue, send, box, tellOwner, clock },
      {
        stop,
        freed,
        settled({ delivery: { id, attempt }, attempted: { fault, duration }, next: { state } }) {
          webhookSent(state);
          log.debug({ delivery: id, attempt, state, fault, duration }, 'webhook sent');
        },
        failed: (err) => log.error({ err }, 'webhooks cannot be delivered at the moment'),
      },
    );
}
