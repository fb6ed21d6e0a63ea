import { event } from '../events/event.ts';
import type { UserId } from '../id.ts';
import type { Clock } from '../ports/clock.ts';
import type { LoginStore } from '../ports/login-store.ts';
import type { OrderStore } from '../ports/order-store.ts';
import type { PurchaseCheck } from '../ports/purchase-check.ts';
import type { Secrets } from '../ports/secrets.ts';
import { isRefused, refuse } from '../refusal.ts';
import { isBundle, isGift, type Order } from './order.ts';
import { newOrderToken } from './order-token.ts';

/**
 * Gives an account the orders that guests made with its e-mail address, if that address is verified. Returns how many.
 * Nobody paid for a free order, so perhaps a stranger entered the e-mail address, and has the link of the order. That is
 * why a free order gets a new link.
 */
export type ClaimOrders = (userId: UserId) => Promise<number>;

export interface ClaimPorts {
  readonly store: Pick<OrderStore, 'findUnclaimed' | 'change'>;
  readonly logins: Pick<LoginStore, 'find'>;
  readonly clock: Clock;
  readonly secrets: Secrets;
}

export function createClaimOrders({ store, logins, clock, secrets }: ClaimPorts): ClaimOrders {
  return async (userId) => {
    const login = await logins.find(userId);
    if (login === undefined || login.emailVerifiedAt === null) return 0;
    let claimed = 0;
    for (const id of await store.findUnclaimed(userId, login.email)) {
      const after = await store.change(id, (before) => {
        if (before.buyer.userId !== null) return refuse('order_changed');
        const now = clock.now();
        const claimed = (order: Order, token: string) => ({
          after: { ...order, token, buyer: { ...order.buyer, userId }, updatedAt: now },
          events: [event('order.claimed', String(order.id), { actor: login.email }, now, {})],
        });
        const newToken = (order: Order) => (isGift(before) ? newOrderToken(secrets) : order.token);
        return {
          ...claimed(before, newToken(before)),
          ...(isBundle(before) && { parts: (_: Order, part: Order) => claimed(part, newToken(part)) }),
        };
      });
      if (after !== undefined && !isRefused(after)) claimed++;
    }
    return claimed;
  };
}

/** A template is also bought if an order of the account includes it, or an order that a guest made with its address. */
export function boughtHere(orders: Pick<OrderStore, 'findWithTemplate'>, claim: ClaimOrders): PurchaseCheck {
  return {
    async has({ id }, template) {
      const isBought = async () => (await orders.findWithTemplate(id, template.id)) !== undefined;
      return (await isBought()) || ((await claim(id)) > 0 && (await isBought()));
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
