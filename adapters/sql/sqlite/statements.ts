import { LRUCache } from 'lru-cache';
import type sqlite3 from 'sqlite3';

/** How many prepared statements a connection keeps. */
const kept = 200;

type Callback = (this: unknown, error: Error | null, rows?: unknown) => void;
type Method = 'all' | 'run';

/**
 * Makes a connection keep the statements that it prepares for `all` and `run`, the two calls of knex. A statement that is
 * used again is not prepared again, which takes more than half of the time of a short one. SQLite itself prepares it
 * again after a change of the schema.
 */
export function keepStatements(connection: sqlite3.Database): void {
  const statements = new LRUCache<string, sqlite3.Statement>({
    max: kept,
    dispose: (statement) => void statement.finalize(),
  });

  const call = (method: Method) => (sql: string, values: unknown, callback: Callback) => {
    const known = statements.get(sql);
    if (known) {
      known[method](values, callback);
      return connection;
    }
    // If it cannot be prepared, only the first function is called.
    const statement = connection.prepare(sql, (error: Error | null) => {
      if (error) callback.call(statement, error);
      else statements.set(sql, statement);
    });
    statement[method](values, callback);
    return connection;
  };

  const { close } = connection;
  Object.assign(connection, {
    all: call('all'),
    run: call('run'),
    // SQLite closes no connection that has statements.
    close(callback?: (error: Error | null) => void) {
      statements.clear();
      Reflect.apply(close, connection, [callback]);
    },
  });
}
