import { ContainerModule } from 'inversify';
import { openSqlite } from '../../adapters/sql/sqlite.ts';
import { openSqliteVerifier } from '../../adapters/sql/sqlite-verifier.ts';
import { t } from '../tokens.ts';

/** A database in one SQLite file. */
export const sqlite = (path: string) =>
  new ContainerModule(({ bind }) => {
    bind(t.sqlite)
      .toResolvedValue(() => openSqlite(path))
      .onDeactivation((database) => database.close());
    bind(t.database).toResolvedValue((database) => database, [t.sqlite]);
    bind(t.verifier)
      .toResolvedValue(openSqliteVerifier, [t.sqlite])
      .onDeactivation((verifier) => verifier.close());
  });
