import { promisify } from 'node:util';
import sqlite3 from 'sqlite3';
import type { ObserveBatch } from './batch.ts';
import { translate } from './errors.ts';
import { prepare, type SqliteDatabase } from './sqlite.ts';
import { createVerifier, type Facts, type Verifier } from './verifier.ts';

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

/** Verifies on a connection of its own, in turn with the process's other writers. */
export async function openSqliteVerifier(
  { file, turns }: Pick<SqliteDatabase, 'file' | 'turns'>,
  observe?: ObserveBatch,
): Promise<Verifier> {
  const connection = await connect(file);
  await prepare(connection);
  const facts = connection.prepare(readFacts);
  const counts = connection.prepare(addCounts);
  const all = <Row>(statement: sqlite3.Statement, rows: readonly (readonly unknown[])[]) =>
    translate(
      () =>
        new Promise<Row[]>((resolve, reject) => {
          statement.all<Row>(JSON.stringify(rows), (error, found) => (error ? reject(error) : resolve(found)));
        }),
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
        if (added.length === rows.length) return [];
        const names = new Set(added.map(({ license_id, domain }) => `${license_id} ${domain}`));
        return rows.filter(({ id, domain }) => !names.has(`${id} ${domain}`));
      },
      async close() {
        await promisify(facts.finalize.bind(facts))();
        await promisify(counts.finalize.bind(counts))();
        await promisify(connection.close.bind(connection))();
      },
    },
    observe,
  );
}

function connect(file: string): Promise<sqlite3.Database> {
  return new Promise((resolve, reject) => {
    const connection: sqlite3.Database = new sqlite3.Database(file, sqlite3.OPEN_READWRITE, (error) =>
      error ? reject(error) : resolve(connection),
    );
  });
}
