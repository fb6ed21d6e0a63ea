import { isPostgres } from '../database.ts';
import type { Migration } from '../migrate.ts';

/**
 * The sums of `product_usage` by owner, mode and day, so that the figures of a seller take the same time with any number
 * of products. `domains` is what was added to the active domains on this day, or taken away. Triggers write the sums, so
 * that older processes and imports write them too. The index serves the counts of a seller's licenses without their rows.
 */
export const ownerUsage: Migration = {
  name: '0026-owner-usage',
  async up(trx) {
    await trx.raw(`CREATE TABLE owner_usage (
      owner_id integer NOT NULL,
      is_live integer NOT NULL,
      at bigint NOT NULL,
      verifications bigint NOT NULL,
      domains integer NOT NULL,
      PRIMARY KEY (owner_id, is_live, at)
    ) ${isPostgres(trx) ? '' : 'WITHOUT ROWID'}`);
    await trx.raw(`INSERT INTO owner_usage (owner_id, is_live, at, verifications, domains)
      SELECT p.owner_id, p.is_live, u.at - u.at % ${day}, sum(u.verifications), sum(u.more)
      FROM (
        SELECT product_id, at, verifications,
          domains - coalesce(lag(domains) OVER (PARTITION BY product_id ORDER BY at), 0) AS more
        FROM product_usage
      ) AS u
      JOIN products AS p ON p.id = u.product_id
      WHERE p.owner_id IS NOT NULL
      GROUP BY 1, 2, 3`);
    for (const statement of isPostgres(trx) ? postgresTriggers : sqliteTriggers) await trx.raw(statement);
    await trx.raw(
      'CREATE INDEX licenses_counted_of_owner ON licenses (owner_id, is_live, created_at, standing, expires_at)',
    );
  },
};

const day = 86_400_000;

const insert = 'INSERT INTO owner_usage (owner_id, is_live, at, verifications, domains)';
const add = `ON CONFLICT (owner_id, is_live, at) DO UPDATE
  SET verifications = owner_usage.verifications + excluded.verifications, domains = owner_usage.domains + excluded.domains`;

/** The active domains of the product at the end of the row before this one. */
const domainsBefore = (row: string) => `coalesce((
  SELECT b.domains FROM product_usage AS b WHERE b.product_id = ${row}.product_id AND b.at < ${row}.at
  ORDER BY b.at DESC LIMIT 1), 0)`;

const sqliteRow = (verifications: string, domains: string) => `
  ${insert} SELECT owner_id, is_live, NEW.at - NEW.at % ${day}, ${verifications}, ${domains}
  FROM products WHERE id = NEW.product_id AND owner_id IS NOT NULL ${add};`;

const sqliteTriggers = [
  `CREATE TRIGGER product_usage_added AFTER INSERT ON product_usage FOR EACH ROW BEGIN
    ${sqliteRow('NEW.verifications', `NEW.domains - ${domainsBefore('NEW')}`)}
  END`,
  `CREATE TRIGGER product_usage_changed AFTER UPDATE OF verifications, domains ON product_usage FOR EACH ROW BEGIN
    ${sqliteRow('NEW.verifications - OLD.verifications', 'NEW.domains - OLD.domains')}
  END`,
];

const postgresRows = (verifications: string, domains: string, rows: string) => `
  ${insert} SELECT p.owner_id, p.is_live, n.at - n.at % ${day}, sum(${verifications}), sum(${domains})
  FROM ${rows} JOIN products AS p ON p.id = n.product_id
  WHERE p.owner_id IS NOT NULL GROUP BY 1, 2, 3 ${add};`;

const postgresFunction = (name: string, body: string) =>
  `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} RETURN NULL; END $$`;

const postgresTriggers = [
  postgresFunction(
    'add_owner_usage',
    postgresRows('n.verifications', `n.domains - ${domainsBefore('n')}`, 'added AS n'),
  ),
  `CREATE TRIGGER product_usage_added AFTER INSERT ON product_usage REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION add_owner_usage()`,
  postgresFunction(
    'change_owner_usage',
    postgresRows(
      'n.verifications - o.verifications',
      'n.domains - o.domains',
      'after_change AS n JOIN before_change AS o ON o.product_id = n.product_id AND o.at = n.at',
    ),
  ),
  `CREATE TRIGGER product_usage_changed AFTER UPDATE ON product_usage
    REFERENCING OLD TABLE AS before_change NEW TABLE AS after_change
    FOR EACH STATEMENT EXECUTE FUNCTION change_owner_usage()`,
];
