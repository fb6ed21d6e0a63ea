import type { Clock } from '../ports/clock.ts';
import type { FileReferences } from '../ports/file-references.ts';
import type { FileStorage } from '../ports/file-storage.ts';

const grace = 24 * 3_600_000;
const atOnce = 500;

/** Deletes stored files that nothing has referred to for a day, and answers how many there were. */
export async function sweep(files: FileStorage, references: FileReferences, clock: Clock): Promise<number> {
  let deleted = 0;
  let keys: string[] = [];
  const flush = async () => {
    const orphans = await references.unreferenced(keys);
    for (const key of orphans) await files.delete(key);
    deleted += orphans.length;
    keys = [];
  };
  for await (const key of files.storedBefore('', clock.now() - grace)) {
    if (keys.push(key) === atOnce) await flush();
  }
  await flush();
  return deleted;
}
