import { Unavailable } from '../../core/unavailable.ts';

/** Collects single requests into batches: while one batch runs, the next gathers, so that nobody waits for a timer. */
export interface Batcher<Request, Answer> {
  /** Throws `Unavailable` where too many wait already. */
  submit(request: Request): Promise<Answer>;
  /** Requests that no batch has taken yet. */
  waiting(): number;
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
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

export interface BatchLimits {
  /** Requests that may wait. */
  readonly waiting: number;
  /** Requests in one batch. */
  readonly batch: number;
  /** Batches at a time. */
  readonly running: number;
}

/** From so many requests on, what waits is taken by halves, and a batch may begin beside another. */
const worthwhile = 16;

/**
 * `run` answers a whole batch in its order; where it throws, only that batch's requests fail. Of many that wait a batch takes
 * half: callers who wait for each other's answers would else move in step, and nothing would be done while the batch is away.
 */
export function createBatcher<Request, Answer>(
  run: (requests: readonly Request[]) => Promise<readonly Answer[]>,
  limits: BatchLimits,
  observe: ObserveBatch = () => undefined,
): Batcher<Request, Answer> {
  let waiting: Waiting<Request, Answer>[] = [];
  let running = 0;
  let isScheduled = false;
  let drained: (() => void)[] = [];

  function start(): void {
    isScheduled = false;
    while (waiting.length > 0 && (running === 0 || (running < limits.running && waiting.length >= worthwhile))) {
      const size = Math.min(limits.batch, Math.max(worthwhile, Math.ceil(waiting.length / 2)));
      const batch = waiting.slice(0, size);
      waiting = waiting.slice(size);
      running++;
      void runOne(batch);
    }
    if (running > 0) return;
    for (const resolve of drained) resolve();
    drained = [];
  }

  async function runOne(batch: readonly Waiting<Request, Answer>[]): Promise<void> {
    const began = performance.now();
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
    const took = performance.now() - began;
    observe({ size: batch.length, waited: began - (batch[0]?.since ?? began), took, ...failure });
    running--;
    if (!isScheduled) start();
  }

  function schedule(): void {
    if (isScheduled || running === limits.running) return;
    isScheduled = true;
    setImmediate(start);
  }

  return {
    submit(request) {
      if (waiting.length >= limits.waiting) return Promise.reject(new Unavailable('Too many requests are waiting.'));
      return new Promise((resolve, reject) => {
        waiting.push({ request, since: performance.now(), resolve, reject });
        schedule();
      });
    },
    waiting: () => waiting.length,
    drain: () =>
      new Promise((resolve) => {
        drained.push(resolve);
        if (!isScheduled) start();
      }),
  };
}
