import type { Migration } from '../migrate.ts';

/**
 * API keys, templates with purchases, listings, deployments, idempotency keys, counters and settings. Booleans are 0 or
 * 1.
 */
export const accounts: Migration = {
  name: '0002-accounts',
  async up(trx) {
    await trx.schema.createTable('api_keys', (table) => {
      table.increments('id');
      table.integer('user_id').notNullable().references('users.id').index();
      table.string('name').notNullable();
      table.string('mode').notNullable();
      table.string('digest').notNullable().unique();
      table.string('prefix').notNullable().index();
      table.string('last_four').notNullable();
      table.bigInteger('created_at').notNullable();
      table.bigInteger('expires_at');
      table.bigInteger('revoked_at');
      table.bigInteger('last_used_at');
    });
    await trx.schema.createTable('templates', (table) => {
      table.increments('id');
      table.string('slug').notNullable().unique();
      table.string('title').notNullable();
      table.text('description').notNullable();
      table.string('category').notNullable();
      table.string('tier').notNullable();
      table.text('tags').notNullable();
      table.text('parameters').notNullable();
      table.string('zip').notNullable().index();
      table.bigInteger('created_at').notNullable();
      table.bigInteger('download_count').notNullable().defaultTo(0);
    });
    await trx.schema.createTable('purchases', (table) => {
      table.integer('user_id').notNullable().references('users.id');
      table.integer('template_id').notNullable().references('templates.id');
      table.bigInteger('at').notNullable();
      table.primary(['user_id', 'template_id']);
    });
    await trx.schema.alterTable('products', (table) => {
      table.string('status').notNullable().defaultTo('unlisted');
      table.integer('is_live').notNullable().defaultTo(1);
      table.text('tagline').notNullable().defaultTo('');
      table.text('description').notNullable().defaultTo('');
      table.bigInteger('price').notNullable().defaultTo(0);
      table.string('module').notNullable().defaultTo('custom');
      table.string('variant');
      table.string('category');
      table.string('subcategory');
      table.text('tags').notNullable().defaultTo('[]');
      table.text('blockchains').notNullable().defaultTo('[]');
      table.integer('is_supported').notNullable().defaultTo(0);
      table.string('zip').index();
      table.string('thumbnail').index();
      table.bigInteger('updated_at').notNullable().defaultTo(0);
      table.index(['owner_id', 'is_live', 'id']);
    });
    await trx('products').update({ updated_at: trx.ref('created_at') });
    await trx.schema.createTable('uploads', (table) => {
      table.increments('id');
      table.integer('user_id').notNullable().references('users.id');
      table.integer('is_live').notNullable();
      table.string('key').notNullable().unique();
      table.bigInteger('size').notNullable();
      table.bigInteger('at').notNullable();
      table.index(['user_id', 'is_live']);
    });
    await trx.schema.createTable('deployments', (table) => {
      table.increments('id');
      table.integer('user_id').notNullable().references('users.id');
      table.integer('is_live').notNullable();
      table.string('chain').notNullable();
      table.bigInteger('chain_id').notNullable();
      table.string('address').notNullable();
      table.string('tx_hash').notNullable();
      table.string('template_reference');
      table.integer('template_id').references('templates.id');
      table.bigInteger('at').notNullable();
      table.unique(['user_id', 'is_live', 'chain_id', 'tx_hash']);
    });
    await trx.schema.createTable('idempotency', (table) => {
      table.text('key').primary();
      table.string('fingerprint').notNullable();
      table.bigInteger('taken_at').notNullable().index();
      table.integer('status');
      table.text('body');
    });
    await trx.schema.createTable('counters', (table) => {
      table.string('id').primary();
      table.bigInteger('used').notNullable();
      table.bigInteger('reset_at').notNullable();
    });
    await trx.schema.createTable('settings', (table) => {
      table.string('name').primary();
      table.text('value').notNullable();
    });
  },
};
