import { fileURLToPath } from 'node:url';
import { openRaw } from '../support/raw-sqlite.ts';
import { runOnPostgres } from '../support/run-on-postgres.ts';
import { numbers } from './compare.ts';

/** The licenses of a fill: SQL with the `number` of a license, which is its id too. */
export interface Filling {
  readonly first: number;
  readonly last: number;
  /** A name of the owner for the texts of the license, such as `'few'`. */
  readonly owner: string;
  /** A number that is unique for this name. */
  readonly nth: string;
  /** The id of the product, from `owner` and `nth`. */
  readonly product: string;
  readonly now: number;
}

const day = 86_400_000;

/** A half of a key. Different numbers have different halves, and their last four characters are rarely the same. */
function halfOfKey(factor: number): string {
  const character = (n: number) =>
    `substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', CAST(1 + (((CAST(number AS bigint) * ${factor}) >> ${5 * n}) & 31) AS integer), 1)`;
  return [7, 6, 5, 4].map(character).concat("'-'", [3, 2, 1, 0].map(character)).join(' || ');
}

/**
 * Fills tables that nobody else uses in bulk: without triggers, whose work it does itself, and without indexes, which it
 * makes again. On Postgres, this needs a superuser. Later inserts would need new ids: only reading is possible afterwards.
 */
export async function fillLicenses(url: string, filling: Filling): Promise<void> {
  if (url.startsWith('postgres')) await fillPostgres(url, filling);
  else await fillSqlite(url.slice('sqlite:'.length), filling);
}

async function fillPostgres(url: string, filling: Filling): Promise<void> {
  const { rows } = await runOnPostgres(
    url,
    `SELECT indexname AS name, indexdef AS sql FROM pg_indexes
     WHERE schemaname = current_schema AND tablename IN ('licenses', 'license_texts') AND indexdef NOT LIKE 'CREATE UNIQUE%'`,
  );
  await runOnPostgres(
    url,
    [
      "SET LOCAL session_replication_role = replica; SET LOCAL maintenance_work_mem = '256MB'",
      ...rows.map(({ name }) => `DROP INDEX ${name}`),
      ...insertsOf(filling),
      ...rows.map(({ sql }) => sql),
    ].join(';\n'),
  );
}

async function fillSqlite(file: string, filling: Filling): Promise<void> {
  const raw = await openRaw(fileURLToPath(new URL(file, 'file:')));
  try {
    const rows = await raw.all(
      `SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND type IN ('index', 'trigger')
         AND tbl_name IN ('licenses', 'license_texts', 'activations')`,
    );
    await raw.run(
      [
        'PRAGMA synchronous = OFF; PRAGMA cache_size = -200000; BEGIN',
        ...rows.map(({ type, name }) => `DROP ${type} ${name}`),
        ...insertsOf(filling),
        ...rows.map(({ sql }) => String(sql)),
        'COMMIT',
      ].join(';\n'),
    );
  } finally {
    await raw.close();
  }
}

function insertsOf({ first, last, owner, nth, product, now }: Filling): string[] {
  return [
    `CREATE TEMPORARY TABLE lines AS ${numbers(first, last)}
     SELECT number, owner || '-' || nth AS name, nth, ${product} AS product
     FROM (SELECT number, ${owner} AS owner, ${nth} AS nth FROM numbers) AS n`,
    `INSERT INTO licenses (id, key, product_id, owner_id, is_live, standing, expires_at, holder_email, reference,
       max_domains, domains_used, activations_made, created_at)
     SELECT number, 'LIC-' || ${halfOfKey(2_654_435_761)} || '-' || ${halfOfKey(2_246_822_519)}, p.id, p.owner_id, p.is_live,
       CASE nth % 20 WHEN 3 THEN 'suspended' WHEN 4 THEN 'revoked' ELSE 'active' END,
       CASE WHEN nth % 3 > 0 THEN ${now} + CAST(nth % 100 - 20 AS bigint) * ${day} END,
       'holder-' || name || '@mail.example.com', 'order-' || name, 3, 1, 1, 0
     FROM lines JOIN products AS p ON p.id = product ORDER BY number`,
    `INSERT INTO activations (license_id, domain, ordinal, activated_at)
     SELECT number, 'site-' || name || '.example.com', 1, 0 FROM lines ORDER BY number`,
    `INSERT INTO license_texts (license_id, kind, text, owner_id, is_live)
     SELECT l.id, k.kind, CASE k.nth
         WHEN 1 THEN 'site-' || substr(l.reference, 7) || '.example.com'
         WHEN 2 THEN l.holder_email WHEN 3 THEN 'mail.example.com'
         WHEN 4 THEN lower(substr(l.key, length(l.key) - 3)) ELSE l.reference END, l.owner_id, l.is_live
     FROM licenses AS l CROSS JOIN (
       SELECT 1 AS nth, 'domain' AS kind UNION ALL SELECT 2, 'holder' UNION ALL SELECT 3, 'holder'
       UNION ALL SELECT 4, 'key' UNION ALL SELECT 5, 'reference') AS k
     WHERE l.id >= ${first}
     ORDER BY l.id`,
    'DROP TABLE lines',
  ];
}
