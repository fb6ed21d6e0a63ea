import type { Event } from '../events/event.ts';
import type { OrderId, ProductId, TemplateId, UserId } from '../id.ts';
import type { License } from '../licensing/license.ts';
import type { LicenseKey } from '../licensing/license-key.ts';
import type { Period } from '../licensing/periods.ts';
import type { Place } from '../place.ts';
import type { Order, OrderState, Provider } from '../purchases/order.ts';
import type { SubscriptionState } from '../purchases/subscription.ts';
import type { Refused } from '../refusal.ts';
import type { News } from './change.ts';
import type { Instant } from './clock.ts';
import type { NewLicense } from './license-store.ts';

/** The fields that the store sets. */
type Assigned = 'id' | 'revision' | 'number' | 'invoice' | 'creditNotes';

export type NewOrder = Omit<Order, Assigned>;

/** A part of a new order. The store sets `partOf`. */
export type NewOrderPart = Omit<NewOrder, 'partOf'>;

/**
 * The decision about an order. The store raises `revision`. It gives a number to an order with `paidAt` and a price, with the
 * facts of its invoice, and it adds the credit note that is missing: see `dueNote`.
 */
export interface OrderChange {
  readonly after: Order;
  /** Those of the order and of its license. None if nothing changed: then nothing is written but `lookAt`. */
  readonly events: readonly Event[];
  /** Returns the mails and notifications about the change. Gets the order as it is stored, with its number, and its parts. */
  readonly news?: (stored: Order, parts: readonly Order[]) => News;
  /**
   * Decides what follows for each part of the order, from the order after the change. Called only if the order changes.
   * These decisions have no parts of their own.
   */
  readonly parts?: (after: Order, part: Order, held: HeldLicense | undefined) => OrderChange;
  /**
   * The license to issue, or the changed license, with all its periods if they change. None of them is ever removed. If the
   * changed license has fewer slots than hosts, the store removes the newest hosts, with an event of their own.
   */
  readonly license?:
    | { readonly issued: NewLicense; readonly periods?: readonly Period[] }
    | { readonly changed: License; readonly periods?: readonly Period[] };
  /** When to look at the payment again. */
  readonly lookAt?: Instant;
}

/** The license of an order, or the one that the order renews. */
export interface HeldLicense {
  readonly license: License;
  /** None if it was never renewed or upgraded. */
  readonly periods: readonly Period[];
  /** The order for which it was issued. Only if the order renews a license without periods. */
  readonly origin?: Order | undefined;
}

/** `text` is the text by which a search found the order. */
export type OrderPlace = Place<OrderId>;

export interface OrderFilter {
  readonly isLive: boolean;
  /** `undefined` means those of all sellers. */
  readonly sellerId?: UserId | undefined;
  readonly productId?: ProductId | undefined;
  readonly states?: readonly OrderState[] | undefined;
  /** Only orders that began a subscription: one in this state, or any. */
  readonly subscription?: SubscriptionState | 'any' | undefined;
  readonly id?: OrderId | undefined;
  /** The start of the buyer's address, of the license key, of the title or of the id. In upper or lower case. */
  readonly search?: string | undefined;
  /** Orders that were made at this time or later. */
  readonly from?: Instant | undefined;
  /** Orders that were made before this time. */
  readonly to?: Instant | undefined;
  /** The place of the previous page. */
  readonly after?: OrderPlace | undefined;
  readonly limit: number;
  /** See `ProductSearch`. */
  readonly isOnlyPage?: boolean | undefined;
}

/** A page of a search. `next` is `undefined` after the last page. */
export interface FoundOrders {
  readonly items: readonly Order[];
  readonly next: OrderPlace | undefined;
}

/**
 * The amounts of the orders that were paid on one day. `refunded` is the part of `paid` that was paid back, or lost in a dispute.
 */
export interface DayOfRevenue {
  /** In UTC, such as `2026-11-22`. */
  readonly day: string;
  readonly currency: string;
  readonly orders: number;
  readonly paid: number;
  readonly refunded: number;
}

/** The subscriptions in one currency. */
export interface Recurring {
  readonly currency: string;
  /** What those bring in a month that run or are past due, in the smallest unit of the currency. */
  readonly monthly: number;
  readonly running: number;
  readonly pastDue: number;
  /** Those that will end with the time that is paid. */
  readonly cancelled: number;
  /** Those that have ended since a time, except those whose license has another one that goes on. */
  readonly churned: number;
}

/** Which orders of a buyer to list. */
export interface BoughtFilter {
  /** Only orders with smaller ids. */
  readonly before?: OrderId | undefined;
  /** See `OrderFilter`. */
  readonly search?: string | undefined;
  /** Only orders that bought licenses: not those that renew or upgrade one, and those that were never paid. */
  readonly hasLicense?: boolean | undefined;
  readonly limit: number;
}

/** The orders of a seller that wait for somebody. */
export interface OrdersToDo {
  readonly disputed: number;
  readonly held: number;
  readonly byHand: number;
}

/** Orders, with their effects on licenses. */
export interface OrderStore {
  /**
   * Adds an order. Refuses if the buyer, known by account or address, has a free order of the same product that is not
   * cancelled: the refusal is `already_bought`. Orders that a coupon has made free, and others, count apart. For a trial,
   * addresses that differ only in their plus part are the same. Refuses in the same way if the provider has an order with this payment already. `lookAt` is when to look at its
   * payment. `newsOf` gets the stored order. `instead` changes an earlier order in the same transaction. `parts` are added with
   * the order.
   *
   * An order with a coupon uses it (see `couponUsedBy`): the refusal is `coupon_used_up` if others have used it up, or this buyer
   * has; and `unknown_coupon` if it is not valid when the order is made. Then nothing is written. Orders that are added at once
   * are counted one by one. Each change of the order gives the use back, or takes it again, as `couponUsedBy` says. So of the orders
   * that are paid while they hold their use, never more than allowed have the coupon. An order that is paid after it has given the use
   * back keeps its price, and uses the coupon again even if that is one use too many. `isProved`: whether the address is the verified
   * one of the account. Otherwise the uses of the account alone count, so that nobody learns what others with the address have used.
   */
  add(
    order: NewOrder,
    event: Event,
    lookAt: Instant,
    more?: {
      readonly newsOf?: ((added: Order) => News) | undefined;
      readonly instead?: { readonly id: OrderId; decide(before: Order): OrderChange } | undefined;
      readonly parts?: readonly NewOrderPart[] | undefined;
      readonly isProved?: boolean | undefined;
    },
  ): Promise<Order | Refused<'already_bought' | 'coupon_used_up' | 'unknown_coupon'>>;
  find(id: OrderId): Promise<Order | undefined>;
  findByToken(token: string): Promise<Order | undefined>;
  /** The order for which `add` refuses another one. */
  findFree(order: Pick<NewOrder, 'productId' | 'buyer' | 'agreed'>): Promise<Order | undefined>;
  /** `id` is the payment id or the intent id. */
  findByPayment(provider: Provider, id: string): Promise<Order | undefined>;
  /**
   * Loads an order with its license, calls `decide`, and saves order, license, events, mails and notifications in one
   * transaction, with the parts of the order and their licenses. Nothing else changes any of them in between. The deliveries to webhooks are added in the
   * same transaction, and the work of looking at the subscriptions of a license whose periods change.
   */
  change<R extends string = never>(
    id: OrderId,
    decide: (order: Order, held: HeldLicense | undefined) => OrderChange | Refused<R>,
  ): Promise<Order | Refused<R> | undefined>;
  /** The order for which a license was issued. */
  findByLicense(key: LicenseKey): Promise<Order | undefined>;
  /** The parts of these orders, in their order. */
  partsOf(ids: readonly OrderId[]): Promise<readonly Order[]>;
  /** A license with its periods. */
  heldOf(key: LicenseKey): Promise<HeldLicense | undefined>;
  /**
   * The order whose subscription a license has: the newest of those that have not ended, or else of all. `undefined` if it
   * never had one.
   */
  findSubscription(key: LicenseKey): Promise<Order | undefined>;
  /** The order with a subscription of this provider. */
  findBySubscription(provider: Provider, id: string): Promise<Order | undefined>;
  /** The orders of the payments of a subscription, after the first one. Oldest first. */
  cyclesOf(id: OrderId): Promise<readonly Order[]>;
  /** The periods of a license, in their order. */
  periodsOf(key: LicenseKey): Promise<readonly Period[]>;
  /** Adds work to look at the payment of an order at `at`. Work that is due sooner stays as it is. */
  lookAt(id: OrderId, at: Instant): Promise<void>;
  /**
   * Deletes the unpaid orders that were made before a time and for which `isForgotten` returns true, with their work and
   * their events in the audit trail. Works in short transactions. Returns how many.
   */
  forget(before: Instant, isForgotten: (order: Order) => boolean): Promise<number>;
  /**
   * The orders of an account and of both modes, without parts, newest first. With a condition, a call looks at a limited number
   * of orders. So a page can be short or empty, and still have a `next`: the `before` of the next page.
   */
  listOf(
    buyerId: UserId,
    filter: BoughtFilter,
  ): Promise<{ readonly items: readonly Order[]; readonly next: OrderId | undefined }>;
  /**
   * Newest first, or with `search` in the order of the matching texts: an order is also found by the texts of its parts, which
   * are not listed. Each order is listed once, by its first matching
   * text. A call looks at a limited number of orders. So a page can be short or empty, and still have a `next`. May be
   * some seconds old.
   */
  search(filter: OrderFilter): Promise<FoundOrders>;
  /**
   * The orders of both modes that wait for somebody: the held ones, and then those that are to be paid by hand. Oldest first,
   * at most `most`. May be some seconds old.
   */
  listWaiting(most: number): Promise<Order[]>;
  /** Their number, at most `most`. May be some seconds old. */
  countWaiting(most: number): Promise<number>;
  /**
   * How many orders of a seller are disputed, are held, or are to be paid by hand. Looks at the newest `most` of each, and of
   * all that are open. May be some seconds old.
   */
  countToDo(seller: Pick<Order, 'isLive'> & { readonly sellerId: UserId }, most: number): Promise<OrdersToDo>;
  /**
   * The oldest orders of guests with this e-mail address that were paid or are free, at most 100. Leaves out a free order
   * if the account has one of the same product.
   */
  findUnclaimed(userId: UserId, email: string): Promise<OrderId[]>;
  /**
   * Whether anybody but this account sells live products: has one that is published and not archived, or a live order.
   * The operator's own products count too.
   */
  othersSell(userId: UserId): Promise<boolean>;
  /** Returns the user's newest order with this template that is usable. */
  findWithTemplate(userId: UserId, templateId: TemplateId): Promise<Order | undefined>;
  /** By day and currency, oldest first. May be some seconds old. */
  revenue(
    filter: Pick<OrderFilter, 'isLive' | 'sellerId' | 'productId'> & { readonly from: Instant },
  ): Promise<DayOfRevenue[]>;
  /** By currency, in alphabetical order. `from`: since when the churned ones have ended. May be some seconds old. */
  recurring(
    filter: Pick<OrderFilter, 'isLive' | 'sellerId' | 'productId'> & { readonly from: Instant },
  ): Promise<Recurring[]>;
}

/**
 * Returns an absolute URL that serves a stored file until a time, but only while the order is usable: whoever serves it
 * asks again when the link is used. Browsers save the file as `filename`.
 */
export type OrderLink = (order: OrderId, key: string, filename: string, until: Instant) => string;

/** Writes orders as a file for spreadsheets and bookkeeping, in pieces. A text never becomes a formula. */
export type WriteOrders = (orders: AsyncIterable<readonly Order[]>) => AsyncIterable<string>;
