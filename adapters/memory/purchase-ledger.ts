import type { PurchaseLedger } from '../../core/ports/purchase-ledger.ts';
import type { MemoryDatabase } from './database.ts';

export function createMemoryPurchaseLedger({ purchases, events }: MemoryDatabase): PurchaseLedger {
  return {
    async add({ userId, templateId }, event) {
      const id = `${userId}:${templateId}`;
      if (purchases.has(id)) return false;
      purchases.add(id);
      events.push(event);
      return true;
    },
    has: async (user, template) => purchases.has(`${user.id}:${template.id}`),
  };
}
