import type { Backend, Stores } from './backends.ts';
import { makeMigratedFiles } from './migrated-file.ts';
import { makePostgresPlace, openPostgresStores, postgresServer } from './postgres-backend.ts';
import { skipLong } from './required-service.ts';
import { openSqliteStores } from './sqlite-stores.ts';

/** One database, opened twice, as by two processes. Calls alternate between both. */
export const sharedBackends: readonly Backend[] = [
  {
    name: 'sqlite, opened twice',
    skip: skipLong,
    async make() {
      const place = await makeMigratedFiles();
      return {
        async open() {
          const file = await place.next();
          return together(await openSqliteStores(file), await openSqliteStores(file));
        },
        remove: place.remove,
      };
    },
  },
  {
    name: 'postgres, opened twice',
    skip: postgresServer.skip,
    make: () =>
      makePostgresPlace(async (url) => together(await openPostgresStores(url), await openPostgresStores(url))),
  },
];

function together(one: Stores, other: Stores): Stores {
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
    coupons: byTurns(one.coupons, other.coupons),
    templates: byTurns(one.templates, other.templates),
    usage: byTurns(one.usage, other.usage),
    figures: byTurns(one.figures, other.figures),
    counts: byTurns(one.counts, other.counts),
    snapshots: byTurns(one.snapshots, other.snapshots),
    expiries: byTurns(one.expiries, other.expiries),
    reminders: byTurns(one.reminders, other.reminders),
    clocks: byTurns(one.clocks, other.clocks),
    plans: byTurns(one.plans, other.plans),
    webhookVerifications: byTurns(one.webhookVerifications, other.webhookVerifications),
    async close() {
      await one.close();
      await other.close();
    },
  };
}

function byTurns<Store extends object>(one: Store, other: Store): Store {
  let calls = 0;
  return new Proxy(one, { get: (_, name) => Reflect.get(calls++ % 2 === 0 ? one : other, name) });
}
