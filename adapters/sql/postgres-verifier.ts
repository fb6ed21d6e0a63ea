import pg from 'pg';
import type { ObserveBatch } from './batch.ts';
import { translate } from './errors.ts';
import { connectionSettings, type PostgresOptions } from './postgres.ts';
import { createVerifier, type Facts, type Verifier } from './verifier.ts';

const readFacts = `
  SELECT l.id, l.standing, l.expires_at, a.ordinal, a.license_version
  FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS r (key, domain, place)
  LEFT JOIN licenses AS l ON l.key = r.key
  LEFT JOIN activations AS a ON a.license_id = l.id AND a.domain = r.domain
  ORDER BY r.place`;

/**
 * Locks in key order, as whoever changes a license locks its domains: two batches do not deadlock, and a change of a license
 * comes wholly before a batch or wholly after it. What was changed meanwhile is no longer what was read, and drops out.
 */
const addCounts = `
  WITH asked AS MATERIALIZED (
    SELECT *
    FROM unnest($1::int[], $2::text[], $3::int[], $4::int[], $5::int[], $6::bigint[])
      AS r (id, domain, ordinal, version, count, at)
  ), held AS MATERIALIZED (
    SELECT a.license_id, a.domain, asked.count, asked.at
    FROM asked
    JOIN activations AS a ON a.license_id = asked.id AND a.domain = asked.domain
      AND a.ordinal = asked.ordinal AND a.license_version = asked.version
    ORDER BY a.license_id, a.domain
    FOR UPDATE OF a
  ), added AS (
    UPDATE activations AS a SET
      verification_count = a.verification_count + held.count,
      last_verified_at = greatest(a.last_verified_at, held.at)
    FROM held
    WHERE a.license_id = held.license_id AND a.domain = held.domain
    RETURNING a.license_id, a.domain
  )
  SELECT id, domain FROM asked WHERE (id, domain) NOT IN (SELECT license_id, domain FROM added)`;

/** Verifies on a connection of its own, which is made anew where it broke. */
export function openPostgresVerifier(options: PostgresOptions, observe?: ObserveBatch): Verifier {
  const pool = new pg.Pool({ ...connectionSettings(options), max: 1 });
  pool.on('error', () => undefined); // An idle connection that broke is replaced when it is needed.

  return createVerifier(
    {
      read: (requests) =>
        translate(async () => {
          const values = [requests.map(({ key }) => key), requests.map(({ domain }) => domain)];
          const { rows } = await pool.query<Facts>({ name: 'read-facts', text: readFacts, values });
          return rows;
        }),
      add: (counts) =>
        translate(async () => {
          const values = [
            arrayOf(counts.map(({ id }) => id)),
            counts.map(({ domain }) => domain),
            arrayOf(counts.map(({ ordinal }) => ordinal)),
            arrayOf(counts.map(({ version }) => version)),
            arrayOf(counts.map(({ count }) => count)),
            arrayOf(counts.map(({ at }) => at)),
          ];
          const query = { name: 'add-counts', text: addCounts, values };
          const { rows } = await pool.query<{ id: number; domain: string }>(query);
          return rows;
        }),
      close: () => pool.end(),
    },
    observe,
  );
}

/** Numbers as Postgres writes an array of them; pg would look each over for what is to be escaped. */
function arrayOf(numbers: readonly number[]): string {
  return `{${numbers.join(',')}}`;
}
