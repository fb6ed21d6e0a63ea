import { rm } from 'node:fs/promises';
import { type Snapshot, withSnapshot } from '../archive/archive.ts';
import { vacuumInto } from '../archive/backup.ts';
import type { Database } from '../database.ts';
import { openSqlite } from './database.ts';

/**
 * Does the work on a copy of an SQLite database as it is at one moment, in a new file that is gone in the end. Only the copying holds
 * a snapshot of the database itself: while there is one, its log cannot be folded back, and grows.
 */
export async function withSqliteCopy<T>(
  database: Pick<Database, 'read'>,
  file: string,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  try {
    await vacuumInto(database, file);
    const copy = await openSqlite(file);
    return await withSnapshot(copy, work).finally(copy.close);
  } finally {
    for (const name of [file, `${file}-wal`, `${file}-shm`]) await rm(name, { force: true });
  }
}
