import type { FileLedger } from '../ports/file-ledger.ts';
import type { FileStorage } from '../ports/file-storage.ts';
import { sharedRun } from '../shared-run.ts';

/** Takes back the files of work that failed, so that they count for nobody. */
export interface Withdrawals {
  /** Deletes the stored files and stops counting both kinds. Remembers what fails, for `again`. Never throws. */
  takeBack(stored: readonly string[], neverStored: readonly string[]): Promise<void>;
  /** Tries what is kept in mind again, up to the first that fails again. */
  again(): Promise<void>;
}

/** Keys that are kept in mind. The sweep finds what is beyond them. */
const most = 10_000;

export function createWithdrawals(files: FileStorage, ledger: FileLedger): Withdrawals {
  const waiting = new Set<string>();

  const keepInMind = (keys: readonly string[]) => {
    for (const key of keys) if (waiting.size < most) waiting.add(key);
  };
  /** Resolves with whether it is done. */
  async function withdraw(key: string): Promise<boolean> {
    waiting.delete(key);
    try {
      await files.delete(key);
      await ledger.remove([key]);
      return true;
    } catch {
      // The storage and the database tell of their outages. It comes last from now on, so that it stands in nobody's way.
      keepInMind([key]);
      return false;
    }
  }
  async function tryAll(): Promise<void> {
    for (const key of [...waiting]) if (!(await withdraw(key))) return;
  }

  return {
    async takeBack(stored, neverStored) {
      const uncounted = ledger.remove(neverStored).catch(() => keepInMind(neverStored));
      await Promise.all([uncounted, ...stored.map(withdraw)]);
    },
    again: sharedRun(tryAll),
  };
}
