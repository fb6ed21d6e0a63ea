import { byOf } from '../accounts/role.ts';
import type { OrderStore } from '../ports/order-store.ts';
import type { Order } from '../purchases/order.ts';
import type { Subscribing } from '../purchases/subscribing.ts';
import type { SubscriptionState } from '../purchases/subscription.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import type { OrderList, OrderQuery } from './order-list.ts';
import type { Seller } from './seller.ts';

type Unknown = Refused<'subscription_not_found'>;

/** Which subscriptions a seller wants to see. All conditions must hold. */
export interface SubscriptionQuery
  extends Pick<OrderQuery, 'search' | 'product' | 'sellerId' | 'after' | 'limit' | 'isOnlyPage'> {
  readonly state?: SubscriptionState | undefined;
}

/**
 * The subscriptions of a seller's products, and for administrators all, by the orders that began them. Each method needs
 * `orders:manage`. Subscriptions of others, and of the other mode, are unknown. An id is that of the first order, in digits.
 */
export interface SellerSubscriptions {
  /** See `OrderList.list`. */
  list(query: SubscriptionQuery, seller: Seller): ReturnType<OrderList['list']>;
  find(id: string, seller: Seller): Promise<Order | Unknown>;
  /** The orders of the payments after the first one, oldest first. */
  payments(subscription: Order): Promise<readonly Order[]>;
  /**
   * Nothing more is paid. The license works until the end of the paid time. Does nothing if it is cancelled. Throws
   * `Unavailable` if the provider cannot be asked: then a repeat is safe.
   */
  cancel(id: string, seller: Seller): Promise<Order | Unknown | Refused<'subscription_ended'>>;
  /** Takes a cancellation back. Throws as `cancel` does. */
  resume(id: string, seller: Seller): Promise<Order | Unknown | Refused<'subscription_ended'>>;
}

interface SellerSubscriptionPorts {
  readonly list: Pick<OrderList, 'list' | 'find'>;
  readonly store: Pick<OrderStore, 'cyclesOf'>;
  readonly subscribing: Pick<Subscribing, 'cancel' | 'resume'>;
}

export function createSellerSubscriptions({ list, store, subscribing }: SellerSubscriptionPorts): SellerSubscriptions {
  async function find(id: string, seller: Seller): Promise<Order | Unknown> {
    const order = await list.find(id, seller);
    if (isRefused(order) || order.subscription === null) {
      return refuse('subscription_not_found', `No subscription has the id ${id}.`);
    }
    return order;
  }

  const act = (name: 'cancel' | 'resume') => async (id: string, seller: Seller) => {
    const order = await find(id, seller);
    if (isRefused(order)) return order;
    const done = await subscribing[name](order, byOf(seller.actor));
    // The words of the other refusal are for the buyer.
    return isRefused(done) ? refuse('subscription_ended', 'The subscription has ended.') : done;
  };

  return {
    list: ({ state, ...query }, seller) => list.list({ ...query, subscription: state ?? 'any' }, seller),
    find,
    payments: ({ id }) => store.cyclesOf(id),
    cancel: act('cancel'),
    resume: act('resume'),
  };
}
