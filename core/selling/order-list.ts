import type { KeyMode } from '../accounts/api-key.ts';
import { type Actor, may, needing } from '../accounts/role.ts';
import { parseId, toOrderId, type UserId } from '../id.ts';
import type { LicenseKey } from '../licensing/license-key.ts';
import { findProduct } from '../marketplace/find-product.ts';
import { pageOf, parseIdPlace } from '../place.ts';
import type { AuditEntry, AuditLog } from '../ports/audit-log.ts';
import type { Instant } from '../ports/clock.ts';
import type { WriteOrders } from '../ports/order-sheet.ts';
import type { DayOfRevenue, OrderFilter, OrderStore } from '../ports/order-store.ts';
import type { ProductStore } from '../ports/product-store.ts';
import type { OrderPage } from '../purchases/buying.ts';
import type { Order, OrderState } from '../purchases/order.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { findProductOf } from './find-product.ts';
import { reachableBy, reaches, type Seller } from './seller.ts';
import { shownActor } from './shown-actor.ts';

/** Which orders a seller wants to see. All conditions must hold. */
export interface OrderWish {
  readonly states?: readonly OrderState[] | undefined;
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
}

/** How sellers read the orders of their products, and administrators all. Orders of others are unknown. */
export interface OrderList {
  /** Newest first. May be some seconds old. */
  list(query: OrderQuery, seller: Seller): Promise<OrderPage | Refused<'forbidden' | 'unknown_place'>>;
  /** The orders of all sellers, of both modes without `mode`. Needs `purchases:manage`. */
  listAll(
    query: OrderQuery & { readonly mode?: KeyMode | undefined },
    actor: Actor,
  ): Promise<OrderPage | Refused<'forbidden' | 'unknown_place'>>;
  /** The number of held orders, at most `mostHeld`. 0 for those who may not decide about them. */
  countHeld(actor: Actor): Promise<number>;
  /** `id` is in digits. */
  find(id: string, seller: Seller): Promise<Order | Refused<'order_not_found'>>;
  /** The order that a license was sold with, if there is one. May be some seconds old. */
  findByLicense(key: LicenseKey, seller: Seller): Promise<Order | undefined>;
  /** The last changes of an order, newest first. Names the people as the history of licenses does. */
  history(order: Order, seller: Seller): Promise<readonly AuditEntry[]>;
  /** What was paid since then, by day and currency, oldest first. */
  revenue(
    from: Instant,
    wish: Pick<OrderWish, 'product' | 'sellerId'>,
    seller: Seller,
  ): Promise<readonly DayOfRevenue[] | Refused<'forbidden'>>;
  /** A file of orders, newest first. Reads some at a time, as fast as the file is read. */
  export(wish: OrderWish, seller: Seller): AsyncIterable<string>;
}

export const mostHeld = 100;
const mostHistory = 100;
const atOnce = 500;

export interface OrderListPorts {
  readonly store: Pick<OrderStore, 'find' | 'search' | 'revenue'>;
  readonly products: Pick<ProductStore, 'findById' | 'findBySlug'>;
  readonly log: AuditLog;
  readonly writeSheet: WriteOrders;
}

type Wanted = Omit<OrderFilter, 'limit' | 'before'>;

export function createOrderList({ store, products, log, writeSheet }: OrderListPorts): OrderList {
  /** Returns what to look for, or `undefined` if there can be none. */
  async function wantedBy(
    { product: idOrSlug, sellerId, ...same }: OrderWish,
    seller: Seller,
  ): Promise<Wanted | undefined | Refused<'forbidden'>> {
    const reach = reachableBy(seller, 'orders:manage');
    if (reach === undefined) return refuse('forbidden', 'This needs the right orders:manage.');
    if (sellerId !== undefined && reach.ownerId !== undefined && sellerId !== reach.ownerId) return undefined;
    const wanted = { ...same, isLive: reach.isLive, sellerId: reach.ownerId ?? sellerId };
    if (idOrSlug === undefined) return wanted;
    const product = await findProductOf(products, idOrSlug, seller, 'orders:manage');
    return isRefused(product) ? undefined : { ...wanted, productId: product.id };
  }

  async function pageWith(
    wanted: Wanted | undefined,
    { after, limit }: Pick<OrderQuery, 'after' | 'limit'>,
  ): Promise<OrderPage | Refused<'unknown_place'>> {
    const before = parseIdPlace(after, toOrderId);
    if (isRefused(before)) return before;
    const found = wanted === undefined ? [] : await store.search({ ...wanted, before, limit: limit + 1 });
    const { items, next } = pageOf(found, limit);
    return { orders: items, next };
  }

  async function* pages(wish: OrderWish, seller: Seller): AsyncGenerator<readonly Order[]> {
    const wanted = await wantedBy(wish, seller);
    if (wanted === undefined || isRefused(wanted)) return;
    let found: readonly Order[] = [];
    do {
      found = await store.search({ ...wanted, before: found.at(-1)?.id, limit: atOnce });
      yield found;
    } while (found.length === atOnce);
  }

  const isReached = (seller: Seller, { sellerId, isLive }: Order) =>
    reaches(seller, 'orders:manage', { ownerId: sellerId, isLive });

  return {
    async list({ after, limit, ...wish }, seller) {
      const wanted = await wantedBy(wish, seller);
      return isRefused(wanted) ? wanted : await pageWith(wanted, { after, limit });
    },

    async listAll({ after, limit, mode, product: idOrSlug, ...same }, actor) {
      const refused = needing(actor, 'purchases:manage');
      if (refused) return refused;
      const product = idOrSlug === undefined ? undefined : await findProduct(products, idOrSlug);
      const isUnknown = idOrSlug !== undefined && product === undefined;
      const isLive = mode && mode === 'live';
      return await pageWith(isUnknown ? undefined : { ...same, isLive, productId: product?.id }, { after, limit });
    },

    async countHeld(actor) {
      if (!may(actor, 'purchases:manage')) return 0;
      return (await store.search({ states: ['held'], limit: mostHeld })).length;
    },

    async find(text, seller) {
      const id = parseId(text, toOrderId);
      const order = id === undefined ? undefined : await store.find(id);
      return order && isReached(seller, order) ? order : unknownOrder(text);
    },

    async findByLicense(key, seller) {
      const found = await store.search({ search: key, limit: 2 });
      return found.find((order) => order.licenseKey === key && isReached(seller, order));
    },

    async history({ id, buyer }, seller) {
      const entries = await log.list({ subject: String(id), limit: mostHistory });
      return entries
        .filter(({ type }) => type.startsWith('order.'))
        .map((entry) => ({ ...entry, actor: shownActor(entry.actor, seller, [buyer.email]) }));
    },

    async revenue(from, wish, seller) {
      const wanted = await wantedBy(wish, seller);
      if (isRefused(wanted)) return wanted;
      return wanted === undefined ? [] : await store.revenue({ ...wanted, from });
    },

    export: (wish, seller) => writeSheet(pages(wish, seller)),
  };
}

/** The refusal of an unknown order. One of somebody else, or of the other mode, gets the same. */
export function unknownOrder(id: string): Refused<'order_not_found'> {
  return refuse('order_not_found', `No order has the id ${id}.`);
}
