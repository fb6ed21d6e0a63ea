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
  const failures = createFailureLog(log, failed);
  const save = async () => {
    try {
      await write();
      failures.forget();
    } catch (error) {
      failures.failed(error);
    }
  };
  const saving = repeat(save, every);
  return {
    async close() {
      await saving.stop();
      await save();
    },
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
