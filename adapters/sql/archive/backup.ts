import { open } from 'node:fs/promises';
import type { Knex } from 'knex';
import type { CopyableDatabase, Database } from '../database.ts';
import { lastMigration } from '../migrate.ts';
import { fileColumns } from './tables.ts';

/** A summary of a copied database. */
export interface DatabaseCopy {
  /** The name of the last migration. */
  readonly schema: string;
  /** The keys of the files that its rows refer to. */
  readonly files: readonly string[];
}

/** Tables that are not in a backup: otherwise a restore would make ended sessions and used links valid again. */
const leftOut = ['sessions', 'one_time_links'];

/**
 * Copies an SQLite database into a new file, as it is at one moment, and syncs the file. Others may write meanwhile.
 */
export async function copyDatabase({ copyTo, read }: CopyableDatabase, file: string): Promise<DatabaseCopy> {
  await copyTo(file);
  const copy = await inCopy({ read }, file, async (knex) => {
    for (const table of leftOut) await knex(table).withSchema('copy').delete();
    const files = new Set<string>();
    for (const { table, column } of fileColumns) {
      const keys: string[] = await knex(table).withSchema('copy').whereNotNull(column).pluck(column);
      for (const key of keys) files.add(key);
    }
    return { schema: await lastMigration(knex, { schema: 'copy' }), files: [...files] };
  });
  const handle = await open(file, 'r+');
  await handle.sync().finally(() => handle.close());
  return copy;
}

async function inCopy<T>({ read }: Pick<Database, 'read'>, file: string, work: (knex: Knex) => Promise<T>): Promise<T> {
  await read((knex) => knex.raw('ATTACH DATABASE ? AS copy', [file]));
  try {
    return await read(work);
  } finally {
    await read((knex) => knex.raw('DETACH DATABASE copy'));
  }
}
