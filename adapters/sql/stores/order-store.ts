import type { OrderStore } from '../../../core/ports/order-store.ts';
import type { Database } from '../database.ts';

export function createSqlOrderStore(_database: Database): OrderStore {
  throw new Error('The store of orders is not written yet.');
}
