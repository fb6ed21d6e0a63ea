import type { Knex } from 'knex';
import type pg from 'pg';
import type sqlite3 from 'sqlite3';

/** A read whose text is ready for the driver: with the signs for values that the database knows. */
export interface ReadyRead {
  readonly sql: string;
  /** Whether only the first row is wanted. */
  readonly isFirst: boolean;
  /** Settings for the driver. */
  readonly options: object;
}

/** The driver calls it when a statement has ended. */
type Done = (error: Error | null, rows: readonly unknown[]) => void;
type Send = (connection: unknown, read: ReadyRead, values: readonly unknown[], done: Done) => void;

export const sendToSqlite: Send = (connection, { sql }, values, done) => {
  (connection as sqlite3.Database).all(sql, values, done);
};

export const sendToPostgres: Send = (connection, { sql, options }, values, done) => {
  const query = { text: sql, values: values as unknown[], ...options };
  (connection as pg.Client).query(query, (error, result) => done(error, result?.rows));
};

/**
 * Runs a read on a connection of knex's pool, as knex itself would, with the same errors, and the events that this project listens to. Knex spends 20 µs for each
 * statement on what such a read does not need.
 */
export async function readDirectly(
  client: Knex.Client,
  send: Send,
  read: ReadyRead,
  values: readonly unknown[],
): Promise<unknown> {
  const connection: { readonly __knexUid: string } = await client.acquireConnection();
  try {
    const told = { __knexUid: connection.__knexUid, sql: read.sql, bindings: values };
    client.emit('query', told);
    const rows = await new Promise<readonly unknown[]>((resolve, reject) => {
      send(connection, read, values, (error, found) => {
        if (error === null || error === undefined) return resolve(found);
        error.message = `${read.sql} - ${error.message}`;
        client.emit('query-error', error, told);
        reject(error);
      });
    });
    return read.isFirst ? rows[0] : rows;
  } finally {
    client.releaseConnection(connection);
  }
}
