import type { Event } from '../events/event.ts';
import type { OrderId, ProductId, TemplateId, UserId } from '../id.ts';
import type { License } from '../licensing/license.ts';
import type { Order, OrderState, Provider } from '../purchases/order.ts';
import type { Refused } from '../refusal.ts';
import type { News } from './change.ts';
import type { Instant } from './clock.ts';
import type { NewLicense } from './license-store.ts';

/** What the store assigns. */
type Assigned = 'id' | 'revision' | 'number';

export type NewOrder = Omit<Order, Assigned>;

/** The decision about an order. The store raises `revision`, and gives a number to an order with `paidAt` and a price. */
export interface OrderChange extends News {
  readonly after: Order;
  /** Those of the order and of its license. None if nothing changed: nothing is written then. */
  readonly events: readonly Event[];
  /** The license to issue, or the changed license. */
  readonly license?: { readonly issued: NewLicense } | { readonly changed: License };
  /** When to look at the payment again. */
  readonly lookAt?: Instant;
}

export interface OrderFilter {
  /** `undefined` means both modes. */
  readonly isLive?: boolean | undefined;
  /** `undefined` means those of all sellers. */
  readonly sellerId?: UserId | undefined;
  readonly buyerId?: UserId | undefined;
  readonly productId?: ProductId | undefined;
  readonly states?: readonly OrderState[] | undefined;
  /** The beginning of the buyer's address, of the license key or of the title, or the id of the order. In upper or lower case. */
  readonly search?: string | undefined;
  readonly from?: Instant | undefined;
  readonly to?: Instant | undefined;
  /** Only orders with smaller ids, for the next page. */
  readonly before?: OrderId | undefined;
  readonly limit: number;
}

/** What was paid and refunded on one day, of the orders that were paid on it. */
export interface DayOfRevenue {
  /** In UTC, such as `2026-11-22`. */
  readonly day: string;
  readonly currency: string;
  readonly orders: number;
  readonly paid: number;
  readonly refunded: number;
}

/** Orders, with their effects on licenses. */
export interface OrderStore {
  /**
   * Adds an order. Refuses if the buyer, known by account or address, has a free order of the same product that is not
   * cancelled: the refusal is `already_bought`. `lookAt` is when to look at its payment.
   */
  add(order: NewOrder, event: Event, lookAt: Instant): Promise<Order | Refused<'already_bought'>>;
  find(id: OrderId): Promise<Order | undefined>;
  findByToken(token: string): Promise<Order | undefined>;
  /** `id` is the payment id or the intent id. */
  findByPayment(provider: Provider, id: string): Promise<Order | undefined>;
  /** Adds work to look at the payment of an order at `at`. Work that is due sooner stays as it is. */
  lookAt(id: OrderId, at: Instant): Promise<void>;
  /**
   * Loads an order with its license, calls `decide`, and saves order, license, events, mails and notifications in one
   * transaction. Nothing else changes the order or the license in between. Webhooks are told in the same transaction.
   */
  change<R extends string = never>(
    id: OrderId,
    decide: (order: Order, license: License | undefined) => OrderChange | Refused<R>,
  ): Promise<Order | Refused<R> | undefined>;
  /** Newest first. May be some seconds old. */
  search(filter: OrderFilter): Promise<Order[]>;
  /** Gives the orders of guests with this address to the account. The address must be verified. Returns how many. */
  claim(userId: UserId, email: string): Promise<number>;
  /** Whether the user has an order with this template that is usable. */
  hasTemplate(userId: UserId, templateId: TemplateId): Promise<boolean>;
  /** By day and currency, oldest first. May be some seconds old. */
  revenue(
    filter: Pick<OrderFilter, 'isLive' | 'sellerId' | 'productId'> & { readonly from: Instant },
  ): Promise<DayOfRevenue[]>;
}
