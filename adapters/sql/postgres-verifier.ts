import pg from 'pg';
import type { ObserveBatch } from './batch.ts';
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

const readLicenses = `
  SELECT l.id, l.standing, l.expires_at
  FROM unnest($1::text[]) WITH ORDINALITY AS r (key, ordinal)
  LEFT JOIN licenses AS l ON l.key = r.key
  ORDER BY r.ordinal`;

const addCounts = `
  UPDATE activations AS a SET
    verification_count = a.verification_count + r.count,
    last_verified_at = greatest(a.last_verified_at, r.at)
  FROM unnest($1::int[], $2::text[], $3::int[], $4::bigint[]) AS r (id, domain, count, at)
  WHERE a.license_id = r.id AND a.domain = r.domain`;

/** Verifies on a connection of its own, which is made anew where it broke. */
export function openPostgresVerifier(options: PostgresOptions, observe?: ObserveBatch): Verifier {
  const pool = new pg.Pool({ ...connectionSettings(options), max: 1 });
  pool.on('error', () => undefined); // An idle connection that broke is replaced when it is needed.
  // One that broke between two statements of a batch says so here as well; the next statement fails of it.
  pool.on('connect', (client) => client.on('error', () => undefined));

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
    observe,
  );
}

function transactionOn(client: pg.PoolClient): VerificationTransaction {
  return {
    async readFacts(requests) {
      const keys = requests.map(({ key }) => key);
      const { rows: locked } = await client.query<{ license_id: number; domain: string }>({
        name: 'lock-domains',
        text: lockDomains,
        values: [keys, requests.map(({ domain }) => domain)],
      });
      const held = new Set(locked.map(({ license_id, domain }) => `${license_id} ${domain}`));
      // Read after the locks were had, so that it is of a later moment than whatever they waited for.
      const { rows } = await client.query<Omit<Facts, 'is_activated'>>({
        name: 'read-licenses',
        text: readLicenses,
        values: [keys],
      });
      // Only what is held counts as activated: a domain that was activated since the locking could be gone before it is counted.
      return rows.map((row, index) => ({ ...row, is_activated: held.has(`${row.id} ${requests[index]?.domain}`) }));
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
