import { Unavailable } from '../../core/unavailable.ts';

/** Collects single requests into batches: while one batch runs, the next gathers, so that nobody waits for a timer. */
export interface Batcher<Request, Answer> {
  /**
   * Throws `Unavailable` where too many wait already, and if there is no answer `until` then (by `performance.now()`; by default
   * after the batcher's patience). A batch that has taken the request may still do what it asks for.
   */
  submit(request: Request, until?: number): Promise<Answer>;
  /** Requests that no batch has taken yet. */
  waiting(): number;
  /** Milliseconds for which the present batch has been running, 0 if none is. */
  age(): number;
  /** Resolves when nothing waits or runs any more. */
  drain(): Promise<void>;
}

/** One batch that has ended, in milliseconds: how long its first request waited for it, and how long it took. */
export interface EndedBatch {
  readonly size: number;
  readonly waited: number;
  readonly took: number;
  /** What it failed with. */
  readonly error?: unknown;
}

/** Is told of each batch, and must not throw. */
export type ObserveBatch = (batch: EndedBatch) => void;

interface Waiting<Request, Answer> {
  readonly request: Request;
  readonly since: number;
  readonly until: number;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** So many requests make a batch of their own, even where no more wait. */
const worthwhile = 32;

/** Milliseconds between two looks at who has waited for too long: a timer for each request would cost more. */
const lookEvery = 250;

/**
 * `run` answers a whole batch in its order; where it throws, only that batch's requests fail. If many wait, a batch takes half of
 * them. Otherwise callers who ask again at once would all move in step, and this process would idle while the database works.
 */
export function createBatcher<Request, Answer>(
  run: (requests: readonly Request[]) => Promise<readonly Answer[]>,
  limits: {
    readonly waiting: number;
    readonly batch: number;
    /** Milliseconds that a request waits for its answer; without it, as long as its batch takes. */
    readonly patience?: number;
  },
  observe: ObserveBatch = () => undefined,
): Batcher<Request, Answer> {
  let waiting: Waiting<Request, Answer>[] = [];
  let running: Promise<void> | undefined;
  let taken: readonly Waiting<Request, Answer>[] = [];
  let began = 0;
  let isWatched = false;
  const { patience = Number.POSITIVE_INFINITY } = limits;

  /** Looks again and again, as long as a batch runs, and gives up what has waited for too long. */
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
