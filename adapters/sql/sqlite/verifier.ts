import { promisify } from 'node:util';
import type sqlite3 from 'sqlite3';
import { codeOf } from '../../system-error.ts';
import type { ObserveBatch } from '../batch.ts';
import { translate } from '../errors.ts';
import { createVerifier, type Facts, type Verifier } from '../verifier.ts';
import { busyTimeout, closeConnection, execute, openConnection } from './connection.ts';
import { prepare, type SqliteDatabase } from './database.ts';

const readFacts = `
  SELECT l.id, l.standing, l.expires_at, a.ordinal, a.license_version
  FROM json_each(?) AS r
  LEFT JOIN licenses AS l ON l.key = r.value ->> 0
  LEFT JOIN activations AS a ON a.license_id = l.id AND a.domain = r.value ->> 1
  ORDER BY r.key`;

const addCounts = `
  UPDATE activations SET
    verification_count = verification_count + (r.value ->> 4),
    last_verified_at = max(coalesce(last_verified_at, 0), r.value ->> 5)
  FROM json_each(?) AS r
  WHERE license_id = r.value ->> 0 AND activations.domain = r.value ->> 1
    AND ordinal = r.value ->> 2 AND license_version = r.value ->> 3
  RETURNING license_id, domain`;

/**
 * Milliseconds for which SQLite itself waits for the write lock. It looks for it after 1, 3 and 8, and after that ever more rarely:
 * somebody who writes in many short turns would come before a verification again and again.
 */
const lockWait = 8;

/** Looks for the lock again and again while another process has it, for as long as SQLite would wait. */
async function unlocked<T>(statement: () => Promise<T>): Promise<T> {
  const until = performance.now() + busyTimeout;
  for (;;) {
    try {
      return await statement();
    } catch (error) {
      if (codeOf(error) !== 'SQLITE_BUSY' || performance.now() > until) throw error;
    }
  }
}

/** Verifies on a connection of its own, in turn with the process's other writers. */
export async function openSqliteVerifier(
  { file, turns, watch }: Pick<SqliteDatabase, 'file' | 'turns' | 'watch'>,
  observe?: ObserveBatch,
): Promise<Verifier> {
  const connection = await openConnection(file);
  await prepare(connection);
  await execute(connection, `PRAGMA busy_timeout = ${lockWait}`);
  const facts = connection.prepare(readFacts);
  const counts = connection.prepare(addCounts);
  const all = <Row>(statement: sqlite3.Statement, rows: readonly (readonly unknown[])[]) =>
    watch.guard(() =>
      translate(() =>
        unlocked(
          () =>
            new Promise<Row[]>((resolve, reject) => {
              statement.all<Row>(JSON.stringify(rows), (error, found) => (error ? reject(error) : resolve(found)));
            }),
        ),
      ),
    );
  return createVerifier(
    {
      read: (requests) =>
        all<Facts>(
          facts,
          requests.map(({ key, domain }) => [key, domain]),
        ),
      async add(rows) {
        const added = await turns(() =>
          all<{ license_id: number; domain: string }>(
            counts,
            rows.map(({ id, domain, ordinal, version, count, at }) => [id, domain, ordinal, version, count, at]),
          ),
        );
        if (added.length > 0) watch.wrote();
        if (added.length === rows.length) return [];
        const names = new Set(added.map(({ license_id, domain }) => `${license_id} ${domain}`));
        return rows.filter(({ id, domain }) => !names.has(`${id} ${domain}`));
      },
      check: async () => void (await all(facts, [])),
      async close() {
        await promisify(facts.finalize.bind(facts))();
        await promisify(counts.finalize.bind(counts))();
        await closeConnection(connection);
      },
    },
    observe,
  );
}
