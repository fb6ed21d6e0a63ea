import type { Migration } from '../migrate.ts';

/**
 * Several contracts of one transaction are several deployments. Figures of deployments for sellers and administrators: by day
 * and chain, and the sums of templates, accounts and releases. A job counts the deployments that are there already.
 *
 * The template 0 stands for all of them, and -1 for none. The chain 0 stands for all further chains of a day.
 */
export const deploymentFigures: Migration = {
  name: '0086-deployment-figures',
  async up(trx) {
    await trx.schema.createTable('deployment_days', (table) => {
      table.integer('template_id').notNullable();
      table.integer('is_live').notNullable();
      table.bigInteger('day').notNullable();
      table.bigInteger('chain_id').notNullable();
      table.bigInteger('reported').notNullable();
      table.bigInteger('confirmed').notNullable();
      table.primary(['template_id', 'is_live', 'day', 'chain_id']);
    });
    await trx.schema.createTable('deployment_sums', (table) => {
      table.integer('template_id').notNullable();
      table.integer('is_live').notNullable();
      table.integer('user_id').notNullable();
      table.integer('product_id').notNullable();
      table.string('version').notNullable();
      table.bigInteger('reported').notNullable();
      table.bigInteger('confirmed').notNullable();
      table.bigInteger('first_at').notNullable();
      table.bigInteger('last_at').notNullable();
      table.primary(['template_id', 'is_live', 'user_id', 'product_id', 'version']);
    });
    for (const index of [
      'deployment_sums_of_templates ON deployment_sums (is_live, reported, template_id) WHERE user_id = 0 AND product_id = 0',
      'deployment_sums_of_accounts ON deployment_sums (template_id, is_live, reported, user_id) WHERE user_id > 0',
      'deployment_days_empty ON deployment_days (reported) WHERE reported <= 0',
      'deployment_sums_empty ON deployment_sums (reported) WHERE reported <= 0',
      'deployment_sums_of_releases ON deployment_sums (is_live, reported, product_id) WHERE product_id > 0',
    ]) {
      await trx.raw(`CREATE INDEX ${index}`);
    }
    await trx.schema.alterTable('deployments', (table) => {
      table.integer('counted').notNullable().defaultTo(0);
      table.bigInteger('counted_chain');
      table.dropUnique(['user_id', 'is_live', 'chain_id', 'tx_hash']);
    });
    await trx.raw(
      'CREATE UNIQUE INDEX deployments_of_transaction ON deployments (user_id, is_live, tx_hash, chain_id, lower(address))',
    );
    await trx.raw(
      "CREATE INDEX deployments_to_count ON deployments (id) WHERE counted = 0 OR (counted = 1 AND state = 'confirmed')",
    );
  },
};
