import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '../../core/unavailable.ts';

/** Collects single requests into batches. The next batch fills while one runs, so no request waits for a timer. */
export interface Batcher<Request, Answer> {
  /**
   * Adds a request to a batch, and resolves with its answer. Throws `Unavailable` if too many requests wait already, or
   * if no answer has come by `until` (in `performance.now()` time; the default is the batcher's patience from now).
   * After such a timeout, a running batch may still carry out the request.
   */
  submit(request: Request, until?: number): Promise<Answer>;
  /** The number of requests that are not in a batch yet. */
  waiting(): number;
  /** How long the current batch has been running, in milliseconds. 0 if no batch is running. */
  age(): number;
  /** Resolves when no request waits or runs any more. */
  drain(): Promise<void>;
}

/**
 * A batch that has ended. `waited`: how long its first request waited. `took`: how long it ran. Both in milliseconds.
 */
export interface EndedBatch {
  readonly size: number;
  readonly waited: number;
  readonly took: number;
  /** Set if the batch failed. */
  readonly error?: unknown;
}

/** Called after each batch. Must not throw. */
export type ObserveBatch = (batch: EndedBatch) => void;

interface Waiting<Request, Answer> {
  readonly request: Request;
  readonly since: number;
  readonly until: number;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** A batch takes at least this many requests, if that many wait. */
const worthwhile = 32;

/** In milliseconds. */
const longestPause = 50;

/** Milliseconds between two checks for timed-out requests. One timer for each request would cost more. */
const lookEvery = 250;

/**
 * `run` returns the answers of a whole batch, in its order. If it throws, only the requests of that batch fail. If many
 * requests wait, a batch takes only half of them. Otherwise all callers would wait for the same batch, and this process
 * would have nothing to do while the database works.
 */
export function createBatcher<Request, Answer>(
  run: (requests: readonly Request[]) => Promise<readonly Answer[]>,
  limits: {
    readonly waiting: number;
    readonly batch: number;
    /** Timeout of a request, in milliseconds. By default, a request waits as long as its batch takes. */
    readonly patience?: number;
    /**
     * If set, and more than one request waits but not enough for a whole batch, a batch starts only after a pause as long as the last batch took
     * (at most `longestPause`). So batches leave half of the database's time to others, and more requests share one
     * batch.
     */
    readonly pauses?: boolean;
  },
  observe: ObserveBatch = () => undefined,
): Batcher<Request, Answer> {
  let waiting: Waiting<Request, Answer>[] = [];
  let running: Promise<void> | undefined;
  let taken: readonly Waiting<Request, Answer>[] = [];
  let began = 0;
  let pausedUntil = 0;
  let isWatched = false;
  const { patience = Number.POSITIVE_INFINITY } = limits;

  /** While batches run, regularly rejects the requests that have timed out. */
  function watch(): void {
    if (isWatched || patience === Number.POSITIVE_INFINITY) return;
    isWatched = true;
    setTimeout(() => {
      isWatched = false;
      const now = performance.now();
      const late = [...taken, ...waiting].filter(({ until }) => until <= now);
      if (late.length > 0) {
        waiting = waiting.filter(({ until }) => until > now);
        const error = new Unavailable('The database did not answer in time.');
        for (const { reject } of late) reject(error);
      }
      if (running !== undefined) watch();
    }, lookEvery).unref();
  }

  async function runAll(): Promise<void> {
    await new Promise(setImmediate);
    while (waiting.length > 0) {
      const canGrow = waiting.length > 1 && waiting.length < limits.batch;
      const pause = limits.pauses && canGrow ? pausedUntil - performance.now() : 0;
      if (pause > 0) await sleep(pause);
      const size = Math.min(limits.batch, Math.max(worthwhile, Math.ceil(waiting.length / 2)));
      const batch = waiting.slice(0, size);
      waiting = waiting.slice(size);
      taken = batch;
      began = performance.now();
      watch();
      let failure: { readonly error: unknown } | undefined;
      try {
        const answers = await run(batch.map(({ request }) => request));
        batch.forEach(({ resolve }, index) => {
          resolve(answers[index] as Answer);
        });
      } catch (error) {
        for (const { reject } of batch) reject(error);
        failure = { error };
      }
      taken = [];
      const took = performance.now() - began;
      pausedUntil = failure ? 0 : began + took + Math.min(took, longestPause);
      observe({ size: batch.length, waited: began - (batch[0]?.since ?? began), took, ...failure });
    }
    running = undefined;
  }

  return {
    submit(request, until = performance.now() + patience) {
      if (waiting.length >= limits.waiting) return Promise.reject(new Unavailable('Too many requests are waiting.'));
      return new Promise((resolve, reject) => {
        waiting.push({ request, since: performance.now(), until, resolve, reject });
        running ??= runAll();
      });
    },
    waiting: () => waiting.length,
    age: () => (taken.length === 0 ? 0 : performance.now() - began),
    async drain() {
      while (running !== undefined) await running;
    },
  };
}
