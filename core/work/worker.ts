import type { Abort } from '../abort.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { WorkQueue } from '../ports/work-queue.ts';
import { isRefused, type Refused } from '../refusal.ts';
import { Unavailable } from '../unavailable.ts';
import {
  afterFailure,
  isUsedUp,
  lease,
  type Outcome,
  type Settled,
  type Work,
  type WorkKind,
  type WorkResults,
} from './work.ts';

/**
 * Makes one attempt. `laterAt`: it succeeded, and the same work is due again then. A refusal means that no later attempt
 * can succeed. Throws `Unavailable` if a later attempt may succeed; its message is shown to administrators and must not
 * contain secrets.
 */
export type Attempt<Kind extends WorkKind> = (
  work: Work,
  stop: Abort,
) => Promise<WorkResults[Kind] | { readonly laterAt: Instant } | Refused<'refused_for_good'>>;

export type Attempts = { readonly [Kind in WorkKind]: Attempt<Kind> };

/** Reports the end of an attempt. `bug`: an error that is not an outage. */
export type ObserveWork = (settled: Settled, bug?: unknown) => void;

/** Does the work that waits in the queue and for which it has attempts, in several places at once. */
export interface Worker {
  /**
   * Stores the results that could not be stored before, claims due work for all free places and starts it. Returns
   * whether more work may be due now.
   */
  take(): Promise<boolean>;
  /** Does the work on one object now, if nobody else is doing it. */
  takeOnly(kind: WorkKind, subjectId: number): Promise<void>;
  /** Resolves when all started work has ended. */
  idle(): Promise<void>;
  /** Gives back the work that is still running. Its late results do not count. */
  giveBack(): Promise<void>;
}

function outcomeOf(result: Awaited<ReturnType<Attempt<WorkKind>>>): Outcome {
  if (isRefused(result)) return { kind: 'failed', error: result.detail ?? result.reason };
  return typeof result === 'object' ? { kind: 'later', due: result.laterAt } : { kind: 'done', result };
}

const endedTooOften = 'The process ended during each attempt.';

/** `freed` is called when a place is free again. `stop` makes running attempts end. */
export function createWorker(
  queue: WorkQueue,
  attempts: Partial<Attempts>,
  clock: Clock,
  {
    places,
    stop,
    freed = () => undefined,
    observe = () => undefined,
  }: { readonly places: number; readonly stop: Abort; freed?(): void; readonly observe?: ObserveWork },
): Worker {
  const kinds = Object.keys(attempts) as WorkKind[];
  const running = new Map<Work, Promise<void>>();
  let unsettled: Settled[] = [];

  let storing: Promise<void> | undefined;

  /** Results that arrive during a write are stored together by the next one. */
  async function storeAll(): Promise<void> {
    try {
      while (unsettled.length > 0) {
        const batch = unsettled;
        await queue.settle(batch);
        unsettled = unsettled.filter((one) => !batch.includes(one));
        for (const { work } of batch) running.delete(work);
        freed();
      }
    } finally {
      storing = undefined;
    }
  }

  async function store(): Promise<void> {
    if (unsettled.length > 0) storing ??= storeAll();
    await storing;
  }

  function settle(work: Work, outcome: Outcome, bug?: unknown): void {
    if (!running.has(work)) return;
    const settled = { work, outcome, at: clock.now() };
    unsettled = [...unsettled.filter((one) => one.work !== work), settled];
    observe(settled, bug);
  }

  async function perform(work: Work): Promise<void> {
    if (isUsedUp(work)) return settle(work, { kind: 'failed', error: endedTooOften });
    try {
      const attempt = attempts[work.kind];
      if (attempt === undefined) throw new Error(`Nobody asked for work of the kind ${work.kind}.`);
      const result = await attempt(work, stop);
      settle(work, outcomeOf(result));
    } catch (error) {
      if (stop.aborted) return settle(work, { kind: 'given back' });
      const isOutage = error instanceof Unavailable;
      const text = isOutage ? error.message : 'An error in the program. The log has the details.';
      settle(work, afterFailure(work, text, clock.now()), isOutage ? undefined : error);
    }
  }

  function start(work: Work): void {
    // If the results cannot be stored now, the next `take` stores them.
    running.set(
      work,
      Promise.resolve()
        .then(() => perform(work))
        .then(() => store().catch(() => undefined)),
    );
  }

  async function claim(only?: { kind: WorkKind; subjectId: number }): Promise<boolean> {
    await store();
    const free = places - running.size;
    if (free <= 0) return false;
    const now = clock.now();
    const claimed = await queue.claim({ now, until: now + lease, most: free, kinds, ...(only && { only }) });
    for (const work of claimed) start(work);
    return claimed.length === free;
  }

  const idle = async () => {
    await Promise.all(running.values());
  };

  return {
    take: () => claim(),
    async takeOnly(kind, subjectId) {
      await claim({ kind, subjectId });
      await idle();
    },
    idle,
    async giveBack() {
      for (const work of running.keys()) {
        if (!unsettled.some((one) => one.work === work)) settle(work, { kind: 'given back' });
      }
      await store();
    },
  };
}
