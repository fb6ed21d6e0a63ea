import type { Knex } from 'knex';
import type pg from 'pg';
import { type Done, type Pooled, type ReadyRead, readOn } from '../direct-read.ts';

/** A read that waits for a connection. */
interface Waiting {
  readonly read: ReadyRead;
  readonly values: readonly unknown[];
  resolve(rows: Promise<unknown>): void;
  reject(error: unknown): void;
}

type Connection = Pooled & pg.Client & { pipeline: boolean };

/** How many connections such reads use at once, and how many of them share one. A slow read delays those behind it. */
const limits = { connections: 4, reads: 8 };

const ways = new WeakMap<Knex.Client, (read: ReadyRead, values: readonly unknown[]) => Promise<unknown>>();

/**
 * As `readDirectly`. Reads that come while a connection is being acquired share it: they are sent at once, and Postgres answers them
 * in turn, each on its own. That is most of what a short read costs: a request to the system for each, and for each answer.
 */
export function readTogether(client: Knex.Client, read: ReadyRead, values: readonly unknown[]): Promise<unknown> {
  let way = ways.get(client);
  if (way === undefined) {
    way = createWay(client);
    ways.set(client, way);
  }
  return way(read, values);
}

function createWay(client: Knex.Client) {
  const waiting: Waiting[] = [];
  let used = 0;
  let isAcquiring = false;

  async function carry(): Promise<void> {
    if (isAcquiring || used === limits.connections || waiting.length === 0) return;
    const asked = waiting.length;
    used += 1;
    isAcquiring = true;
    try {
      const connection: Connection = await client.acquireConnection();
      isAcquiring = false;
      const taken = waiting.splice(0, limits.reads);
      void carry();
      await sendAll(client, connection, taken);
      client.releaseConnection(connection);
    } catch (error) {
      isAcquiring = false;
      // Those that came meanwhile have not waited as long yet.
      for (const { reject } of waiting.splice(0, asked)) reject(error);
    }
    used -= 1;
    void carry();
  }

  return (read: ReadyRead, values: readonly unknown[]) =>
    new Promise<unknown>((resolve, reject) => {
      waiting.push({ read, values, resolve, reject });
      void carry();
    });
}

/** Sends reads on one connection, and resolves when all have ended. */
async function sendAll(client: Knex.Client, connection: Connection, reads: readonly Waiting[]): Promise<void> {
  const { stream } = connection.connection;
  connection.pipeline = reads.length > 1;
  stream.cork();
  const ended = reads.map(({ read, values, resolve }) => {
    const rows = readOn(client, connection, sendToPostgres, read, values);
    resolve(rows);
    return rows;
  });
  stream.uncork();
  await Promise.allSettled(ended);
  connection.pipeline = false;
}

function sendToPostgres(
  connection: Connection,
  { sql, options }: ReadyRead,
  values: readonly unknown[],
  done: Done,
): void {
  const query = { text: sql, values: values as unknown[], ...options };
  connection.query(query, (error, result) => done(error, result?.rows));
}
