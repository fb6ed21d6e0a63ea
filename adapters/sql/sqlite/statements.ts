import type sqlite3 from 'sqlite3';

/** How many prepared statements a connection keeps. */
const most = 200;

/** Longer texts have lists of values, which rarely come twice. */
const longest = 4_000;

type Callback = (this: unknown, error: Error | null, rows?: unknown) => void;

/**
 * Makes a connection keep the reads that it prepares for `all`, which knex calls. Preparing takes a turn on another thread, and
 * half of the time of a short read. After a change of the schema, SQLite prepares kept ones again by itself.
 *
 * A statement that failed is not kept: it would stay active, and with it the state of the database that the connection reads.
 * Writes are not kept either. A statement in use is not used twice at once: the second call would wait in it, and could run after
 * the end of its transaction.
 */
export function keepStatements(connection: sqlite3.Database): void {
  const idle = new Map<string, sqlite3.Statement>();
  const { all, close } = connection;

  function giveBack(sql: string, statement: sqlite3.Statement): void {
    idle.get(sql)?.finalize();
    idle.delete(sql); // Now it is the last.
    idle.set(sql, statement);
    const [oldest] = idle.size > most ? idle.keys() : [];
    if (oldest === undefined) return;
    idle.get(oldest)?.finalize();
    idle.delete(oldest);
  }

  Object.assign(connection, {
    all(sql: string, values: unknown, callback: Callback) {
      const known = idle.get(sql);
      if (!known && !isRead(sql)) return Reflect.apply(all, connection, [sql, values, callback]);
      idle.delete(sql);
      // If the text cannot be prepared, SQLite calls only this function, and drops the call below.
      const statement = known ?? connection.prepare(sql, (error: Error | null) => error && callback.call(null, error));
      statement.all(values, (error: Error | null, rows: unknown) => {
        if (error) statement.finalize();
        else giveBack(sql, statement);
        callback.call(statement, error, rows);
      });
      return connection;
    },
    // SQLite refuses to close a connection that has statements.
    close(callback?: (error: Error | null) => void) {
      for (const statement of idle.values()) statement.finalize();
      idle.clear();
      Reflect.apply(close, connection, [callback]);
    },
  });
}

function isRead(sql: string): boolean {
  return sql.length <= longest && /^(?:select|with)\b/i.test(sql) && !/\b(?:insert|update|delete)\b/i.test(sql);
}
