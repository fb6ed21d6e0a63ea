import type { Migration } from '../migrate.ts';

/** Which activated domains were proven, and the rules against strangers who have read a license key. No row is written anew. */
export const domainProofs: Migration = {
  name: '0094-domain-proofs',
  async up(trx) {
    await trx.raw('ALTER TABLE activations ADD COLUMN proven_at bigint');
    await trx.schema.alterTable('licenses', (table) => {
      table.bigInteger('key_removal_at');
    });
    await trx.schema.alterTable('products', (table) => {
      table.string('domain_proof').notNullable().defaultTo('never');
      table.string('deactivation').notNullable().defaultTo('key');
      table.integer('cool_down_hours').notNullable().defaultTo(24);
    });
  },
};
