import type pg from 'pg';
import { askOnce } from '../ask-once.ts';

/** Milliseconds for connecting, and for the answer. */
const patience = 2_000;

/**
 * Whoever has a snapshot, or has written, keeps the old versions of all rows that were changed since. Vacuum workers keep none.
 * Without the role `pg_read_all_stats`, Postgres tells a user of its own sessions only.
 */
const oldest = `
  SELECT coalesce(max(extract(epoch FROM clock_timestamp() - began)), 0)::float8 AS seconds FROM (
    SELECT xact_start AS began FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type <> 'autovacuum worker'
      AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL)
    UNION ALL
    SELECT prepared FROM pg_prepared_xacts WHERE database = current_database()
  ) AS holders`;

/**
 * The age in seconds of the oldest transaction of the database that keeps old versions of rows from being cleared away; 0 if there
 * is none. Asks on a connection of its own: one of the pool may have to be waited for.
 */
export async function oldestSnapshot(settings: pg.ClientConfig): Promise<number> {
  const { rows } = await askOnce(settings, patience, (client) => client.query<{ seconds: number }>(oldest));
  return rows[0]?.seconds ?? 0;
}
