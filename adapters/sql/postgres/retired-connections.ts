import type { Knex } from 'knex';
import type pg from 'pg';
import { codeOf } from '../../system-error.ts';
import { isReadTimeout } from '../errors.ts';
import { cancelStatement } from './cancel-statement.ts';

/** A connection of knex's pool, with the name that knex gives it. */
type Pooled = pg.Client & { readonly __knexUid: string };

/** A failed statement, as knex describes it in its event. */
interface Failed {
  /** The name of its connection. */
  readonly __knexUid: string;
  readonly sql: string;
}

/** The code of a write on a read-only server. A new connection may lead to one that accepts writes. */
const readOnly = '25006';

/** Removes useless connections from knex's pool, because knex would use them again after an error. */
export function createRetirement() {
  const connections = new Map<string, pg.Client>();
  const retired = new WeakSet<pg.Client>();
  const ending = new Map<pg.Client, Promise<void>>();

  /** Retires all connections, because they lead to the same server, which is read-only or silent. */
  function retireAll(): void {
    for (const each of connections.values()) retired.add(each);
  }

  function failed(error: unknown, { __knexUid: name, sql }: Failed): void {
    const connection = connections.get(name);
    if (connection === undefined) return;
    if (codeOf(error) === readOnly || isReadTimeout(error)) retireAll();
    if (!isReadTimeout(error)) return;
    // Ending the connection cuts off its running statement. A ROLLBACK would wait for a second timeout.
    const end = () => void connection.end().catch(() => undefined);
    if (!sql.startsWith('COMMIT')) {
      end(); // The server's own timeout has already ended the statement.
      return;
    }
    const ended = cancelStatement(connection).then(() => {
      ending.delete(connection);
      end();
    });
    ending.set(connection, ended);
  }

  return {
    /** Must be called if the server does not answer. */
    retireAll,
    /** Settings of knex's pool. `begin` prepares each new connection. */
    poolSettings: (begin: (connection: pg.Client) => Promise<void>) => ({
      afterCreate(connection: Pooled, done: (error?: unknown) => void): void {
        connections.set(connection.__knexUid, connection);
        connection.once('end', () => connections.delete(connection.__knexUid));
        void begin(connection).then(() => done(), done);
      },
      /**
       * Returns whether the pool may use this connection. If not, the pool closes it. A running cancellation needs the
       * open connection, so this first waits for its end.
       */
      async validate(connection: pg.Client): Promise<boolean> {
        if (!retired.has(connection)) return true;
        await ending.get(connection);
        connection.connection.stream.destroy(); // A normal end would wait for a server that may be dead.
        return false;
      },
    }),
    /** Listens for failed statements. */
    follow: (knex: Knex): void => void knex.on('query-error', failed),
    /** Resolves when all cancelled connections have ended. */
    settled: async (): Promise<void> => void (await Promise.all(ending.values())),
  };
}
