import { ContainerModule } from 'inversify';
import { openInMemoryVerifier, openSqliteInMemory } from '../../../adapters/sql/sqlite/in-memory.ts';
import { observedDatabase, observedVerifier } from '../observed.ts';
import { t } from '../tokens.ts';

/** A database in memory. Its content is lost when the process ends. */
export const memory = new ContainerModule(({ bind }) => {
  bind(t.database)
    .toResolvedValue(async (instruments) => observedDatabase(await openSqliteInMemory(), instruments), [t.instruments])
    .onDeactivation((database) => database.close());
  bind(t.databaseWarnings).toConstantValue({});
  bind(t.verifier)
    .toResolvedValue(
      (database, instruments, tracing) =>
        observedVerifier((observe) => openInMemoryVerifier(database, observe), instruments, tracing),
      [t.database, t.instruments, t.tracing],
    )
    .onDeactivation((verifier) => verifier.close());
});
