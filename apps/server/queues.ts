import { once, setMaxListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { kindsTogether } from '../../core/work/work.ts';
import type { Bell } from '../wiring/bell.ts';
import type { Parts } from '../wiring/compose.ts';
import { createFailureLog, type FailureLog } from '../wiring/failure-log.ts';
import { servesAccounts } from '../wiring/surfaces.ts';
import { t } from '../wiring/tokens.ts';
import { soon } from './soon.ts';

/** Milliseconds that running work gets to end when the process stops. After that, it is aborted. */
const patience = 5_000;
/** The wait after a failed look, in milliseconds. */
const pause = 10_000;

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
    return Object.entries(backlog).map(([kind, { count, oldest }]) => ({ kind, count, age: ageOf(oldest, now) }));
  });

  const create = await parts.get(t.createWorker);
  // An outage of the database is one line for all of them.
  const failures = createFailureLog(log, 'waiting work cannot be claimed');
  const ends = kindsTogether.map((kinds) => {
    const force = new AbortController();
    const worker = create(force.signal, () => looking.wake(), kinds);
    const looking = keepLooking({
      look: worker.take,
      bell,
      every: 2_000,
      isAlone: config.DATABASE_URL.kind === 'memory',
      failures,
    });
    return async () => {
      const allEnded = looking.end().then(() => worker.idle());
      await Promise.race([allEnded, setTimeout(patience, undefined, { ref: false })]);
      force.abort();
      await soon(worker.giveBack().catch((err) => log.error({ err }, 'running work could not be given back')));
    };
  });
  return async () => {
    await Promise.all(ends.map((end) => end()));
  };
}

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
    return { count, age: ageOf(oldest, now) };
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
    failures: createFailureLog(log, 'waiting webhooks cannot be claimed'),
  });

  return async () => {
    const ending = looking.end().then(() => dispatcher.end());
    await Promise.race([ending, setTimeout(patience, undefined, { ref: false })]);
    force.abort();
    await soon(ending);
  };
}

function ageOf(oldest: number | null, now: number): number {
  return oldest === null ? 0 : Math.max(0, now - oldest);
}

/** A kind of work to look for. */
interface Lookout {
  /** Starts what is due. Returns whether more may be due now. */
  look(): Promise<boolean>;
  readonly bell: Pick<Bell, 'listen'>;
  /** Average milliseconds between two looks, for what other processes have added and for what becomes due. */
  readonly every: number;
  /**
   * Only this process can add something, and rings when it does. It does not look before the first ring, so that the
   * database need not be opened.
   */
  readonly isAlone: boolean;
  /** Logs looks that fail for a new reason. */
  readonly failures: FailureLog;
}

interface Looking {
  /** Looks again at once. */
  wake(): void;
  /** Makes no more looks. Resolves when the last one has ended. */
  end(): Promise<void>;
}

/** Looks for what is due: when the bell rings, and otherwise from time to time. */
function keepLooking({ look, bell, every, isAlone, failures }: Lookout): Looking {
  let isStopping = false;
  let isFailing = false;
  let isRung = false;
  let endSleep = new AbortController();
  const wake = () => {
    isRung = true;
    endSleep.abort();
  };
  bell.listen(wake);

  async function lookOnce(): Promise<void> {
    try {
      if (await look()) isRung = true;
      isFailing = false;
      failures.forget();
    } catch (error) {
      isFailing = true;
      failures.failed(error);
    }
  }
  async function run(): Promise<void> {
    if (isAlone && !isRung) await once(endSleep.signal, 'abort');
    while (!isStopping) {
      isRung = false;
      await lookOnce();
      if (isStopping || (isRung && !isFailing)) continue;
      endSleep = new AbortController();
      // Random, so that several processes do not look at the same time.
      const sleep = isFailing ? pause : every * (0.5 + Math.random());
      await setTimeout(sleep, undefined, { signal: endSleep.signal, ref: false }).catch(() => undefined);
    }
  }
  const ended = run();
  return {
    wake,
    end() {
      isStopping = true;
      endSleep.abort();
      return ended;
    },
  };
}
