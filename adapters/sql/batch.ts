import { Unavailable } from '../../core/unavailable.ts';

/** Collects single requests into batches: while one batch runs, the next gathers, so that nobody waits for a timer. */
export interface Batcher<Request, Answer> {
  /** Throws `Unavailable` where too many wait already. */
  submit(request: Request): Promise<Answer>;
  /** Resolves when nothing waits or runs any more. */
  drain(): Promise<void>;
}

interface Waiting<Request, Answer> {
  readonly request: Request;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** `run` answers a whole batch in its order; where it throws, only that batch's requests fail. */
export function createBatcher<Request, Answer>(
  run: (requests: readonly Request[]) => Promise<readonly Answer[]>,
  limits: { readonly waiting: number; readonly batch: number },
): Batcher<Request, Answer> {
  let waiting: Waiting<Request, Answer>[] = [];
  let running: Promise<void> | undefined;

  async function runAll(): Promise<void> {
    await new Promise(setImmediate);
    while (waiting.length > 0) {
      const batch = waiting.slice(0, limits.batch);
      waiting = waiting.slice(limits.batch);
      try {
        const answers = await run(batch.map(({ request }) => request));
        batch.forEach(({ resolve }, index) => {
          resolve(answers[index] as Answer);
        });
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    running = undefined;
  }

  return {
    submit(request) {
      if (waiting.length >= limits.waiting) return Promise.reject(new Unavailable('Too many requests are waiting.'));
      return new Promise((resolve, reject) => {
        waiting.push({ request, resolve, reject });
        running ??= runAll();
      });
    },
    async drain() {
      while (running !== undefined) await running;
    },
  };
}
