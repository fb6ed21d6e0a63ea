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

/** So many requests make a batch of their own, even where no more wait. */
const worthwhile = 32;

/**
 * `run` answers a whole batch in its order; where it throws, only that batch's requests fail. Of many that wait a batch takes
 * half: callers who ask again when they are answered would else all move in step, and this process would be idle while the
 * database works.
 */
export function createBatcher<Request, Answer>(
  run: (requests: readonly Request[]) => Promise<readonly Answer[]>,
  limits: { readonly waiting: number; readonly batch: number },
  observe: ObserveBatch = () => undefined,
): Batcher<Request, Answer> {
  let waiting: Waiting<Request, Answer>[] = [];
  let running: Promise<void> | undefined;

  async function runAll(): Promise<void> {
    await new Promise(setImmediate);
    while (waiting.length > 0) {
      const size = Math.min(limits.batch, Math.max(worthwhile, Math.ceil(waiting.length / 2)));
      const batch = waiting.slice(0, size);
      waiting = waiting.slice(size);
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
    }
    running = undefined;
  }

  return {
    submit(request) {
      if (waiting.length >= limits.waiting) return Promise.reject(new Unavailable('Too many requests are waiting.'));
      return new Promise((resolve, reject) => {
        waiting.push({ request, since: performance.now(), resolve, reject });
        running ??= runAll();
      });
    },
    waiting: () => waiting.length,
    async drain() {
      while (running !== undefined) await running;
    },
  };
}
