import type { Migration } from '../migrate.ts';

/** Uses of coupons that orders have given back. Their rows stay, so that it is known whose they are if the order is paid later. */
export const givenBackCoupons: Migration = {
  name: '0080-given-back-coupons',
  async up(trx) {
    await trx.schema.alterTable('coupon_uses', (table) => {
      table.integer('given_back').notNullable().defaultTo(0);
    });
  },
};
