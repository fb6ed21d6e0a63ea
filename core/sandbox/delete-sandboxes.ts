import type { Abort } from '../abort.ts';
import type { UserId } from '../id.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileLedger, FileReferences } from '../ports/file-ledger.ts';
import type { FileStorage } from '../ports/file-storage.ts';
import type { SandboxStore } from '../ports/sandbox-store.ts';
import { sandboxGrace } from './sandbox.ts';

interface DeleteSandboxesPorts {
  readonly store: SandboxStore;
  readonly files: Pick<FileStorage, 'delete'>;
  readonly ledger: Pick<FileLedger, 'remove'>;
  readonly references: Pick<FileReferences, 'forget'>;
  readonly clock: Clock;
}

const filesAtOnce = 100;

/**
 * Closes the accounts of the sandbox that have ended, or all of them, and deletes those that were closed some time ago,
 * with their files. An account that cannot be deleted does not stop the others; then it throws at the end. If stopped, the
 * next call goes on.
 */
export async function deleteSandboxes(
  { store, files, ledger, references, clock }: DeleteSandboxesPorts,
  which: 'ended' | 'all',
  stop: Abort,
): Promise<{ readonly closed: number; readonly deleted: number }> {
  const now = clock.now();
  const goOn = () => !stop.aborted;

  async function deleteFiles(id: UserId): Promise<void> {
    while (goOn()) {
      const keys = await store.filesOf(id, filesAtOnce);
      if (keys.length === 0) return;
      for (const key of keys) await files.delete(key, stop);
      await references.forget(keys);
      await ledger.remove(keys);
    }
  }

  const closed = await store.close(now, which);
  const failures: unknown[] = [];
  let deleted = 0;
  for (const id of await store.closedBy(now - sandboxGrace)) {
    if (!goOn()) break;
    try {
      await deleteFiles(id);
      if (await store.remove(id, goOn)) deleted += 1;
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0 && goOn()) throw failures[0];
  return { closed, deleted };
}
