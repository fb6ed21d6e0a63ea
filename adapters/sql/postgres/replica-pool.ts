import createKnex, { type Knex } from 'knex';
import type pg from 'pg';
import { hostsOf, type PostgresOptions } from './connection.ts';
import { driver } from './database.ts';
import { createRetirement } from './retired-connections.ts';

/** Connections to a replica. */
export interface ReplicaPool {
  readonly knex: Knex;
  /** Cancels running statements and closes all connections. */
  cut(): void;
  /** Waits for running statements, then closes all connections. */
  close(): Promise<void>;
}

/**
 * Opens a pool of connections, which connects on first use. Its sessions need no settings for durability, because they
 * only read.
 */
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
      for (const client of clients) client.end().catch(() => undefined); // This also cuts off a running statement.
      close().catch(() => undefined);
    },
    close,
  };
}
