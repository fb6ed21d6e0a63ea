import { ContainerModule } from 'inversify';
import { makePrivate } from '../../../adapters/node/make-private.ts';
import type { Opening } from '../../../adapters/sql/no-database.ts';
import { openSqlite } from '../../../adapters/sql/sqlite/database.ts';
import { openSqliteVerifier } from '../../../adapters/sql/sqlite/verifier.ts';
import { ringingDatabase } from '../../../adapters/sql/stores/ring.ts';
import { bindVerifier } from '../bind-verifier.ts';
import { observedDatabase } from '../observed.ts';
import { t } from '../tokens.ts';

/** A database in one SQLite file. */
export const sqlite = (path: string, opening: Opening) =>
  new ContainerModule(({ bind }) => {
    bind(t.sqlite)
      .toResolvedValue(
        async (log, lifecycle) => {
          const database = await openSqlite(path, opening, ({ kind, error }) => {
            log[kind === 'lost' ? 'fatal' : 'error']({ trouble: kind }, error.message);
            if (kind === 'lost') lifecycle.fail(error);
          });
          await makePrivate(path, `${path}-wal`, `${path}-shm`);
          return database;
        },
        [t.log, t.lifecycle],
      )
      .onDeactivation((database) => database.close());
    bind(t.database).toResolvedValue(
      (database, instruments, { ring }) => ringingDatabase(observedDatabase(database, instruments), ring),
      [t.sqlite, t.instruments, t.workBell],
    );
    bind(t.databaseWarnings).toConstantValue({});
    bindVerifier(bind, t.sqlite, openSqliteVerifier);
  });
