import type { Migration } from '../migrate.ts';

/** Finds the orders for which somebody has to record a payment. */
export const ordersPaidByHand: Migration = {
  name: '0040-orders-paid-by-hand',
  async up(trx) {
    await trx.raw("CREATE INDEX orders_paid_by_hand_index ON orders (id) WHERE provider = 'manual' AND state = 'open'");
  },
};
