import type { Migration } from '../migrate.ts';

/**
 * What the chain says of reported deployments, and the codes that sellers register for the versions of their products. The
 * deployments that are there already wait until their chain has an RPC.
 */
export const deploymentChecks: Migration = {
  name: '0083-deployment-checks',
  async up(trx) {
    await trx.schema.createTable('release_codes', (table) => {
      table.increments('id');
      table.integer('product_id').notNullable().references('products.id');
      table.string('version').notNullable();
      table.string('contract').notNullable();
      table.string('hash').notNullable().index();
      table.bigInteger('created_at').notNullable();
      table.unique(['product_id', 'version', 'hash']);
    });
    await trx.raw('CREATE INDEX release_codes_of_product ON release_codes (product_id, id)');
    await trx.raw('CREATE INDEX products_of_template ON products (template_id) WHERE template_id IS NOT NULL');
    await trx.schema.alterTable('deployments', (table) => {
      table.string('state').notNullable().defaultTo('no_rpc');
      table.bigInteger('check_from');
      table.bigInteger('checked_at');
      table.bigInteger('block');
      table.bigInteger('created_at');
      table.string('code_hash');
      table.integer('release_product_id');
      table.string('release_version');
    });
    for (const index of [
      'deployments_of_user ON deployments (user_id, is_live, at, id)',
      'deployments_by_time ON deployments (is_live, at, id)',
      'deployments_of_chain ON deployments (is_live, chain_id, at, id)',
      'deployments_of_template ON deployments (template_id, is_live, at, id)',
      "deployments_without_rpc ON deployments (chain_id, id) WHERE state = 'no_rpc'",
      "deployments_of_code ON deployments (template_id, code_hash) WHERE state = 'mismatch'",
    ]) {
      await trx.raw(`CREATE INDEX ${index}`);
    }
  },
};
