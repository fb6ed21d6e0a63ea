import { LRUCache } from 'lru-cache';
import type sqlite3 from 'sqlite3';

/** How many prepared statements a connection keeps. */
const kept = 200;

type Callback = (this: unknown, error: Error | null, rows?: unknown) => void;
type Method = 'all' | 'run';

/**
 * Makes a connection keep the statements that it prepares for `all` and `run`, the two methods that knex calls, always with
 * values and a callback. After a change of the schema, SQLite prepares kept ones again by itself.
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
    // If the text cannot be prepared, SQLite calls only this function, and drops the call below.
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
    // SQLite refuses to close a connection that has statements.
    close(callback?: (error: Error | null) => void) {
      statements.clear();
      Reflect.apply(close, connection, [callback]);
    },
  });
}
