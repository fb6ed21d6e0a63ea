import type pg from 'pg';
import { askOnce } from '../ask-once.ts';

/** Timeout for connecting, and for the answer. In milliseconds. */
const patience = 2_000;

/**
 * A session with a snapshot or with writes keeps the old versions of all rows that changed since. The sessions of
 * vacuum workers keep none. Without the role `pg_read_all_stats`, Postgres shows a user only its own sessions.
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
 * Returns the age in seconds of the oldest transaction that prevents vacuum from removing old versions of rows, or 0 if
 * there is none. Uses a separate connection, because the pool may have no free one.
 */
export async function oldestSnapshot(settings: pg.ClientConfig): Promise<number> {
  const { rows } = await askOnce(settings, patience, (client) => client.query<{ seconds: number }>(oldest));
  return rows[0]?.seconds ?? 0;
}
