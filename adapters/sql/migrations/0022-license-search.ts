import type { Knex } from 'knex';
import { isPostgres } from '../database.ts';
import type { Migration } from '../migrate.ts';
import { domainTriggers } from '../postgres/domain-triggers.ts';

const licensesAtOnce = 10_000;

/**
 * Owner and mode of licenses, the notes of sellers, and the texts by which a search finds a license. Triggers set owner and
 * mode, and write the texts of keys and domains, so that older processes, imports and plain SQL set them too. Each list and
 * search reads one range of an index.
 *
 * For 100,000 licenses this takes some seconds. Meanwhile nobody can use licenses, because their table gets new columns.
 */
export const licenseSearch: Migration = {
  name: '0022-license-search',
  async up(trx) {
    await trx.schema.alterTable('licenses', (table) => {
      table.integer('owner_id');
      table.integer('is_live').notNullable().defaultTo(1);
      table.text('holder_email');
      table.text('holder_name');
      table.text('reference');
      table.text('metadata');
    });
    await trx.raw(`CREATE TABLE license_texts (
      license_id integer NOT NULL REFERENCES licenses (id) ON DELETE CASCADE,
      kind text ${bytewise(trx)} NOT NULL,
      text text ${bytewise(trx)} NOT NULL,
      owner_id integer,
      is_live integer NOT NULL,
      PRIMARY KEY (license_id, kind, text)
    ) ${isPostgres(trx) ? '' : 'WITHOUT ROWID'}`);
    await fill(trx);
    for (const index of [
      'license_texts_of_owner ON license_texts (owner_id, is_live, text, license_id)',
      'license_texts_of_all ON license_texts (is_live, text, license_id)',
      ...indexesFor('owner', 'owner_id, is_live'),
      ...indexesFor('mode', 'is_live'),
      ...indexesFor('product', 'product_id').slice(1), // The first one exists already.
      ...(isPostgres(trx) ? ['licenses_by_key ON licenses (key COLLATE "C")'] : []),
    ]) {
      await trx.raw(`CREATE INDEX ${index}`);
    }
    for (const statement of isPostgres(trx) ? postgresTriggers : sqliteTriggers) await trx.raw(statement);
  },
};

function bytewise(trx: Knex.Transaction): string {
  return isPostgres(trx) ? 'COLLATE "C"' : '';
}

/** The lists of all licenses with these columns, in the order of issue and of expiry, and of those that are not active. */
function indexesFor(name: string, columns: string): string[] {
  return [
    `licenses_of_${name} ON licenses (${columns}, id)`,
    `licenses_of_${name}_by_expiry ON licenses (${columns}, expires_at, id) WHERE expires_at IS NOT NULL`,
    `licenses_of_${name}_inactive ON licenses (${columns}, standing, id) WHERE standing <> 'active'`,
  ];
}

const keyTexts = "SELECT id, 'key', lower(substr(key, length(key) - 3)), owner_id, is_live FROM";
const domainTexts = (from: string) =>
  `SELECT a.license_id, 'domain', a.domain, l.owner_id, l.is_live FROM ${from} AS a JOIN licenses AS l ON l.id = a.license_id`;
const insert = 'INSERT INTO license_texts (license_id, kind, text, owner_id, is_live)';

async function fill(trx: Knex.Transaction): Promise<void> {
  const found = await trx('licenses').max({ last: 'id' }).first();
  for (let from = 0; from < Number(found?.last ?? 0); from += licensesAtOnce) {
    const range = [from, from + licensesAtOnce];
    await trx.raw(
      'UPDATE licenses SET owner_id = p.owner_id, is_live = p.is_live FROM products AS p WHERE p.id = licenses.product_id AND licenses.id > ? AND licenses.id <= ?',
      range,
    );
    await trx.raw(`${insert} ${keyTexts} licenses WHERE id > ? AND id <= ?`, range);
    await trx.raw(`${insert} ${domainTexts('activations')} WHERE a.license_id > ? AND a.license_id <= ?`, range);
  }
}

const sqliteTriggers = [
  `CREATE TRIGGER license_added AFTER INSERT ON licenses FOR EACH ROW BEGIN
    UPDATE licenses SET
      owner_id = (SELECT owner_id FROM products WHERE id = NEW.product_id),
      is_live = coalesce((SELECT is_live FROM products WHERE id = NEW.product_id), 1)
    WHERE id = NEW.id;
    ${insert} ${keyTexts} licenses WHERE id = NEW.id;
  END`,
  `CREATE TRIGGER license_key_changed AFTER UPDATE OF key ON licenses FOR EACH ROW WHEN OLD.key <> NEW.key BEGIN
    DELETE FROM license_texts WHERE license_id = NEW.id AND kind = 'key';
    ${insert} ${keyTexts} licenses WHERE id = NEW.id;
  END`,
  `CREATE TRIGGER domain_added AFTER INSERT ON activations FOR EACH ROW BEGIN
    ${insert} SELECT NEW.license_id, 'domain', NEW.domain, owner_id, is_live FROM licenses WHERE id = NEW.license_id;
  END`,
  `CREATE TRIGGER domain_removed AFTER DELETE ON activations FOR EACH ROW BEGIN
    DELETE FROM license_texts WHERE license_id = OLD.license_id AND kind = 'domain' AND text = OLD.domain;
  END`,
];

function postgresFunction(name: string, body: string): string {
  return `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} END $$`;
}

/** Triggers for a whole statement write the texts, so that an import of many licenses calls them once. */
const postgresTriggers = [
  postgresFunction(
    'set_license_owner',
    `SELECT p.owner_id, p.is_live INTO NEW.owner_id, NEW.is_live FROM products AS p WHERE p.id = NEW.product_id;
     NEW.is_live := coalesce(NEW.is_live, 1);
     RETURN NEW;`,
  ),
  'CREATE TRIGGER license_owner BEFORE INSERT ON licenses FOR EACH ROW EXECUTE FUNCTION set_license_owner()',
  postgresFunction('add_key_texts', `${insert} ${keyTexts} added; RETURN NULL;`),
  'CREATE TRIGGER license_added AFTER INSERT ON licenses REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION add_key_texts()',
  postgresFunction(
    'change_key_text',
    `DELETE FROM license_texts WHERE license_id = NEW.id AND kind = 'key';
     ${insert} ${keyTexts} licenses WHERE id = NEW.id; RETURN NULL;`,
  ),
  'CREATE TRIGGER license_key_changed AFTER UPDATE OF key ON licenses FOR EACH ROW WHEN (OLD.key <> NEW.key) EXECUTE FUNCTION change_key_text()',
  postgresFunction('add_domain_texts', `${insert} ${domainTexts('added')}; RETURN NULL;`),
  postgresFunction(
    'remove_domain_texts',
    `DELETE FROM license_texts AS t USING removed AS r
     WHERE t.license_id = r.license_id AND t.kind = 'domain' AND t.text = r.domain; RETURN NULL;`,
  ),
  ...domainTriggers,
];
