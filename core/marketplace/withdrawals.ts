import type { Abort } from '../abort.ts';
import type { FileLedger } from '../ports/file-ledger.ts';
import type { FileStorage } from '../ports/file-storage.ts';
import { sharedRun } from '../shared-run.ts';
import type { Within } from '../within.ts';

/** Deletes the files of failed work, so that they count for no account. */
export interface Withdrawals {
  /**
   * Deletes the stored files, and stops counting all given files. What fails or takes too long is left for `again`,
   * because a client waits. Never throws.
   */
  takeBack(stored: readonly string[], neverStored: readonly string[]): Promise<void>;
  /** Retries the remembered files, until one fails again. */
  again(): Promise<void>;
}

/** Files beyond this number are left to the sweep. */
const maxRemembered = 10_000;

interface WithdrawalsPorts {
  readonly files: FileStorage;
  readonly ledger: FileLedger;
  readonly within: Within;
}

export function createWithdrawals({ files, ledger, within }: WithdrawalsPorts): Withdrawals {
  const waiting = new Set<string>();

  const remember = (keys: readonly string[]) => {
    for (const key of keys) if (waiting.size < maxRemembered) waiting.add(key);
  };
  /** Deletes a file and stops counting it. Returns false if this must be tried again. */
  async function withdraw(key: string, until?: Abort): Promise<boolean> {
    waiting.delete(key);
    try {
      await files.delete(key, until);
      await ledger.remove([key]);
      return true;
    } catch {
      // The storage and the database report their outages. The key moves to the end, so that it does not block others.
      remember([key]);
      return false;
    }
  }
  async function tryAll(): Promise<void> {
    for (const key of [...waiting]) if (!(await withdraw(key))) return;
  }

  return {
    async takeBack(stored, neverStored) {
      const uncounted = ledger.remove(neverStored).catch(() => remember(neverStored));
      await within((until) => Promise.all([uncounted, ...stored.map((key) => withdraw(key, until))]));
    },
    again: sharedRun(tryAll),
  };
}
