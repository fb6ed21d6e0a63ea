import { promisify } from 'node:util';
import sqlite3 from 'sqlite3';
import type { ObserveBatch } from './batch.ts';
import { translate } from './errors.ts';
import { prepare, type SqliteDatabase } from './sqlite.ts';
import { createVerifier, type Facts, type VerificationTransaction, type Verifier } from './verifier.ts';

const readFacts = `
  SELECT l.id, l.standing, l.expires_at, a.domain IS NOT NULL AS is_activated
  FROM json_each(?) AS r
  LEFT JOIN licenses AS l ON l.key = r.value ->> 0
  LEFT JOIN activations AS a ON a.license_id = l.id AND a.domain = r.value ->> 1
  ORDER BY r.key`;

const addCounts = `
  UPDATE activations SET
    verification_count = verification_count + (r.value ->> 2),
    last_verified_at = max(coalesce(last_verified_at, 0), r.value ->> 3)
  FROM json_each(?) AS r
  WHERE license_id = r.value ->> 0 AND domain = r.value ->> 1`;

/** Verifies on a connection of its own, in turn with the process's other writers. */
export async function openSqliteVerifier(
  { file, turns }: Pick<SqliteDatabase, 'file' | 'turns'>,
  observe?: ObserveBatch,
): Promise<Verifier> {
  const connection = await connect(file);
  const exec = promisify(connection.exec.bind(connection)) as (sql: string) => Promise<void>;
  await prepare(connection);
  const facts = connection.prepare(readFacts);
  const counts = connection.prepare(addCounts);
  const readAll = promisify(facts.all.bind(facts)) as (json: string) => Promise<Facts[]>;
  const writeAll = promisify(counts.run.bind(counts)) as (json: string) => Promise<void>;

  const transaction: VerificationTransaction = {
    readFacts: (requests) => readAll(JSON.stringify(requests.map(({ key, domain }) => [key, domain]))),
    addCounts: (all) => writeAll(JSON.stringify(all.map(({ id, domain, count, at }) => [id, domain, count, at]))),
  };

  async function inTransaction<T>(work: (transaction: VerificationTransaction) => Promise<T>): Promise<T> {
    await exec('BEGIN IMMEDIATE');
    try {
      const result = await work(transaction);
      await exec('COMMIT');
      return result;
    } catch (error) {
      await exec('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }

  return createVerifier(
    (work) => turns(() => translate(() => inTransaction(work))),
    async () => {
      await promisify(facts.finalize.bind(facts))();
      await promisify(counts.finalize.bind(counts))();
      await promisify(connection.close.bind(connection))();
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
