import pg from 'pg';
import type { ObserveBatch } from './batch.ts';
import { translate } from './errors.ts';
import { connectionSettings, type PostgresOptions } from './postgres.ts';
import { type Count, createVerifier, type Facts, type Verifier } from './verifier.ts';

const readFacts = `
  SELECT l.id, l.standing, l.expires_at, a.ordinal, a.license_version
  FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS r (key, domain, place)
  LEFT JOIN licenses AS l ON l.key = r.key
  LEFT JOIN activations AS a ON a.license_id = l.id AND a.domain = r.domain
  ORDER BY r.place`;

/**
 * Holds the rows in the order in which they are given, so that two batches in key order do not deadlock, and a change of a license
 * comes wholly before a batch or wholly after it. What was changed meanwhile is no longer what was read, and drops out. Answers
 * which were added only where some were not.
 */
const addCounts = `
  WITH added AS (
    UPDATE activations AS a SET
      verification_count = a.verification_count + asked.count,
      last_verified_at = greatest(a.last_verified_at, asked.at)
    FROM unnest($1::int[], $2::text[], $3::int[], $4::int[], $5::int[], $6::bigint[])
      WITH ORDINALITY AS asked (id, domain, ordinal, version, count, at, place)
    WHERE a.license_id = asked.id AND a.domain = asked.domain
      AND a.ordinal = asked.ordinal AND a.license_version = asked.version
    RETURNING asked.place::int
  )
  SELECT coalesce(array_agg(place), '{}') AS places FROM added HAVING count(*) < cardinality($1::int[])`;

/** Rows are found by their keys, one after the other: any other plan would hold them in an order of its own. */
const oneByOne = 'SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_seqscan = off';

/** Verifies on a connection of its own, which is made anew where it broke. */
export function openPostgresVerifier(options: PostgresOptions, observe?: ObserveBatch): Verifier {
  const onConnect = (client: pg.ClientBase) => client.query(oneByOne);
  const pool = new pg.Pool({ ...connectionSettings(options), max: 1, onConnect });
  pool.on('error', () => undefined); // An idle connection that broke is replaced when it is needed.

  return createVerifier(
    {
      read: (requests) =>
        translate(async () => {
          const values = [requests.map(({ key }) => key), requests.map(({ domain }) => domain)];
          const { rows } = await pool.query<Facts>({ name: 'read-facts', text: readFacts, values });
          return rows;
        }),
      add: (unordered) =>
        translate(async () => {
          const counts = [...unordered].sort(byKey);
          const values = [
            arrayOf(counts.map(({ id }) => id)),
            counts.map(({ domain }) => domain),
            arrayOf(counts.map(({ ordinal }) => ordinal)),
            arrayOf(counts.map(({ version }) => version)),
            arrayOf(counts.map(({ count }) => count)),
            arrayOf(counts.map(({ at }) => at)),
          ];
          const query = { name: 'add-counts', text: addCounts, values };
          const { rows } = await pool.query<{ places: readonly number[] }>(query);
          if (rows[0] === undefined) return [];
          const added = new Set(rows[0].places);
          return counts.filter((_, index) => !added.has(index + 1));
        }),
      close: () => pool.end(),
    },
    observe,
  );
}

/** The order in which whoever changes a license holds its domains. */
function byKey(one: Count, other: Count): number {
  return one.id - other.id || (one.domain < other.domain ? -1 : 1);
}

/** Numbers as Postgres writes an array of them; pg would look each over for what is to be escaped. */
function arrayOf(numbers: readonly number[]): string {
  return `{${numbers.join(',')}}`;
}
