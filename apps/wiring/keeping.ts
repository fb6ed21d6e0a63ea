import type { Logger } from 'pino';
import { repeat } from '../../adapters/repeat.ts';
import type { Withdrawals } from '../../core/marketplace/withdrawals.ts';
import { createFailureLog } from './failure-log.ts';

/** Milliseconds between two saves. If the process is killed, what was counted in about this time is lost. */
const betweenSaves = 1_000;

/**
 * Saves every second, and when it is closed. Logs only the first of several equal failures in a row, with this message.
 */
export function keepSaving(
  write: () => Promise<void>,
  log: Pick<Logger, 'error'>,
  failed: string,
  every = betweenSaves,
): { close(): Promise<void> } {
  const save = logged(write, log, failed);
  const saving = repeat(save, every);
  return {
    async close() {
      await saving.stop();
      await save();
    },
  };
}

/** Milliseconds between two looks at what other processes have changed. */
const betweenLooks = 3_000;

/** Reads again every few seconds, until it is closed. Logs failures as `keepSaving` does. */
export function keepRefreshing(
  read: () => Promise<void>,
  log: Pick<Logger, 'error'>,
  failed: string,
  every = betweenLooks,
): { close(): Promise<void> } {
  const looking = repeat(logged(read, log, failed), every);
  return { close: () => looking.stop() };
}

/** Returns the work without its errors: they are logged, the first of several equal ones. */
function logged(work: () => Promise<void>, log: Pick<Logger, 'error'>, failed: string): () => Promise<void> {
  const failures = createFailureLog(log, failed);
  return async () => {
    try {
      await work();
      failures.forget();
    } catch (error) {
      failures.failed(error);
    }
  };
}

/** Retries failed withdrawals every `every` milliseconds, until it is closed. */
export function keepWithdrawing(
  withdrawals: Withdrawals,
  every = 10_000,
): Withdrawals & { /** Leaves the rest to the sweep. */ close(): void } {
  const timer = setInterval(() => void withdrawals.again(), every).unref();
  return { ...withdrawals, close: () => clearInterval(timer) };
}
