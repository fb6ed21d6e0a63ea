import { access, mkdtemp, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Database } from './database.ts';

/**
 * Writes a copy of an SQLite database as it is at one moment, while others go on writing. Rejects where the file exists
 * (`EEXIST`), and where it fails, there is no file.
 */
export async function backUp({ read }: Pick<Database, 'read'>, file: string): Promise<{ bytes: number }> {
  await access(dirname(file));
  await claim(file);
  await rm(file);
  // Made beside its place, so that it is moved there whole: what is killed half-way is not taken for a backup.
  const folder = await mkdtemp(join(dirname(file), '.backup-'));
  try {
    const copy = join(folder, 'copy.db');
    await read((knex) => knex.raw('VACUUM INTO ?', [copy]));
    const bytes = await flush(copy);
    await claim(file);
    await rename(copy, file);
    return { bytes };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function claim(file: string): Promise<void> {
  const handle = await open(file, 'wx');
  await handle.close();
}

/** Answers the size. */
async function flush(file: string): Promise<number> {
  const handle = await open(file, 'r+');
  try {
    await handle.sync();
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}
