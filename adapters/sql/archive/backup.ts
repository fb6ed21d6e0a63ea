import { open } from 'node:fs/promises';
import type { CopyableDatabase } from '../database.ts';
import { lastStep } from '../migrate.ts';
import { fileColumns } from './tables.ts';

/** A summary of a copied database. */
export interface DatabaseCopy {
  /** The name of the last migration. */
  readonly schema: string;
  /** The keys of the files that its rows refer to. */
  readonly files: readonly string[];
}

/**
 * Copies an SQLite database into a new file, as it is at one moment, and syncs the file. Others may write meanwhile.
 */
export async function copyDatabase({ copyTo, read }: CopyableDatabase, file: string): Promise<DatabaseCopy> {
  await copyTo(file);
  const handle = await open(file, 'r+');
  await handle.sync().finally(() => handle.close());
  await read((knex) => knex.raw('ATTACH DATABASE ? AS copy', [file]));
  try {
    return await read(async (knex) => {
      const files = new Set<string>();
      for (const { table, column } of fileColumns) {
        const keys: string[] = await knex(table).withSchema('copy').whereNotNull(column).pluck(column);
        for (const key of keys) files.add(key);
      }
      return { schema: await lastStep(knex, { schema: 'copy' }), files: [...files] };
    });
  } finally {
    await read((knex) => knex.raw('DETACH DATABASE copy'));
  }
}
