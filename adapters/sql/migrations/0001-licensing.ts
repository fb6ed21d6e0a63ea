import { isPostgres } from '../database.ts';
import type { Migration } from '../migrate.ts';

/** Users, products, licenses with their domains, and the audit trail. Times are milliseconds since 1970. */
export const licensing: Migration = {
  name: '0001-licensing',
  async up(trx) {
    await trx.schema.createTable('users', (table) => {
      table.increments('id');
      table.string('name').notNullable();
      table.string('email').notNullable().unique();
      table.string('tier').notNullable();
      table.bigInteger('created_at').notNullable();
    });
    await trx.schema.createTable('products', (table) => {
      table.increments('id');
      table.string('slug').notNullable().unique();
      table.string('title').notNullable();
      table.integer('owner_id').references('users.id').index();
      table.bigInteger('created_at').notNullable();
    });
    await trx.schema.createTable('licenses', (table) => {
      table.increments('id');
      table.string('key').notNullable().unique();
      table.integer('product_id').notNullable().references('products.id');
      table.string('standing').notNullable();
      table.integer('max_domains').notNullable();
      table.integer('domains_used').notNullable().defaultTo(0);
      table.integer('activations_made').notNullable().defaultTo(0);
      table.bigInteger('expires_at');
      table.bigInteger('created_at').notNullable();
      table.bigInteger('retired_verification_count').notNullable().defaultTo(0);
      table.bigInteger('retired_last_verified_at');
      table.check('domains_used between 0 and max_domains');
      table.index(['product_id', 'id']);
    });
    // Clustered by license and domain, and narrow, because a verification writes one row of this table and nothing
    // else.
    await trx.raw(`CREATE TABLE activations (
      license_id integer NOT NULL REFERENCES licenses (id),
      domain text ${isPostgres(trx) ? 'COLLATE "C"' : ''} NOT NULL,
      ordinal integer NOT NULL,
      activated_at bigint NOT NULL,
      verification_count bigint NOT NULL DEFAULT 0,
      last_verified_at bigint,
      PRIMARY KEY (license_id, domain)
    ) ${isPostgres(trx) ? 'WITH (fillfactor = 70)' : 'WITHOUT ROWID'}`);
    await trx.schema.createTable('audit_log', (table) => {
      table.bigIncrements('id');
      table.bigInteger('at').notNullable();
      table.string('type').notNullable();
      table.string('actor').notNullable();
      table.text('reason');
      table.string('subject').notNullable().index();
      table.text('data').notNullable();
    });
  },
};
