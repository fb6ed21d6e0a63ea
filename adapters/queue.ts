import type { Abort } from '../core/abort.ts';
import { Unavailable } from '../core/unavailable.ts';

export interface QueueLimits {
  /** How much work runs at once. */
  readonly atOnce: number;
  /** How much more may wait. */
  readonly waiting: number;
}

/**
 * Runs work in the order in which it comes. Throws `Unavailable` if too much waits already. If `stop` is aborted while the work
 * waits, the work leaves the queue at once, does not run, and the signal's reason is thrown. Work that runs keeps its place until
 * it ends, as it goes on using the machine until then.
 */
export type Queue = <T>(work: () => Promise<T>, stop?: Abort) => Promise<T>;

export function createQueue({ atOnce, waiting: most }: QueueLimits): Queue {
  let running = 0;
  const waiting = new Set<() => void>();

  async function turn(stop: Abort | undefined): Promise<void> {
    stop?.throwIfAborted();
    if (running < atOnce) {
      running += 1;
      return;
    }
    if (waiting.size >= most) throw new Unavailable('Too much work is waiting.');
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        waiting.delete(start);
        reject(stop?.reason);
      };
      const start = () => {
        stop?.removeEventListener('abort', leave);
        resolve();
      };
      waiting.add(start);
      stop?.addEventListener('abort', leave);
    });
  }

  /** The first that waits takes over the place, so that nothing that comes now can overtake it. */
  function leavePlace(): void {
    const [start] = waiting;
    if (start === undefined) {
      running -= 1;
      return;
    }
    waiting.delete(start);
    start();
  }

  return async (work, stop) => {
    await turn(stop);
    try {
      return await work();
    } finally {
      leavePlace();
    }
  };
}

/** A queue for each key, with the same limits. Keeps nothing of a key that has no work. */
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
