import pg from 'pg';
import { twinOf } from '../../../core/licensing/hosts.ts';
import type { ObserveBatch } from '../batch.ts';
import { isLockTimeout, isReadTimeout, translate, unlessLocked } from '../errors.ts';
import { answeredStanding, createVerifier, type Facts, type Verifier } from '../verifier.ts';
import { cancelStatement } from './cancel-statement.ts';
import { createCheck } from './check.ts';
import { hostsOf, type PostgresOptions } from './connection.ts';
import { createCounts, lockTimeout, type Run } from './counts.ts';
import { beginDirect, commitDurably, limitTransaction, needsPooledWay, type Way } from './pooling.ts';
import { createSeeker } from './seeker.ts';

/**
 * The product and the twin are looked up only if the domain is not activated or ends. Otherwise their keys are NULL, and
 * Postgres does not search an index for NULL.
 */
const readFacts = `
  SELECT l.id, ${answeredStanding} AS standing, l.expires_at, l.updates_until, l.entitlements, found.*
  FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS r (key, domain, twin, place)
  LEFT JOIN licenses AS l ON l.key = r.key
  LEFT JOIN activations AS a ON a.license_id = l.id AND a.domain = r.domain
  LEFT JOIN products AS p ON p.id = CASE WHEN a.ordinal IS NULL OR a.ends_at IS NOT NULL THEN l.product_id END
  LEFT JOIN activations AS t ON t.license_id = CASE WHEN p.www_is_apex = 1 THEN l.id END AND t.domain = r.twin
  CROSS JOIN LATERAL (
    SELECT t.ordinal IS NOT NULL AND (a.ordinal IS NULL OR t.ends_at IS NULL OR t.ends_at > a.ends_at) AS is_twin
  ) AS which
  CROSS JOIN LATERAL (
    SELECT CASE WHEN is_twin THEN t.ordinal ELSE a.ordinal END AS ordinal,
      CASE WHEN is_twin THEN t.license_version ELSE a.license_version END AS license_version,
      CASE WHEN is_twin THEN t.ends_at ELSE a.ends_at END AS ends_at,
      CASE WHEN is_twin THEN t.domain END AS twin
  ) AS found
  ORDER BY r.place`;

/**
 * Forces the plan that finds rows by key, one by one, because other plans would lock them in another order. Also limits
 * the wait for a locked row.
 */
const setAll = (scope: 'SESSION' | 'LOCAL', patience: number) =>
  ['enable_hashjoin = off', 'enable_mergejoin = off', 'enable_seqscan = off', `lock_timeout = ${patience}`]
    .map((setting) => `SET ${scope} ${setting}`)
    .join('; ');

/** In milliseconds. `answer` is the timeout of a verification, so statements need not run longer. */
const limits = { answer: 4_500, statement: 4_000, connection: 3_000 };

interface Opened {
  readonly pool: pg.Pool;
  readonly way: Way;
}

/**
 * Verifies on a separate connection. After any error but a lock timeout, it replaces the connection: it may be broken,
 * the server may be silent, or the server may be read-only now.
 */
export function openPostgresVerifier(options: PostgresOptions, observe?: ObserveBatch): Verifier {
  const { lockTimeout: rowPatience = lockTimeout } = options;
  const statementTimeout = Math.min(options.statementTimeout, limits.statement);
  const hosts = hostsOf({ ...options, statementTimeout });
  const seek = createSeeker(hosts);
  const beginPooled = `BEGIN; ${limitTransaction(statementTimeout)}; ${setAll('LOCAL', rowPatience)}; ${commitDurably}`;
  let opened: Promise<Opened> | undefined;
  /** Resolves when all replaced pools are closed. */
  let left: Promise<unknown> = Promise.resolve();

  async function open(): Promise<Opened> {
    const { settings, way } = await seek();
    const pool = new pg.Pool({
      ...settings,
      connectionTimeoutMillis: limits.connection,
      max: 1,
      ...(way === 'direct' && { onConnect: (client) => beginDirect(client, setAll('SESSION', rowPatience)) }),
    });
    // A statement throws the same error. A broken idle connection is replaced when it is needed.
    pool.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
    return { pool, way };
  }

  const run: Run = async <Row extends pg.QueryResultRow>(statement: Parameters<Run>[0]) => {
    const { name, text, values, timeout } = statement;
    const limit = timeout === undefined ? {} : { query_timeout: timeout };
    opened ??= open();
    const mine = opened;
    let canStay = true; // If false, the next statement searches again for the host and for a pooler.
    try {
      const { pool, way } = await mine.catch((error) => {
        canStay = false;
        throw error;
      });
      return await runOn<Row>(pool, (client) =>
        way === 'direct'
          ? client.query<Row>({ name, text, values: [...values], ...limit })
          : inTransaction(client, beginPooled, limit, () => client.query<Row>({ text, values: [...values], ...limit })),
      );
    } catch (error) {
      canStay &&= isLockTimeout(error) || (hosts.length === 1 && !needsPooledWay(error));
      if (!canStay && opened === mine) {
        opened = undefined;
        const leaving = mine.then(({ pool }) => pool.end());
        left = Promise.allSettled([left, leaving]); // If opening failed, there is nothing to end.
      }
      throw error;
    }
  };

  const checked = createCheck(run);
  const add = createCounts(checked.run);
  return createVerifier(
    {
      read: (requests) =>
        translate(async () => {
          const domains = requests.map(({ domain }) => domain);
          const values = [requests.map(({ key }) => key), domains, domains.map((domain) => twinOf(domain) ?? null)];
          return await unlessLocked(() =>
            checked.run<Facts & pg.QueryResultRow>({ name: 'read-facts', text: readFacts, values }),
          );
        }),
      add: (counts) => translate(() => add(counts)),
      check: () => translate(checked.check),
      patience: limits.answer,
      async close() {
        const last = await opened?.catch(() => undefined);
        await Promise.all([left, last?.pool.end()]);
      },
    },
    observe,
  );
}

/** A connection is not used again after an error, except after a lock timeout. */
async function runOn<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<pg.QueryResult<Row>>,
): Promise<Row[]> {
  const client = await pool.connect();
  try {
    const { rows } = await work(client);
    client.release();
    return rows;
  } catch (error) {
    // The caller does not wait for the cancellation.
    if (isReadTimeout(error)) void cancelStatement(client).then(() => client.release(true));
    else client.release(!isLockTimeout(error));
    throw error;
  }
}

async function inTransaction<T>(
  client: pg.ClientBase,
  begin: string,
  limit: Pick<pg.QueryConfig, 'query_timeout'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    await client.query({ text: begin, ...limit });
    const result = await work();
    await client.query({ text: 'COMMIT', ...limit });
    return result;
  } catch (error) {
    if (isLockTimeout(error)) await client.query('ROLLBACK');
    throw error;
  }
}
