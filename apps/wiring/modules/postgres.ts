import { ContainerModule } from 'inversify';
import type { Opening } from '../../../adapters/sql/no-database.ts';
import { type PostgresOptions, placeOf } from '../../../adapters/sql/postgres/connection.ts';
import { openPostgres } from '../../../adapters/sql/postgres/database.ts';
import { openPostgresVerifier } from '../../../adapters/sql/postgres/verifier.ts';
import { ringingDatabase } from '../../../adapters/sql/stores/ring.ts';
import { bindVerifier } from '../bind-verifier.ts';
import { observedDatabase } from '../observed.ts';
import { t } from '../tokens.ts';
import { unreachable } from '../unreachable-database.ts';

/** A database on a Postgres server. `t.database` is bound by another module, with a replica or without. */
export const postgres = (options: PostgresOptions, opening: Opening) =>
  new ContainerModule(({ bind }) => {
    bind(t.postgres)
      .toResolvedValue(
        async (instruments, { ring }) => {
          const database = await openPostgres(options, opening).catch((error: unknown) => {
            throw unreachable(error, placeOf(options).server) ?? error;
          });
          instruments.watchPool(database.pool);
          instruments.watchSnapshots(database.oldestSnapshot);
          return ringingDatabase(observedDatabase(database, instruments), ring);
        },
        [t.instruments, t.workBell],
      )
      .onDeactivation((database) => database.close());
    bindVerifier(bind, t.postgres, (_database, observe) => openPostgresVerifier(options, observe));
  });
