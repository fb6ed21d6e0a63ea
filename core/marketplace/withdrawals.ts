import type { FileLedger } from '../ports/file-ledger.ts';
import type { FileStorage } from '../ports/file-storage.ts';
import { sharedRun } from '../shared-run.ts';

/** Deletes the files of failed work, so that they count for no account. */
export interface Withdrawals {
  /** Deletes the stored files, and stops counting all given files. Remembers failures for `again`. Never throws. */
  takeBack(stored: readonly string[], neverStored: readonly string[]): Promise<void>;
  /** Retries the remembered files, until one fails again. */
  again(): Promise<void>;
}

/** Files beyond this number are left to the sweep. */
const maxRemembered = 10_000;

export function createWithdrawals(files: FileStorage, ledger: FileLedger): Withdrawals {
  const waiting = new Set<string>();

  const remember = (keys: readonly string[]) => {
    for (const key of keys) if (waiting.size < maxRemembered) waiting.add(key);
  };
  /** Deletes a file and stops counting it. Returns false if this must be tried again. */
  async function withdraw(key: string): Promise<boolean> {
    waiting.delete(key);
    try {
      await files.delete(key);
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
      await Promise.all([uncounted, ...stored.map(withdraw)]);
    },
    again: sharedRun(tryAll),
  };
}
