/** Loaded into a server before its program: leaves out the locks that `PLANT` names, so that the checker has a bug to find. */
import pg from 'pg';
import sqlite3 from 'sqlite3';

type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;

/** Puts another text in the place of the statement that a method gets first, as a text or as an object with one. */
function rewrite(prototype: object, method: string, change: (sql: string) => string): void {
  const original = Reflect.get(prototype, method) as AnyFunction;
  Reflect.set(prototype, method, function (this: unknown, first: unknown, ...rest: unknown[]) {
    let changed = first;
    if (typeof first === 'string') changed = change(first);
    else if (typeof first === 'object' && first !== null && 'text' in first && typeof first.text === 'string') {
      Reflect.set(first, 'text', change(first.text));
    }
    return original.call(this, changed, ...rest);
  });
}

const forUpdate = /\bfor update\b/i;

const plants: Record<string, () => void> = {
  /** Nothing that is read for a change stays so until it is written. */
  'no-lock': () => {
    rewrite(pg.Client.prototype, 'query', (sql) => sql.replace(forUpdate, ''));
    // In SQLite the transaction is the lock.
    for (const method of ['exec', 'all', 'run', 'get', 'each']) {
      rewrite(sqlite3.Database.prototype, method, (sql) => sql.replace(/^(?:BEGIN|COMMIT|ROLLBACK)\b.*$/i, 'SELECT 1'));
    }
  },
  /** Verifications are counted whatever became of the license since it was read. */
  'no-guard': () => {
    rewrite(pg.Client.prototype, 'query', (sql) => sql.replace('AND a.license_version = asked.version', ''));
    rewrite(sqlite3.Database.prototype, 'prepare', (sql) => sql.replace('AND license_version = r.value ->> 3', ''));
  },
};

plants[process.env.PLANT ?? '']?.();
