import type { Knex } from 'knex';
import type { Database } from './database.ts';

/** Transactions that have added work or deliveries. */
const ringing = new WeakSet<Knex.Transaction>();

/** Makes a ringing database ring after the commit of this transaction. */
export function ringAfter(trx: Knex.Transaction): void {
  ringing.add(trx);
}

/**
 * Wraps a database: calls `ring` after each commit that added work or deliveries, so that this process need not wait to
 * notice them.
 */
export function ringingDatabase<T extends Database>(database: T, ring: () => void): T {
  return {
    ...database,
    async write(work) {
      let last: Knex.Transaction | undefined;
      const result = await database.write((trx) => {
        last = trx;
        return work(trx);
      });
      if (last !== undefined && ringing.has(last)) ring();
      return result;
    },
  };
}
