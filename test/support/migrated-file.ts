import { readFile, writeFile } from 'node:fs/promises';
import { openSqlite } from '../../adapters/sql/sqlite/database.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** The content of an SQLite file with the schema of this version and no rows. */
let content: Promise<Buffer> | undefined;

/** Writes a new, empty database. Only the first one in this process is migrated: the others are copies, which is faster. */
export async function makeMigratedFile(path: string): Promise<void> {
  content ??= migrated();
  await writeFile(path, await content, { flag: 'wx' });
}

async function migrated(): Promise<Buffer> {
  const folder = await makeTemporaryFolder();
  const file = folder.file('latchkey.db');
  await (await openSqlite(file)).close();
  const bytes = await readFile(file);
  await folder.remove();
  return bytes;
}
