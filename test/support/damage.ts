import { open } from 'node:fs/promises';
import { openRaw } from './raw-sqlite.ts';

/** Overwrites the first pages of tables and their indexes in an SQLite file. Nobody may have the file open. */
export async function damage(file: string, ...tables: readonly string[]): Promise<void> {
  const raw = await openRaw(file);
  await raw.all('PRAGMA wal_checkpoint(TRUNCATE)');
  const [sizes] = await raw.all('PRAGMA page_size');
  const size = Number(sizes?.page_size);
  const rows = await raw.all('SELECT tbl_name, rootpage FROM sqlite_schema WHERE rootpage > 0');
  await raw.close();
  const handle = await open(file, 'r+');
  for (const { tbl_name, rootpage } of rows) {
    if (tables.includes(String(tbl_name)))
      await handle.write(Buffer.alloc(size, 0xee), 0, size, (Number(rootpage) - 1) * size);
  }
  await handle.close();
}
