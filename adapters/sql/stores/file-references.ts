import type { Knex } from 'knex';
import type { Instant } from '../../../core/ports/clock.ts';
import type { FileReferences } from '../../../core/ports/file-ledger.ts';
import { fileColumns } from '../archive/tables.ts';
import type { Database } from '../database.ts';

interface UnreferencedRow {
  readonly key: string;
  readonly since: number;
}

const noted = (knex: Knex) => knex<UnreferencedRow>('unreferenced_files');
const rowsAtOnce = 500;

export function createSqlFileReferences({ read, write }: Database): FileReferences {
  return {
    async unreferenced(keys, { now, before }) {
      const left = new Set(keys);
      for (const { table, column } of fileColumns) {
        const used: string[] = await read((knex) => knex(table).whereIn(column, keys).pluck(column));
        for (const key of used) left.delete(key);
      }
      const rows = await read((knex) => noted(knex).whereIn('key', keys));
      const since = new Map(rows.map((row) => [row.key, row.since]));
      const referredToAgain = [...since.keys()].filter((key) => !left.has(key));
      const seenFirst = [...left].filter((key) => !since.has(key)).map((key) => ({ key, since: now }));
      if (referredToAgain.length + seenFirst.length > 0) {
        await write(async (trx) => {
          await noted(trx).whereIn('key', referredToAgain).delete();
          for (let from = 0; from < seenFirst.length; from += rowsAtOnce) {
            await noted(trx)
              .insert(seenFirst.slice(from, from + rowsAtOnce))
              .onConflict('key')
              .ignore();
          }
        });
      }
      return [...left].filter((key) => (since.get(key) ?? now) < before);
    },

    async forget(keys) {
      if (keys.length > 0) await write(async (trx) => void (await noted(trx).whereIn('key', keys).delete()));
    },
  };
}

/** Notes that a reference to a file ends. Call this in the transaction that ends the reference. */
export async function noteUnreferenced(trx: Knex.Transaction, key: string, since: Instant): Promise<void> {
  await noted(trx).insert({ key, since }).onConflict('key').merge();
}
