import { isPostgres } from '../database.ts';
import type { Migration } from '../migrate.ts';

/**
 * The products that everybody can find, with the terms by which they are found, and how many products have each term. The
 * product store writes them. Triggers keep the full-text index of SQLite and the number of sales, so that other writers of
 * these columns need not know about them.
 *
 * Migration 0046 adds a column, and fills the tables.
 */
export const catalogue: Migration = {
  name: '0029-catalogue',
  async up(trx) {
    const [bytewise, found, without] = isPostgres(trx)
      ? [
          'COLLATE "C"',
          ", found_by tsvector GENERATED ALWAYS AS (array_to_tsvector(string_to_array(btrim(terms), ' '))) STORED",
          '',
        ]
      : ['', '', 'WITHOUT ROWID'];
    await trx.raw(`CREATE TABLE catalogue (
      id integer PRIMARY KEY REFERENCES products (id),
      price integer NOT NULL,
      sold integer NOT NULL,
      terms text ${bytewise} NOT NULL${found}
    ) ${without}`);
    await trx.raw(`CREATE TABLE catalogue_terms (
      term text ${bytewise} PRIMARY KEY,
      kind text NOT NULL,
      label text,
      products integer NOT NULL
    ) ${without}`);
    for (const statement of isPostgres(trx) ? postgresParts : sqliteParts) await trx.raw(statement);
    for (const index of [
      'catalogue_by_price ON catalogue (price, id)',
      'catalogue_by_sales ON catalogue (sold, id)',
      'catalogue_terms_of_kind ON catalogue_terms (kind, products DESC, term)',
      // Without a list of pending entries, which each search would read as a whole.
      ...(isPostgres(trx) ? ['catalogue_by_term ON catalogue USING gin (found_by) WITH (fastupdate = off)'] : []),
    ]) {
      await trx.raw(`CREATE INDEX ${index}`);
    }
  },
};

const sqliteParts = [
  // All signs in terms belong to them. Without content, because the table has it.
  `CREATE VIRTUAL TABLE catalogue_search USING fts5 (terms, content = '', detail = none, tokenize = "ascii tokenchars ':-'")`,
  `CREATE TRIGGER catalogue_added AFTER INSERT ON catalogue FOR EACH ROW BEGIN
    INSERT INTO catalogue_search (rowid, terms) VALUES (NEW.id, NEW.terms);
  END`,
  `CREATE TRIGGER catalogue_changed AFTER UPDATE OF terms ON catalogue FOR EACH ROW WHEN OLD.terms <> NEW.terms BEGIN
    INSERT INTO catalogue_search (catalogue_search, rowid, terms) VALUES ('delete', OLD.id, OLD.terms);
    INSERT INTO catalogue_search (rowid, terms) VALUES (NEW.id, NEW.terms);
  END`,
  `CREATE TRIGGER catalogue_removed AFTER DELETE ON catalogue FOR EACH ROW BEGIN
    INSERT INTO catalogue_search (catalogue_search, rowid, terms) VALUES ('delete', OLD.id, OLD.terms);
  END`,
  `CREATE TRIGGER product_sold AFTER UPDATE OF sold ON products FOR EACH ROW WHEN OLD.sold <> NEW.sold BEGIN
    UPDATE catalogue SET sold = NEW.sold WHERE id = NEW.id;
  END`,
];

const postgresParts = [
  `CREATE FUNCTION count_sale() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    UPDATE catalogue SET sold = NEW.sold WHERE id = NEW.id; RETURN NULL; END $$`,
  'CREATE TRIGGER product_sold AFTER UPDATE OF sold ON products FOR EACH ROW WHEN (OLD.sold <> NEW.sold) EXECUTE FUNCTION count_sale()',
];
