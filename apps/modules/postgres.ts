import { ContainerModule } from 'inversify';
import { openPostgres, type PostgresOptions } from '../../adapters/sql/postgres.ts';
import { openPostgresVerifier } from '../../adapters/sql/postgres-verifier.ts';
import { t } from '../tokens.ts';

/** A database on a Postgres server. */
export const postgres = (options: PostgresOptions) =>
  new ContainerModule(({ bind }) => {
    bind(t.database)
      .toResolvedValue(() => openPostgres(options))
      .onDeactivation((database) => database.close());
    bind(t.verifier)
      // The schema is there once the database is open.
      .toResolvedValue((_database) => openPostgresVerifier(options), [t.database])
      .onDeactivation((verifier) => verifier.close());
  });
