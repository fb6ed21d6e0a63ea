import type { Abort } from '../core/abort.ts';
import { Unavailable } from '../core/unavailable.ts';

export interface QueueLimits {
  /** The number of jobs that may run at the same time. */
  readonly atOnce: number;
  /** The number of jobs that may wait. */
  readonly waiting: number;
}

/**
 * Runs work in order of arrival. Throws `Unavailable` if the queue is full. If `stop` is aborted while the work waits,
 * the work leaves the queue at once, never runs, and the signal's reason is thrown. Running work keeps its place until
 * it ends, because it uses the machine until then.
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

  /** Hands the place to the first waiting job directly, so that a new job cannot overtake it. */
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
