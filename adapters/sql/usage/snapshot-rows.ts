import type { Knex } from 'knex';
import { type Share, spread } from '../../../core/selling/usage-hours.ts';
import { isPostgres } from '../database.ts';

/** A license whose counters have changed since its last snapshot. */
export interface ChangedLicense {
  readonly id: number;
  readonly product_id: number;
  readonly verifications: number;
  readonly domains: number;
  readonly verifications_before: number;
  readonly domains_before: number;
}

/** Ids of licenses. Both ends are included. */
export interface IdRange {
  readonly first: number;
  readonly last: number;
}

/** Returns the id of the first license after this one, or `undefined` if this is the last. */
export async function idAfter(knex: Knex, id: number): Promise<number | undefined> {
  const row: { id: number } | undefined = await knex('licenses').where('id', '>', id).orderBy('id').first('id');
  return row?.id;
}

/**
 * Returns the licenses of a range whose counters have changed. One statement reads the counters of a license and of its
 * domains, so that a deactivation in between is seen wholly or not at all.
 */
export async function findChanged(knex: Knex, range: IdRange): Promise<ChangedLicense[]> {
  if (!isPostgres(knex)) return await knex.raw(licenseByLicense(range));
  const results: { rows: ChangedLicense[] }[] = await knex.raw(`${inOrder} ${together(range)}`);
  return results.at(-1)?.rows ?? [];
}

/** SQLite is faster without a table of sums. */
function licenseByLicense({ first, last }: IdRange): string {
  const own = 'FROM activations AS a WHERE a.license_id = l.id';
  return `
    SELECT l.id, l.product_id,
      l.retired_verification_count + (SELECT coalesce(sum(a.verification_count), 0) ${own}) AS verifications,
      (SELECT count(*) ${own}) AS domains,
      coalesce(c.verifications, 0) AS verifications_before, coalesce(c.domains, 0) AS domains_before
    FROM licenses AS l
    LEFT JOIN usage_counted AS c ON c.license_id = l.id
    WHERE l.id BETWEEN ${first} AND ${last} AND (
      SELECT l.retired_verification_count + coalesce(sum(a.verification_count), 0) <> coalesce(c.verifications, 0)
        OR count(*) <> coalesce(c.domains, 0)
      ${own})`;
}

/**
 * Switches off the other ways to read, so that Postgres reads all three tables in the order of their indexes. That takes
 * half the time. The settings end with the transaction. No transaction is opened for them: Postgres runs several
 * statements in one text, without values, as one transaction.
 */
const inOrder = ['seqscan', 'bitmapscan', 'hashagg', 'hashjoin']
  .map((way) => `SET LOCAL enable_${way} = off;`)
  .join(' ');

/** Each table is limited to the range, so that Postgres reads the rows together, not license by license. */
function together({ first, last }: IdRange): string {
  const within = (column: string) => `${column} BETWEEN ${first} AND ${last}`;
  return `
    SELECT * FROM (
      SELECT l.id, l.product_id, l.retired_verification_count + coalesce(a.counted, 0) AS verifications,
        coalesce(a.domains, 0) AS domains, coalesce(c.verifications, 0) AS verifications_before,
        coalesce(c.domains, 0) AS domains_before
      FROM licenses AS l
      LEFT JOIN (
        SELECT license_id, CAST(sum(verification_count) AS bigint) AS counted, count(*) AS domains
        FROM activations WHERE ${within('license_id')} GROUP BY license_id
      ) AS a ON a.license_id = l.id
      LEFT JOIN (SELECT * FROM usage_counted WHERE ${within('license_id')}) AS c ON c.license_id = l.id
      WHERE ${within('l.id')}
    ) AS every_license
    WHERE verifications <> verifications_before OR domains <> domains_before`;
}

/** Stores what was added to these licenses, and their counters. */
export async function store(
  trx: Knex.Transaction,
  changed: readonly ChangedLicense[],
  days: readonly Share[],
  hours: readonly Share[],
): Promise<void> {
  const given = isPostgres(trx) ? 'jsonb_array_elements(?::jsonb) AS r (value)' : 'json_each(?) AS r';
  const column = (index: number) => `CAST(r.value ->> ${index} AS bigint)`;
  const run = (statement: string, rows: readonly (readonly number[])[]) => trx.raw(statement, [JSON.stringify(rows)]);

  // SQLite needs WHERE here: without it, it reads ON as the condition of a join.
  await run(
    `INSERT INTO usage_counted (license_id, verifications, domains)
     SELECT ${column(0)}, ${column(1)}, ${column(2)} FROM ${given} WHERE true
     ON CONFLICT (license_id) DO UPDATE SET verifications = excluded.verifications, domains = excluded.domains`,
    changed.map(({ id, verifications, domains }) => [id, verifications, domains]),
  );
  await run(
    `INSERT INTO license_usage (license_id, at, verifications, domains)
     SELECT ${column(0)}, ${column(1)}, ${column(2)}, ${column(3)} FROM ${given} WHERE true
     ON CONFLICT (license_id, at) DO UPDATE
     SET verifications = license_usage.verifications + excluded.verifications, domains = excluded.domains`,
    changed.flatMap((license) => {
      const { verifications, domains } = addedTo(license);
      return overTime(verifications, domains, days).map(([at, count, more]) => [
        license.id,
        at,
        count,
        license.domains_before + more,
      ]);
    }),
  );
  await run(
    `INSERT INTO product_usage (product_id, at, verifications, domains)
     SELECT ${column(0)}, ${column(1)}, ${column(2)}, ${column(3)} + coalesce((
       SELECT p.domains FROM product_usage AS p WHERE p.product_id = ${column(0)} AND p.at <= ${column(1)}
       ORDER BY p.at DESC LIMIT 1), 0)
     FROM ${given} WHERE true
     ON CONFLICT (product_id, at) DO UPDATE
     SET verifications = product_usage.verifications + excluded.verifications, domains = excluded.domains`,
    [...sumsOf(changed)].flatMap(([productId, { verifications, domains }]) =>
      overTime(verifications, domains, hours).map((row) => [productId, ...row]),
    ),
  );
}

interface Added {
  readonly verifications: number;
  readonly domains: number;
}

function addedTo(license: ChangedLicense): Added {
  return {
    verifications: license.verifications - license.verifications_before,
    domains: license.domains - license.domains_before,
  };
}

function sumsOf(changed: readonly ChangedLicense[]): Map<number, Added> {
  const sums = new Map<number, Added>();
  for (const license of changed) {
    const sum = sums.get(license.product_id);
    const { verifications, domains } = addedTo(license);
    sums.set(license.product_id, {
      verifications: (sum?.verifications ?? 0) + verifications,
      domains: (sum?.domains ?? 0) + domains,
    });
  }
  return sums;
}

/** Returns rows of time, verifications and added domains. It is unknown when the domains changed: the last row has them. */
function overTime(
  verifications: number,
  domains: number,
  shares: readonly Share[],
): (readonly [number, number, number])[] {
  const last = shares.length - 1;
  return spread(verifications, shares)
    .map((count, index) => [shares[index]?.at ?? 0, count, index === last ? domains : 0] as const)
    .filter(([, count], index) => count !== 0 || index === last);
}
