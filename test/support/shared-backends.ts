import type { Backend, Stores } from './backends.ts';
import { makeMigratedFile } from './migrated-file.ts';
import { makeSchema, openPostgresStores, postgresServer } from './postgres-backend.ts';
import { skipLong } from './required-service.ts';
import { openSqliteStores } from './sqlite-stores.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** One database, opened twice, as by two processes. Calls alternate between both. */
export const sharedBackends: readonly Backend[] = [
  {
    name: 'sqlite, opened twice',
    skip: skipLong,
    async open() {
      const folder = await makeTemporaryFolder();
      const file = folder.file('latchkey.db');
      await makeMigratedFile(file);
      const open = () => openSqliteStores(file);
      return together(await open(), await open(), folder.remove);
    },
  },
  {
    name: 'postgres, opened twice',
    skip: postgresServer.skip,
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
    accounts: byTurns(one.accounts, other.accounts),
    logins: byTurns(one.logins, other.logins),
    sessions: byTurns(one.sessions, other.sessions),
    links: byTurns(one.links, other.links),
    devices: byTurns(one.devices, other.devices),
    products: byTurns(one.products, other.products),
    orders: byTurns(one.orders, other.orders),
    templates: byTurns(one.templates, other.templates),
    usage: byTurns(one.usage, other.usage),
    figures: byTurns(one.figures, other.figures),
    counts: byTurns(one.counts, other.counts),
    snapshots: byTurns(one.snapshots, other.snapshots),
    expiries: byTurns(one.expiries, other.expiries),
    reminders: byTurns(one.reminders, other.reminders),
    plans: byTurns(one.plans, other.plans),
    webhookVerifications: byTurns(one.webhookVerifications, other.webhookVerifications),
    async close() {
      await one.close();
      await other.close();
      await remove();
    },
  };
}

function byTurns<Store extends object>(one: Store, other: Store): Store {
  let calls = 0;
  return new Proxy(one, { get: (_, name) => Reflect.get(calls++ % 2 === 0 ? one : other, name) });
}
