import type { Migration } from '../migrate.ts';

/**
 * Other keys that lead to licenses. Only digests of them are stored, but the license keys that were replaced are kept,
 * because nobody gets them again. The index of orders finds those that name a license whose key is replaced.
 */
export const licenseAliases: Migration = {
  name: '0060-license-aliases',
  async up(trx) {
    await trx.schema.createTable('license_aliases', (table) => {
      table.increments('id');
      table.integer('license_id').notNullable().references('licenses.id');
      table.string('kind').notNullable();
      // Of the text without case and blanks.
      table.string('digest').notNullable().unique();
      // Of the text as its kind must be written.
      table.string('exact_digest').notNullable();
      table.text('hint').notNullable();
      // Only of license keys that were replaced.
      table.string('key').unique();
      table.bigInteger('valid_until');
      table.bigInteger('added_at').notNullable();
      table.integer('by_holder').notNullable().defaultTo(0);
      table.index(['license_id', 'id']);
    });
    await trx.raw('CREATE INDEX orders_renews ON orders (renews) WHERE renews IS NOT NULL');
    await trx.schema.alterTable('products', (table) => {
      table.integer('rotations_per_year').notNullable().defaultTo(0);
    });
  },
};
