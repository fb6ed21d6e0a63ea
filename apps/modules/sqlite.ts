import { ContainerModule } from 'inversify';
import { openSqlite } from '../../adapters/sql/sqlite.ts';
import { openSqliteVerifier } from '../../adapters/sql/sqlite-verifier.ts';
import { observeBatches, observedDatabase } from '../observed.ts';
import { t } from '../tokens.ts';

/** A database in one SQLite file. */
export const sqlite = (path: string) =>
  new ContainerModule(({ bind }) => {
    bind(t.sqlite)
      .toResolvedValue(() => openSqlite(path))
      .onDeactivation((database) => database.close());
    bind(t.database).toResolvedValue(observedDatabase, [t.sqlite, t.instruments]);
    bind(t.verifier)
      .toResolvedValue(
        async (database, instruments, tracing) => {
          const verifier = await openSqliteVerifier(database, observeBatches(instruments, tracing));
          instruments.watchVerifyQueue(verifier.waiting);
          return verifier;
        },
        [t.sqlite, t.instruments, t.tracing],
      )
      .onDeactivation((verifier) => verifier.close());
  });
