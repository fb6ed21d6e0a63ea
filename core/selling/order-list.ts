import type { KeyMode } from '../accounts/api-key.ts';
import { type Actor, may } from '../accounts/role.ts';
import { isOfOrder } from '../events/event.ts';
import { parseId, toOrderId, type UserId } from '../id.ts';
import type { LicenseKey } from '../licensing/license-key.ts';
import { formatPlace, parsePlace } from '../place.ts';
import type { AuditEntry, AuditLog } from '../ports/audit-log.ts';
import type { Instant } from '../ports/clock.ts';
import type {
  DayOfRevenue,
  FoundOrders,
  OrderFilter,
  OrderPlace,
  OrderStore,
  Recurring,
  WriteOrders,
} from '../ports/order-store.ts';
import type { ProductStore } from '../ports/product-store.ts';
import type { OrderPage } from '../purchases/buying.ts';
import { isBundle, type Order, type OrderState } from '../purchases/order.ts';
import { idOfReference } from '../purchases/reference.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { searchedText } from '../search-texts.ts';
import type { MayRecord } from './recording.ts';
import { findProductOf, narrowedTo, reaches, type Seller, shownActor } from './seller.ts';

/** Which orders a seller wants to see. All conditions must hold. */
export interface OrderWish {
  readonly states?: readonly OrderState[] | undefined;
  /** See `OrderFilter`. */
  readonly subscription?: OrderFilter['subscription'];
  /** See `OrderFilter`. */
  readonly search?: string | undefined;
  /** Id or slug. There are no orders of an unknown product. */
  readonly product?: string | undefined;
  readonly from?: Instant | undefined;
  readonly to?: Instant | undefined;
  /** Can only narrow: a seller has no orders of other sellers. */
  readonly sellerId?: UserId | undefined;
}

export interface OrderQuery extends OrderWish {
  /** The `next` of the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
  /** See `ProductSearch`: then `next` is `null`. */
  readonly isOnlyPage?: boolean | undefined;
}

/** `renewals` may be some seconds old: the newest `mostRenewals`, newest first. */
export interface OrdersOfLicense {
  readonly sold: Order | undefined;
  /** The order of the bundle, if it was sold as a part of one. */
  readonly bundle: Order | undefined;
  readonly renewals: readonly Order[];
}

const mostRenewals = 20;

/** How sellers read the orders of their products, and administrators all. Orders of others are unknown. */
export interface OrderList {
  /**
   * Newest first, or by the text that a search finds. A page can be short or empty and have a `next`. May be some seconds
   * old.
   */
  list(query: OrderQuery, seller: Seller): Promise<OrderPage | Refused<'forbidden' | 'unknown_place'>>;
  /**
   * The orders of both modes that wait for this administrator: to decide what happens, or to record a payment. At most
   * `mostWaiting`.
   */
  waiting(actor: Actor): Promise<readonly Order[]>;
  /** Their number. */
  countWaiting(actor: Actor): Promise<number>;
  /**
   * The number of own orders that wait for the seller: to answer a dispute, or to decide or record what the seller may. At
   * most `mostWaiting` of each.
   */
  countToDo(actor: Actor, mode: KeyMode): Promise<number>;
  /** `id` is in digits. A part of a bundle is no order: see `partsOf`. */
  find(id: string, seller: Seller): Promise<Order | Refused<'order_not_found'>>;
  /** The parts of orders of bundles, in their order. */
  partsOf(orders: readonly Order[]): Promise<readonly Order[]>;
  /** The order that a license was sold with, or its part of a bundle, if there is one, and the newest orders that renew or upgrade it. */
  ofLicense(key: LicenseKey, seller: Seller): Promise<OrdersOfLicense>;
  /** The last changes of an order, newest first. Names the people as the history of licenses does. */
  history(order: Order, seller: Seller): Promise<readonly AuditEntry[]>;
  /** The payments since `from`, by day and currency, oldest first. */
  revenue(
    from: Instant,
    wish: Pick<OrderWish, 'product' | 'sellerId'>,
    seller: Seller,
  ): Promise<readonly DayOfRevenue[] | Refused<'forbidden'>>;
  /** The subscriptions, by currency. `from`: see `OrderStore.recurring`. */
  recurring(
    from: Instant,
    wish: Pick<OrderWish, 'product' | 'sellerId'>,
    seller: Seller,
  ): Promise<readonly Recurring[] | Refused<'forbidden'>>;
  /** A file of orders, newest first. Reads some at a time, as fast as the file is read. */
  export(wish: OrderWish, seller: Seller): AsyncIterable<string>;
}

const mostWaiting = 100;
const mostHistory = 100;
const atOnce = 500;

export interface OrderListPorts {
  readonly store: Pick<
    OrderStore,
    | 'find'
    | 'findByLicense'
    | 'partsOf'
    | 'search'
    | 'listWaiting'
    | 'countWaiting'
    | 'countToDo'
    | 'revenue'
    | 'recurring'
  >;
  readonly products: Pick<ProductStore, 'findById' | 'findBySlug'>;
  readonly log: AuditLog;
  readonly writeSheet: WriteOrders;
  readonly mayRecord: MayRecord;
}

type Wanted = Omit<OrderFilter, 'limit' | 'after'>;

export function createOrderList({ store, products, log, writeSheet, mayRecord }: OrderListPorts): OrderList {
  /** Returns what to look for, or `undefined` if there can be none. */
  async function wantedBy(
    { product: idOrSlug, sellerId, ...same }: OrderWish,
    seller: Seller,
  ): Promise<Wanted | undefined | Refused<'forbidden'>> {
    const own = narrowedTo(sellerId, seller, 'orders:manage');
    if (own === undefined || isRefused(own)) return own;
    const wanted = { ...same, isLive: own.isLive, sellerId: own.ownerId };
    if (idOrSlug === undefined) return wanted;
    const product = await findProductOf(products, idOrSlug, seller, 'orders:manage');
    return isRefused(product) ? undefined : { ...wanted, productId: product.id };
  }

  /** The order whose reference is what was searched for. */
  async function withReference(wanted: Wanted): Promise<Order | undefined> {
    const id = idOfReference(wanted.search ?? '');
    return id && (await store.search({ ...wanted, id, search: undefined, limit: 1 })).items[0];
  }

  async function pageWith(
    wanted: Wanted | undefined,
    { after: written, limit, isOnlyPage }: Pick<OrderQuery, 'after' | 'limit' | 'isOnlyPage'>,
  ): Promise<OrderPage | Refused<'unknown_place'>> {
    const after = written === undefined ? undefined : parsePlace(written, toOrderId);
    if (isRefused(after)) return after;
    if (wanted === undefined) return { orders: [], next: null };
    if (after && (after.text === null) !== (searchedText(wanted.search) === '')) {
      return refuse('unknown_place', 'This place belongs to another list.');
    }
    const referred = await withReference(wanted);
    if (referred) return { orders: [referred], next: null };
    const { items, next } = await store.search({ ...wanted, after, limit, isOnlyPage });
    return { orders: items, next: next === undefined ? null : formatPlace(next) };
  }

  async function* pages(wish: OrderWish, seller: Seller): AsyncGenerator<readonly Order[]> {
    const wanted = await wantedBy(wish, seller);
    if (wanted === undefined || isRefused(wanted)) return;
    const referred = await withReference(wanted);
    if (referred) return yield [referred];
    let after: OrderPlace | undefined;
    do {
      const { items, next }: FoundOrders = await store.search({ ...wanted, after, limit: atOnce });
      yield items;
      after = next;
    } while (after !== undefined);
  }

  const isReached = (seller: Seller, { sellerId, isLive }: Order) =>
    reaches(seller, 'orders:manage', { ownerId: sellerId, isLive });

  return {
    async list({ after, limit, isOnlyPage, ...wish }, seller) {
      const wanted = await wantedBy(wish, seller);
      return isRefused(wanted) ? wanted : await pageWith(wanted, { after, limit, isOnlyPage });
    },

    waiting: async (actor) => (may(actor, 'purchases:manage') ? await store.listWaiting(mostWaiting) : []),
    countWaiting: async (actor) => (may(actor, 'purchases:manage') ? await store.countWaiting(mostWaiting) : 0),

    async countToDo(actor, mode) {
      if (actor.kind === 'operator') return 0;
      const seller = { sellerId: actor.user.id, isLive: mode === 'live' };
      const { disputed, held, byHand } = await store.countToDo(seller, mostWaiting);
      const canRecord = byHand > 0 && (await mayRecord({ provider: 'manual' }, actor));
      return disputed + (may(actor, 'purchases:manage') ? held : 0) + (canRecord ? byHand : 0);
    },

    async find(text, seller) {
      const id = parseId(text, toOrderId);
      const order = id === undefined ? undefined : await store.find(id);
      return order?.partOf === null && isReached(seller, order) ? order : unknownOrder(text);
    },

    partsOf: (orders) => store.partsOf(orders.filter(isBundle).map(({ id }) => id)),

    async ofLicense(key, seller) {
      const [sold, { items }] = await Promise.all([
        store.findByLicense(key),
        store.search({ isLive: seller.mode === 'live', search: key, limit: mostRenewals, isOnlyPage: true }),
      ]);
      const renewals = items.filter((order) => order.renews === key && isReached(seller, order));
      if (sold === undefined || !isReached(seller, sold)) return { sold: undefined, bundle: undefined, renewals };
      return { sold, bundle: sold.partOf === null ? undefined : await store.find(sold.partOf), renewals };
    },

    async history({ id, buyer }, seller) {
      const entries = await log.list({ subject: String(id), limit: mostHistory });
      return entries
        .filter(({ type }) => isOfOrder(type))
        .map((entry) => ({ ...entry, actor: shownActor(entry.actor, seller, [buyer.email]) }));
    },

    async revenue(from, wish, seller) {
      const wanted = await wantedBy(wish, seller);
      if (isRefused(wanted)) return wanted;
      return wanted === undefined ? [] : await store.revenue({ ...wanted, from });
    },

    async recurring(from, wish, seller) {
      const wanted = await wantedBy(wish, seller);
      if (isRefused(wanted)) return wanted;
      return wanted === undefined ? [] : await store.recurring({ ...wanted, from });
    },

    export: (wish, seller) => writeSheet(pages(wish, seller)),
  };
}

/** The refusal of an unknown order. One of somebody else, or of the other mode, gets the same. */
export function unknownOrder(id: string): Refused<'order_not_found'> {
  return refuse('order_not_found', `No order has the id ${id}.`);
}
