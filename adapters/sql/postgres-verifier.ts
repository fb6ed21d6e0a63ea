import pg from 'pg';
import { translate } from './errors.ts';
import { connectionSettings, type PostgresOptions } from './postgres.ts';
import { createVerifier, type Facts, type VerificationTransaction, type Verifier } from './verifier.ts';

/**
 * Locked in key order, as whoever changes a license locks its domains: a change of a license comes wholly before a batch or
 * wholly after it.
 */
const lockDomains = `
  SELECT a.license_id, a.domain
  FROM activations AS a
  WHERE (a.license_id, a.domain) IN (
    SELECT l.id, r.domain FROM unnest($1::text[], $2::text[]) AS r (key, domain) JOIN licenses AS l ON l.key = r.key
  )
  ORDER BY a.license_id, a.domain
  FOR UPDATE`;

const readFacts = `
  SELECT l.id, l.standing, l.expires_at, a.domain IS NOT NULL AS is_activated
  FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS r (key, domain, ordinal)
  LEFT JOIN licenses AS l ON l.key = r.key
  LEFT JOIN activations AS a ON a.license_id = l.id AND a.domain = r.domain
  ORDER BY r.ordinal`;

const addCounts = `
  UPDATE activations AS a SET
    verification_count = a.verification_count + r.count,
    last_verified_at = greatest(a.last_verified_at, r.at)
  FROM unnest($1::int[], $2::text[], $3::int[], $4::bigint[]) AS r (id, domain, count, at)
  WHERE a.license_id = r.id AND a.domain = r.domain`;

/** Verifies on a connection of its own, which is made anew where it broke. */
export function openPostgresVerifier(options: PostgresOptions): Verifier {
  const pool = new pg.Pool({ ...connectionSettings(options), max: 1 });
  pool.on('error', () => undefined); // An idle connection that broke is replaced when it is needed.

  async function inTransaction<T>(work: (transaction: VerificationTransaction) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    let broken = true;
    try {
      await client.query('BEGIN');
      const result = await work(transactionOn(client));
      await client.query('COMMIT');
      broken = false;
      return result;
    } finally {
      // Whatever went wrong, a new connection knows nothing of it.
      client.release(broken);
    }
  }

  return createVerifier(
    (work) => translate(() => inTransaction(work)),
    () => pool.end(),
  );
}

function transactionOn(client: pg.PoolClient): VerificationTransaction {
  return {
    async readFacts(requests) {
      const values = [requests.map(({ key }) => key), requests.map(({ domain }) => domain)];
      await client.query({ name: 'lock-domains', text: lockDomains, values });
      // Read after the locks were had, so that it is of a later moment than whatever they waited for.
      const { rows } = await client.query<Facts>({ name: 'read-facts', text: readFacts, values });
      return rows;
    },
    async addCounts(counts) {
      const values = [
        counts.map(({ id }) => id),
        counts.map(({ domain }) => domain),
        counts.map(({ count }) => count),
        counts.map(({ at }) => at),
      ];
      await client.query({ name: 'add-counts', text: addCounts, values });
    },
  };
}
