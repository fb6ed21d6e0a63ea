import { setTimeout } from 'node:timers/promises';
import type { Parts } from '../wiring/compose.ts';
import { servesAccounts } from '../wiring/surfaces.ts';
import { t } from '../wiring/tokens.ts';
import { keepLooking } from './keep-looking.ts';
import { soon } from './soon.ts';

/** Milliseconds that running work gets to end when the process stops. After that, it is aborted. */
const patience = 5_000;

/**
 * Does the work that waits in the database, until the returned function is called. That function waits for running
 * work, and gives back what does not end in time. A license server does no such work.
 */
export async function keepWorking(parts: Parts): Promise<() => Promise<void>> {
  const config = await parts.get(t.config);
  if (!servesAccounts(config.SURFACE)) return async () => undefined;
  const [log, bell, clock] = [await parts.get(t.log), await parts.get(t.workBell), await parts.get(t.clock)];
  const queue = await parts.get(t.workQueue);
  (await parts.get(t.instruments)).watchWork(async () => {
    const now = clock.now();
    const backlog = await queue.backlog(now);
    return Object.entries(backlog).map(([kind, { count, oldest }]) => ({
      kind,
      count,
      age: oldest === null ? 0 : Math.max(0, now - oldest),
    }));
  });

  const force = new AbortController();
  const worker = (await parts.get(t.createWorker))(force.signal, () => looking.wake());
  const looking = keepLooking({
    look: worker.take,
    bell,
    every: 2_000,
    isAlone: config.DATABASE_URL.kind === 'memory',
    log,
    trouble: 'waiting work cannot be claimed',
  });

  return async () => {
    const allEnded = looking.end().then(() => worker.idle());
    await Promise.race([allEnded, setTimeout(patience, undefined, { ref: false })]);
    force.abort();
    await soon(worker.giveBack().catch((err) => log.error({ err }, 'running work could not be given back')));
  };
}
