import type { UserId } from '../id.ts';
import { OutcomeUnknown } from '../outcome-unknown.ts';
import type { Clock } from '../ports/clock.ts';
import type { AccountUse, UsageLog } from '../ports/usage-log.ts';
import { day } from '../time.ts';
import { dayAt } from './day.ts';

/** Counts the calls of accounts in memory, and adds them to the log now and then. */
export interface UsageMeter {
  /** Counts one call of an account. Costs next to nothing. */
  count(userId: UserId, isRefused: boolean): void;
  /**
   * Adds all counts to the log, after a run in progress. If that fails, throws, and keeps the counts for the next time.
   * If it is unknown whether a batch was added, the batch is dropped: a call may be missing, but none counts twice.
   */
  save(): Promise<void>;
}

/** The largest number of rows that are added at once. It is small so that other writers do not wait long. */
export const batchSize = 200;

interface Counts {
  calls: number;
  refused: number;
}

interface UsageMeterPorts {
  readonly log: Pick<UsageLog, 'add'>;
  readonly clock: Clock;
}

/** Its memory grows only with the number of users who have called since the last save. */
export function createUsageMeter({ log, clock }: UsageMeterPorts): UsageMeter {
  let days = new Map<number, Map<UserId, Counts>>();

  function add(dayNumber: number, userId: UserId, calls: number, refused: number): void {
    let accounts = days.get(dayNumber);
    if (accounts === undefined) {
      accounts = new Map();
      days.set(dayNumber, accounts);
    }
    const counts = accounts.get(userId);
    if (counts === undefined) {
      accounts.set(userId, { calls, refused });
      return;
    }
    counts.calls += calls;
    counts.refused += refused;
  }

  async function addAll(): Promise<void> {
    const waiting = Array.from(days, ([number, accounts]) =>
      Array.from(accounts, ([userId, counts]) => ({ number, userId, ...counts })),
    ).flat();
    days = new Map();
    try {
      while (waiting.length > 0) {
        const batch = waiting.splice(0, batchSize);
        await addBatch(log, batch).catch((error: unknown) => {
          if (!(error instanceof OutcomeUnknown)) waiting.push(...batch);
          throw error;
        });
      }
    } finally {
      for (const { number, userId, calls, refused } of waiting) add(number, userId, calls, refused);
    }
  }

  let last: Promise<unknown> = Promise.resolve();

  return {
    count: (userId, isRefused) => add(Math.floor(clock.now() / day), userId, isRefused ? 0 : 1, isRefused ? 1 : 0),
    save() {
      const saved = last.then(addAll);
      last = saved.catch(() => undefined);
      return saved;
    },
  };
}

function addBatch(log: Pick<UsageLog, 'add'>, batch: readonly (Counts & { number: number; userId: UserId })[]) {
  const uses = batch.map(({ number, ...use }): AccountUse => ({ ...use, day: dayAt(number * day) }));
  return log.add(uses);
}
