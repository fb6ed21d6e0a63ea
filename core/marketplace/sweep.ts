import type { Abort } from '../abort.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileLedger, FileReferences } from '../ports/file-ledger.ts';
import type { FileStorage } from '../ports/file-storage.ts';
import { day, hour } from '../time.ts';

const atOnce = 500;

/**
 * Deletes stored files that nothing has referred to for a day, or for `linkLifetime` (milliseconds) plus an hour if
 * that is longer. Deleted files no longer count for any account. Returns the number of deleted files. If stopped, it
 * ends soon, and the next sweep deletes the rest.
 */
export async function sweep(
  files: FileStorage,
  references: FileReferences,
  ledger: FileLedger,
  clock: Clock,
  linkLifetime: number,
  stop?: Abort,
): Promise<number> {
  const now = clock.now();
  // A request in progress may still grant a link when the reference ends. The extra hour covers such links.
  const before = now - Math.max(day, linkLifetime + hour);
  let deleted = 0;
  let keys: string[] = [];
  const isStopped = () => stop?.aborted === true;
  const flush = async () => {
    if (isStopped()) return;
    const orphans = await references.unreferenced(keys, { now, before });
    keys = [];
    const done: string[] = [];
    try {
      for (const key of orphans) {
        if (isStopped()) break;
        await files.delete(key, stop);
        done.push(key);
      }
    } finally {
      await references.forget(done);
      await ledger.remove(done);
      deleted += done.length;
    }
  };
  try {
    for await (const key of files.storedBefore('', now, stop)) {
      if (keys.push(key) === atOnce) await flush();
      if (isStopped()) return deleted;
    }
    await flush();
    // Counted but not stored: files of a process that was killed, or of a sweep that did not finish.
    for (const key of await ledger.unreferenced(before)) {
      if (isStopped()) return deleted;
      if (await files.has(key, stop)) continue;
      await references.forget([key]);
      await ledger.remove([key]);
    }
  } catch (error) {
    if (!isStopped()) throw error;
  }
  return deleted;
}
