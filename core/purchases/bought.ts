import type { OrderStore } from '../ports/order-store.ts';
import type { PurchaseCheck } from '../ports/purchase-check.ts';
import type { ClaimOrders } from './claim.ts';

/** A template is also bought if an order of the account includes it, or an order that a guest made with its address. */
export function boughtHere(orders: Pick<OrderStore, 'hasTemplate'>, claim: ClaimOrders): PurchaseCheck {
  return {
    async has({ id }, template) {
      if (await orders.hasTemplate(id, template.id)) return true;
      return (await claim(id)) > 0 && (await orders.hasTemplate(id, template.id));
    },
  };
}

/** A template is bought if one of the checks says so. Asks them one after the other, until one does. */
export function anyOf(...checks: readonly PurchaseCheck[]): PurchaseCheck {
  return {
    async has(user, template) {
      for (const check of checks) if (await check.has(user, template)) return true;
      return false;
    },
  };
}
