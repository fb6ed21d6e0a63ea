import type { Migration } from '../migrate.ts';

/** The public pages of sellers. */
export const sellerPages: Migration = {
  name: '0044-seller-pages',
  async up(trx) {
    await trx.schema.createTable('seller_pages', (table) => {
      table.integer('user_id').primary().references('users.id');
      table.string('slug').notNullable().unique();
      table.string('name').notNullable();
      table.text('about').notNullable();
      table.bigInteger('updated_at').notNullable();
    });
  },
};
