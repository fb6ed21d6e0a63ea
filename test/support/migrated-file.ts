import { readFile, writeFile } from 'node:fs/promises';
import { openSqlite } from '../../adapters/sql/sqlite/database.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** The content of an SQLite file with the schema of this version and no rows. */
let content: Promise<Buffer> | undefined;

/** A folder in which tests open new databases one after the other. */
export interface MigratedFiles {
  /**
   * Writes a new, empty database, and returns its path. Only the first one in this process is migrated: the others are
   * copies, which is faster.
   */
  next(): Promise<string>;
  /** Deletes all of them. */
  remove(): Promise<void>;
}

export async function makeMigratedFiles(): Promise<MigratedFiles> {
  const folder = await makeTemporaryFolder();
  let count = 0;
  return {
    async next() {
      const file = folder.file(`${count++}.db`);
      content ??= migrated();
      await writeFile(file, await content, { flag: 'wx' });
      return file;
    },
    remove: folder.remove,
  };
}

async function migrated(): Promise<Buffer> {
  const folder = await makeTemporaryFolder();
  const file = folder.file('latchkey.db');
  await (await openSqlite(file)).close();
  const bytes = await readFile(file);
  await folder.remove();
  return bytes;
}
