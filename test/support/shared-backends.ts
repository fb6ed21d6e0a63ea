import type { LicenseStore } from '../../core/ports/license-store.ts';
import type { Backend, Stores } from './backends.ts';
import { makeSchema, openPostgresStores, postgresServer } from './postgres-backend.ts';
import { openSqliteStores } from './sqlite-stores.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** One database, opened twice, as by two processes. Calls alternate between both. */
export const sharedBackends: readonly Backend[] = [
  {
    name: 'sqlite, opened twice',
    isLasting: true,
    async open() {
      const folder = await makeTemporaryFolder();
      const open = () => openSqliteStores(folder.file('latchkey.db'));
      return together(await open(), await open(), folder.remove);
    },
  },
  {
    name: 'postgres, opened twice',
    skip: postgresServer.skip,
    isLasting: true,
    async open() {
      const schema = await makeSchema();
      const open = () => openPostgresStores(schema.url);
      return together(await open(), await open(), schema.drop);
    },
  },
];

function together(one: Stores, other: Stores, remove: () => Promise<void>): Stores {
  return {
    ...one,
    licenses: byTurns(one.licenses, other.licenses),
    async close() {
      await one.close();
      await other.close();
      await remove();
    },
  };
}

function byTurns(one: LicenseStore, other: LicenseStore): LicenseStore {
  let calls = 0;
  const next = () => (calls++ % 2 === 0 ? one : other);
  return {
    add: (licenses, events) => next().add(licenses, events),
    find: (key, freshness) => next().find(key, freshness),
    list: (filter) => next().list(filter),
    change: (key, domain, decide) => next().change(key, domain, decide),
    verify: (key, domain, decide) => next().verify(key, domain, decide),
  };
}
