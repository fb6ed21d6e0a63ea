import type { Knex } from 'knex';
import type pg from 'pg';
import { codeOf } from '../../system-error.ts';
import { isReadTimeout } from '../errors.ts';
import { cancelStatement } from './cancel-statement.ts';

/** A connection of knex's pool, which knex gives a name. */
type Pooled = pg.Client & { readonly __knexUid: string };

/** What knex tells of a statement that failed. */
interface Failed {
  /** Of its connection. */
  readonly __knexUid: string;
  readonly sql: string;
}

/** The database cannot be written on this connection; one that is made anew may lead to where it can. */
const readOnly = '25006';

/** Takes out of knex's pool the connections that are of no use any more: knex itself uses them again after an error. */
export function createRetirement() {
  const connections = new Map<string, pg.Client>();
  const retired = new WeakSet<pg.Client>();
  const ending = new Map<pg.Client, Promise<void>>();

  /** All of them lead to the same server, which is read-only or silent. */
  function retireAll(): void {
    for (const each of connections.values()) retired.add(each);
  }

  function failed(error: unknown, { __knexUid: name, sql }: Failed): void {
    const connection = connections.get(name);
    if (connection === undefined) return;
    if (codeOf(error) === readOnly || isReadTimeout(error)) retireAll();
    if (!isReadTimeout(error)) return;
    // Ending it while a statement is under way cuts it off; a ROLLBACK would wait as long again.
    const end = () => void connection.end().catch(() => undefined);
    if (!sql.startsWith('COMMIT')) {
      end(); // The server's own limit has ended it.
      return;
    }
    const ended = cancelStatement(connection).then(() => {
      ending.delete(connection);
      end();
    });
    ending.set(connection, ended);
  }

  return {
    /** For a server that says nothing. */
    retireAll,
    /** Settings of knex's pool. `begin` readies each new connection. */
    poolSettings: (begin: (connection: pg.Client) => Promise<void>) => ({
      afterCreate(connection: Pooled, done: (error?: unknown) => void): void {
        connections.set(connection.__knexUid, connection);
        connection.once('end', () => connections.delete(connection.__knexUid));
        void begin(connection).then(() => done(), done);
      },
      /** Whether the pool may give this connection away. If not, the pool ends it; so this waits until it may be ended. */
      async validate(connection: pg.Client): Promise<boolean> {
        if (!retired.has(connection)) return true;
        await ending.get(connection);
        connection.connection.stream.destroy(); // A farewell may have nobody to hear it, and would be waited for.
        return false;
      },
    }),
    /** Learns of each statement that fails. */
    follow: (knex: Knex): void => void knex.on('query-error', failed),
    /** Resolves when no connection waits any more for its end. */
    settled: async (): Promise<void> => void (await Promise.all(ending.values())),
  };
}
