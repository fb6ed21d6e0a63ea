import createKnex, { type Knex } from 'knex';
import type pg from 'pg';
import { hostsOf, type PostgresOptions } from './connection.ts';
import { driver } from './database.ts';
import { createRetirement } from './retired-connections.ts';

/** Connections to a replica. */
export interface ReplicaPool {
  readonly knex: Knex;
  /** Breaks off all that is under way, and lets the connections go. */
  cut(): void;
  /** Waits for what is under way. */
  close(): Promise<void>;
}

/** Connects when it is first asked. Nothing is written here, so nothing is set that concerns writing. */
export function openReplicaPool(options: PostgresOptions): ReplicaPool {
  const retirement = createRetirement();
  const clients = new Set<pg.Client>();
  const knex = createKnex({
    ...driver,
    connection: hostsOf(options)[0] as object,
    pool: {
      min: 0,
      max: options.poolSize,
      ...retirement.poolSettings(async (client) => {
        clients.add(client);
        client.once('end', () => clients.delete(client));
      }),
    },
  });
  retirement.follow(knex);
  const close = () => knex.destroy();
  return {
    knex,
    cut() {
      for (const client of clients) client.end().catch(() => undefined); // This cuts a statement off that is under way.
      close().catch(() => undefined);
    },
    close,
  };
}
