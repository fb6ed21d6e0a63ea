import { setMaxListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { Parts } from '../wiring/compose.ts';
import { servesAccounts } from '../wiring/surfaces.ts';
import { t } from '../wiring/tokens.ts';
import { keepLooking } from './keep-looking.ts';
import { soon } from './soon.ts';

/** Milliseconds that running attempts get to end when the process stops. Then they are broken off. */
const patience = 5_000;

/**
 * Delivers events to the webhooks of sellers, until the returned function is called. That function waits for running
 * attempts, breaks off those that do not end in time, and gives all endpoints back. A license server delivers nothing.
 */
export async function keepDelivering(parts: Parts): Promise<() => Promise<void>> {
  const config = await parts.get(t.config);
  if (!servesAccounts(config.SURFACE)) return async () => undefined;
  const [log, bell, clock] = [await parts.get(t.log), await parts.get(t.workBell), await parts.get(t.clock)];
  const queue = await parts.get(t.webhookQueue);
  (await parts.get(t.instruments)).watchWebhooks(async () => {
    const now = clock.now();
    const { count, oldest } = await queue.backlog(now);
    return { count, age: oldest === null ? 0 : Math.max(0, now - oldest) };
  });

  const force = new AbortController();
  // Every running attempt listens.
  setMaxListeners(0, force.signal);
  const dispatcher = (await parts.get(t.createDispatcher))(force.signal, () => looking.wake());
  const looking = keepLooking({
    look: dispatcher.take,
    bell,
    every: 1_500,
    isAlone: config.DATABASE_URL.kind === 'memory',
    log,
    trouble: 'waiting webhooks cannot be claimed',
  });

  return async () => {
    const ending = looking.end().then(() => dispatcher.end());
    await Promise.race([ending, setTimeout(patience, undefined, { ref: false })]);
    force.abort();
    await soon(ending);
  };
}
