import type { Container } from 'inversify';
import { makePrivate } from '../../../adapters/node/make-private.ts';
import type { Opening } from '../../../adapters/sql/no-database.ts';
import { ringingDatabase } from '../../../adapters/sql/ring.ts';
import { openSqlite } from '../../../adapters/sql/sqlite/database.ts';
import { openInMemoryVerifier, openSqliteInMemory } from '../../../adapters/sql/sqlite/in-memory.ts';
import { openSqliteVerifier } from '../../../adapters/sql/sqlite/verifier.ts';
import { workBell } from '../bell.ts';
import { writes } from '../briefly.ts';
import * as chosen from '../chosen.ts';
import { lifecycle } from '../lifecycle.ts';
import { bindVerifier, observedDatabase } from '../observed.ts';
import { bind, give, part } from '../part.ts';
import { instruments } from './observing.ts';

/** Chooses a database in one SQLite file. */
export function inSqlite(container: Container, path: string, opening: Opening): void {
  const sqlite = part(
    async ({ log, lifecycle }) => {
      const database = await openSqlite(path, opening, ({ kind, error }) => {
        log[kind === 'lost' ? 'fatal' : 'error']({ trouble: kind }, error.message);
        if (kind === 'lost') lifecycle.fail(error);
      });
      await makePrivate(path, `${path}-wal`, `${path}-shm`);
      return database;
    },
    { log: chosen.log, lifecycle },
    (database) => database.close(),
  );
  bind(
    container,
    chosen.database,
    ({ sqlite, instruments, writes, bell }) =>
      ringingDatabase(observedDatabase(sqlite, instruments, writes), bell.ring),
    { sqlite, instruments, writes, bell: workBell },
  );
  give(container, chosen.databaseWarnings, {});
  bindVerifier(container, sqlite, openSqliteVerifier);
}

/** Chooses a database in memory. Its content is lost when the process ends. */
export function inMemory(container: Container): void {
  bind(
    container,
    chosen.database,
    async ({ instruments, writes, bell }) =>
      ringingDatabase(observedDatabase(await openSqliteInMemory(), instruments, writes), bell.ring),
    { instruments, writes, bell: workBell },
    (database) => database.close(),
  );
  give(container, chosen.databaseWarnings, {});
  bindVerifier(container, chosen.database, openInMemoryVerifier);
}
