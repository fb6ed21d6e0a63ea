import type { Abort } from '../core/abort.ts';
import type { LongWork } from '../core/ports/long-work.ts';
import { TooMuchAtOnce, Unavailable } from '../core/unavailable.ts';

export interface QueueLimits {
  /** The number of jobs that may run at the same time. */
  readonly atOnce: number;
  /** The number of jobs that may wait. */
  readonly waiting: number;
}

export interface FairQueueLimits extends QueueLimits {
  /** The number of jobs of one key that may wait. */
  readonly waitingOfOne: number;
}

/**
 * Runs work in order of arrival. Throws `Unavailable` if the queue is full. If `stop` is aborted while the work waits,
 * the work leaves the queue at once, never runs, and the signal's reason is thrown. Running work keeps its place until
 * it ends, because it uses the machine until then.
 */
export type Queue = <T>(work: () => Promise<T>, stop?: Abort) => Promise<T>;

/**
 * Runs the work of all keys in turn: one job of each key that waits, then again. So the work of a key waits only for a
 * few jobs, however much of another key waits. Throws `TooMuchAtOnce` if too much of the key waits. If the queue is
 * full, a key with less waiting work takes the last place of the key that has most. Otherwise like `Queue`.
 */
type FairQueue<Key> = <T>(key: Key, work: () => Promise<T>, stop?: Abort) => Promise<T>;

interface Waiter {
  start(): void;
  refuse(reason: unknown): void;
}

/** A key without waiting work uses no memory. */
export function createFairQueue<Key>({ atOnce, waiting: most, waitingOfOne }: FairQueueLimits): FairQueue<Key> {
  let running = 0;
  let waiting = 0;
  /** The waiting work of each key, the key first whose turn is next. No line is empty. */
  const lines = new Map<Key, Set<Waiter>>();

  function leave(key: Key, waiter: Waiter): void {
    const line = lines.get(key);
    if (!line?.delete(waiter)) return;
    waiting -= 1;
    if (line.size === 0) lines.delete(key);
  }

  /** Frees a place for the key, or throws. */
  function makeRoom(key: Key): void {
    const own = lines.get(key)?.size ?? 0;
    if (own >= waitingOfOne) throw new TooMuchAtOnce();
    if (waiting < most) return;
    const [longest, line] = [...lines].sort(([, one], [, other]) => other.size - one.size)[0] ?? [];
    const last = line && [...line].at(-1);
    if (longest === undefined || last === undefined || (line?.size ?? 0) <= own + 1) {
      throw new Unavailable('Too much work is waiting.');
    }
    leave(longest, last);
    last.refuse(new TooMuchAtOnce());
  }

  async function turn(key: Key, stop: Abort | undefined): Promise<void> {
    stop?.throwIfAborted();
    if (running < atOnce) {
      running += 1;
      return;
    }
    makeRoom(key);
    await new Promise<void>((resolve, reject) => {
      const abort = () => {
        leave(key, waiter);
        reject(stop?.reason);
      };
      const waiter: Waiter = {
        start() {
          stop?.removeEventListener('abort', abort);
          resolve();
        },
        refuse(reason) {
          stop?.removeEventListener('abort', abort);
          reject(reason);
        },
      };
      const line = lines.get(key);
      if (line) line.add(waiter);
      else lines.set(key, new Set([waiter]));
      waiting += 1;
      stop?.addEventListener('abort', abort);
    });
  }

  /** Hands the place to waiting work directly, so that a new job cannot overtake it. The key's next turn is the last. */
  function leavePlace(): void {
    const [next] = lines;
    if (next === undefined) {
      running -= 1;
      return;
    }
    const [key, line] = next;
    const [first] = line;
    lines.delete(key);
    lines.set(key, line);
    if (first === undefined) return;
    leave(key, first);
    first.start();
  }

  return async (key, work, stop) => {
    await turn(key, stop);
    try {
      return await work();
    } finally {
      leavePlace();
    }
  };
}

export function createQueue(limits: QueueLimits): Queue {
  const run = createFairQueue<undefined>({ ...limits, waitingOfOne: Number.POSITIVE_INFINITY });
  return (work, stop) => run(undefined, work, stop);
}

/** One queue for each key, with the same limits. A key without work uses no memory. */
export function createQueues<Key>(limits: QueueLimits) {
  const queues = new Map<Key, { readonly run: Queue; users: number }>();
  return async <T>(key: Key, work: () => Promise<T>, stop?: Abort): Promise<T> => {
    const queue = queues.get(key) ?? { run: createQueue(limits), users: 0 };
    queues.set(key, queue);
    queue.users += 1;
    try {
      return await queue.run(work, stop);
    } finally {
      queue.users -= 1;
      if (queue.users === 0) queues.delete(key);
    }
  };
}

/** `waiting`: more than the calls that a free account has in a minute. */
const workOfAccount = { atOnce: 1, waiting: 60 };
/** Each running one has its rows in memory. Of those that wait, each account has only one here. */
const workOfProcess = { atOnce: 4, waiting: 2_000 };

/**
 * An account has at most one piece of work in the queue of the process. So its next one comes after those of all other
 * accounts.
 */
export function createLongWork(): LongWork {
  const inTurnOfAccount = createQueues<Parameters<LongWork>[0]>(workOfAccount);
  const inTurn = createQueue(workOfProcess);
  return (account, work, stop) => inTurnOfAccount(account, () => inTurn(work, stop), stop);
}
