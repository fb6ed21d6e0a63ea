import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { NoDatabase } from '../no-database.ts';
import { closeConnection, openConnection } from './connection.ts';
import { isDamage } from './watch.ts';

/** The maximum number of findings to look for. */
const maxFindings = 100;

type Row = Readonly<Record<string, unknown>>;

/**
 * Reads a whole SQLite file and returns its faults: damaged pages and indexes, and rows that refer to missing rows.
 * Changes nothing. Throws `NoDatabase` if the file does not exist or is empty.
 */
export async function checkSqlite(path: string): Promise<string[]> {
  const file = resolve(path);
  if (!statSync(file, { throwIfNoEntry: false })?.size) throw new NoDatabase(file);
  const connection = await openConnection(file);
  const all = promisify(connection.all.bind(connection)) as (sql: string) => Promise<Row[]>;
  try {
    await all('PRAGMA busy_timeout = 10000');
    const pages = await all(`PRAGMA integrity_check(${maxFindings})`);
    const texts = pages.map(({ integrity_check }) => String(integrity_check)).filter((text) => text !== 'ok');
    if (texts.length > 0) return texts.flatMap((text) => text.split('\n'));
    const orphans = await all('PRAGMA foreign_key_check');
    return orphans
      .slice(0, maxFindings)
      .map(({ table, rowid, parent }) => `row ${rowid} of ${table} refers to a missing row of ${parent}`);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return [error instanceof Error ? error.message : String(error)];
  } finally {
    await closeConnection(connection);
  }
}
