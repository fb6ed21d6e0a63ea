import { catalogueTables, fillCatalogue } from '../catalogue/entries.ts';
import { isPostgres } from '../database.ts';
import type { Migration } from '../migrate.ts';

/**
 * Searches of the catalogue find words of descriptions too, and words with a typo: a table has the spellings under which a
 * word is found.
 *
 * Meanwhile nobody can change or search products. 100,000 of them take about two minutes.
 */
export const catalogueDescriptions: Migration = {
  name: '0046-catalogue-descriptions',
  vacuumed: catalogueTables,
  async up(trx) {
    const bytewise = isPostgres(trx) ? 'COLLATE "C"' : '';
    await trx.raw(`CREATE TABLE catalogue_spellings (
      spelling text ${bytewise} NOT NULL,
      term text ${bytewise} NOT NULL,
      PRIMARY KEY (spelling, term)
    ) ${isPostgres(trx) ? '' : 'WITHOUT ROWID'}`);
    // A product could otherwise change between reading and the end of the migration, without its terms.
    if (isPostgres(trx)) await trx.raw('LOCK TABLE products IN SHARE ROW EXCLUSIVE MODE');
    await trx.raw('ALTER TABLE catalogue_terms ADD COLUMN described integer NOT NULL DEFAULT 0');
    if (isPostgres(trx)) {
      await trx.raw(`ALTER TABLE catalogue_terms DROP CONSTRAINT catalogue_terms_pkey,
        ADD PRIMARY KEY (term) INCLUDE (products, described)`);
    }
    for (const statement of isPostgres(trx) ? postgresParts : sqliteParts) await trx.raw(statement);
    await fillCatalogue(trx);
    if (isPostgres(trx)) await trx.raw(`CREATE INDEX catalogue_by_term ON catalogue USING gin (found_by) ${noList}`);
  },
};

/** Without a list of pending entries, which each search would read as a whole. */
const noList = 'WITH (fastupdate = off)';

const postgresParts = [
  'DELETE FROM catalogue',
  'ALTER TABLE catalogue DROP COLUMN found_by',
  `ALTER TABLE catalogue ADD COLUMN described text COLLATE "C" NOT NULL DEFAULT ''`,
  `ALTER TABLE catalogue ADD COLUMN found_by tsvector GENERATED ALWAYS AS
    (array_to_tsvector(string_to_array(btrim(rtrim(terms) || described), ' '))) STORED`,
];

const sqliteParts = [
  ...['added', 'changed', 'removed'].map((name) => `DROP TRIGGER catalogue_${name}`),
  'DROP TABLE catalogue_search',
  'DROP TABLE catalogue',
  // With row ids: entries are long now, and a table without them keeps whole entries in its inner pages. The type is not
  // `integer`, so that the id is not the row id: SQLite would not use it in ranges of the other indexes.
  `CREATE TABLE catalogue (
    id int NOT NULL PRIMARY KEY REFERENCES products (id),
    price integer NOT NULL,
    sold integer NOT NULL,
    terms text NOT NULL,
    described text NOT NULL DEFAULT ''
  )`,
  'CREATE INDEX catalogue_by_price ON catalogue (price, id, sold, terms)',
  'CREATE INDEX catalogue_by_sales ON catalogue (sold, id, price, terms)',
  `CREATE VIRTUAL TABLE catalogue_search USING fts5 (terms, content = '', detail = none, tokenize = "ascii tokenchars ':-'")`,
  `CREATE TRIGGER catalogue_added AFTER INSERT ON catalogue FOR EACH ROW BEGIN
    INSERT INTO catalogue_search (rowid, terms) VALUES (NEW.id, NEW.terms || NEW.described);
  END`,
  `CREATE TRIGGER catalogue_changed AFTER UPDATE OF terms, described ON catalogue FOR EACH ROW
    WHEN OLD.terms <> NEW.terms OR OLD.described <> NEW.described BEGIN
    INSERT INTO catalogue_search (catalogue_search, rowid, terms) VALUES ('delete', OLD.id, OLD.terms || OLD.described);
    INSERT INTO catalogue_search (rowid, terms) VALUES (NEW.id, NEW.terms || NEW.described);
  END`,
  `CREATE TRIGGER catalogue_removed AFTER DELETE ON catalogue FOR EACH ROW BEGIN
    INSERT INTO catalogue_search (catalogue_search, rowid, terms) VALUES ('delete', OLD.id, OLD.terms || OLD.described);
  END`,
];
