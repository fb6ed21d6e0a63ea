import { ContainerModule } from 'inversify';
import { openPostgres, type PostgresOptions } from '../../adapters/sql/postgres.ts';
import { openPostgresVerifier } from '../../adapters/sql/postgres-verifier.ts';
import { observeBatches, observedDatabase } from '../observed.ts';
import { t } from '../tokens.ts';

/** A database on a Postgres server. */
export const postgres = (options: PostgresOptions) =>
  new ContainerModule(({ bind }) => {
    bind(t.database)
      .toResolvedValue(
        async (instruments) => {
          const database = await openPostgres(options);
          instruments.watchPool(database.pool);
          return observedDatabase(database, instruments);
        },
        [t.instruments],
      )
      .onDeactivation((database) => database.close());
    bind(t.verifier)
      // The schema is there once the database is open.
      .toResolvedValue(
        (_database, instruments, tracing) => {
          const verifier = openPostgresVerifier(options, observeBatches(instruments, tracing));
          instruments.watchVerifyQueue(verifier.waiting);
          return verifier;
        },
        [t.database, t.instruments, t.tracing],
      )
      .onDeactivation((verifier) => verifier.close());
  });
