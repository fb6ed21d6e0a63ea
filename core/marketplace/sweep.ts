import type { Abort } from '../abort.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileLedger } from '../ports/file-ledger.ts';
import type { FileReferences } from '../ports/file-references.ts';
import type { FileStorage } from '../ports/file-storage.ts';

const hour = 3_600_000;
const day = 24 * hour;
const atOnce = 500;

/**
 * Deletes stored files that nothing has referred to for a day, or for `linkLifetime` (milliseconds) and an hour if that is
 * longer. They no longer count for anybody. Returns how many there were. When it is stopped it ends soon and leaves the rest to
 * the next sweep; what it has deleted counts no longer.
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
  // The hour is for links that are granted by a request which is under way while the reference ends.
  const before = now - Math.max(day, linkLifetime + hour);
  let deleted = 0;
  let keys: string[] = [];
  const isStopped = () => stop?.aborted === true;
  const flush = async () => {
    if (isStopped()) return;
    const orphans = await references.unreferenced(keys, { now, before });
    keys = [];
    const gone: string[] = [];
    try {
      for (const key of orphans) {
        if (isStopped()) break;
        await files.delete(key, stop);
        gone.push(key);
      }
    } finally {
      await references.forget(gone);
      await ledger.remove(gone);
      deleted += gone.length;
    }
  };
  try {
    for await (const key of files.storedBefore('', now, stop)) {
      if (keys.push(key) === atOnce) await flush();
      if (isStopped()) return deleted;
    }
    await flush();
    // What was counted and never stored, since its process was killed, or deleted by a sweep that did not get further.
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
