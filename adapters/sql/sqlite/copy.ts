import { rm } from 'node:fs/promises';
import { type Snapshot, withSnapshot } from '../archive/archive.ts';
import type { CopyableDatabase } from '../database.ts';
import { openSqlite } from './database.ts';

/**
 * Does the work on a consistent copy of an SQLite database, in a new file that is deleted afterwards. Only the copying
 * reads from the database itself: during a long read, its log cannot be checkpointed and grows.
 */
export async function withSqliteCopy<T>(
  { copyTo }: Pick<CopyableDatabase, 'copyTo'>,
  file: string,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  try {
    await copyTo(file);
    const copy = await openSqlite(file);
    return await withSnapshot(copy, work).finally(copy.close);
  } finally {
    for (const name of [file, `${file}-wal`, `${file}-shm`]) await rm(name, { force: true });
  }
}
