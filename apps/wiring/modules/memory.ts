import { ContainerModule } from 'inversify';
import { openInMemoryVerifier, openSqliteInMemory } from '../../../adapters/sql/sqlite/in-memory.ts';
import { ringingDatabase } from '../../../adapters/sql/stores/ring.ts';
import { bindVerifier } from '../bind-verifier.ts';
import { observedDatabase } from '../observed.ts';
import { t } from '../tokens.ts';

/** A database in memory. Its content is lost when the process ends. */
export const memory = new ContainerModule(({ bind }) => {
  bind(t.database)
    .toResolvedValue(
      async (instruments, { ring }) => ringingDatabase(observedDatabase(await openSqliteInMemory(), instruments), ring),
      [t.instruments, t.workBell],
    )
    .onDeactivation((database) => database.close());
  bind(t.databaseWarnings).toConstantValue({});
  bindVerifier(bind, t.database, openInMemoryVerifier);
});
