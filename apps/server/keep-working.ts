import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { Parts } from '../wiring/compose.ts';
import { servesAccounts } from '../wiring/surfaces.ts';
import { t } from '../wiring/tokens.ts';
import { soon } from './soon.ts';

/** Average milliseconds between two looks for work of other processes, and for work that is due again. */
const every = 2_000;
/** After a failed look, in milliseconds. */
const pause = 10_000;
/** Milliseconds that running work gets to end when the process stops. Then it is told to end. */
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
    const backlog = await queue.backlog();
    const now = clock.now();
    return Object.entries(backlog).map(([kind, { count, oldest }]) => ({
      kind,
      count,
      age: oldest === null ? 0 : Math.max(0, now - oldest),
    }));
  });

  const force = new AbortController();
  let isStopping = false;
  let isFailing = false;
  let isRung = false;
  let endSleep = new AbortController();
  const wake = () => {
    isRung = true;
    endSleep.abort();
  };
  const worker = (await parts.get(t.createWorker))(force.signal, wake);
  bell.listen(wake);

  async function look(): Promise<void> {
    try {
      if (await worker.take()) isRung = true;
      isFailing = false;
    } catch (error) {
      // The next looks fail too, until the database is back.
      if (!isFailing) log.error({ err: error }, 'waiting work cannot be claimed');
      isFailing = true;
    }
  }
  async function run(): Promise<void> {
    // Only this process adds work to a database in memory, and it rings. Without work, nothing need open the database.
    if (config.DATABASE_URL.kind === 'memory' && !isRung) await once(endSleep.signal, 'abort');
    while (!isStopping) {
      isRung = false;
      await look();
      if (isStopping || (isRung && !isFailing)) continue;
      endSleep = new AbortController();
      // Random, so that several processes do not look at the same time.
      const sleep = isFailing ? pause : every * (0.5 + Math.random());
      await setTimeout(sleep, undefined, { signal: endSleep.signal, ref: false }).catch(() => undefined);
    }
  }
  const ended = run();

  return async () => {
    isStopping = true;
    endSleep.abort();
    const allEnded = ended.then(() => worker.idle());
    await Promise.race([allEnded, setTimeout(patience, undefined, { ref: false })]);
    force.abort();
    await soon(worker.giveBack().catch((err) => log.error({ err }, 'running work could not be given back')));
  };
}
