import { toOrderId, type UserId } from '../id.ts';
import { parseIdPlace } from '../place.ts';
import type { BoughtFilter } from '../ports/order-store.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import type { ClaimOrders } from './claim.ts';
import { createSendLetterAgain } from './letter-again.ts';
import { isBundle, isGift, type Order } from './order.ts';
import { countLetter, countLook } from './order-limits.ts';
import { learnedBy, type RecordedAct } from './recorded.ts';
import { createLearn, type OrderPorts, type SettleOrder } from './settle.ts';
import { type PaymentSettings, takesPlayMoney } from './ways-to-pay.ts';

/** A page of a list. `next` is `null` after the last page. */
export interface OrderPage {
  readonly orders: readonly Order[];
  readonly next: string | null;
}

/** What buyers can do with their orders. Whoever has the token of an order may do all of this with it. */
export interface Purchases {
  /**
   * The orders of an account and of both modes, newest first. If its address is verified, first claims the orders of
   * guests with this address. With a condition, a page can be short or empty and have a `next`.
   */
  list(
    userId: UserId,
    query: Omit<BoughtFilter, 'before'> & { readonly after?: string | undefined },
  ): Promise<OrderPage | Refused<'unknown_place'>>;
  /** Returns `undefined` if no order has this token. */
  find(token: string): Promise<Order | undefined>;
  /** The parts of those of these orders that are of bundles, in their order. */
  partsOf(orders: readonly Order[]): Promise<readonly Order[]>;
  /**
   * Returns the order of the bundle to which a part belongs. Its page controls all licenses of the bundle, and whoever has the link
   * of a part may have been given only that. So `token` is for the account of the buyer alone. `undefined` for other orders.
   */
  bundleOf(
    order: Order,
    visitor: UserId | undefined,
  ): Promise<{ readonly order: Pick<Order, 'id' | 'agreed'>; readonly token: string | undefined } | undefined>;
  /**
   * Returns the order that bought the license which this one renews or upgrades. Its page gives control of the license. So
   * that of a free order which an account claimed is for that account alone: see `ClaimOrders`. `undefined` for others.
   */
  originalOf(order: Order, visitor: UserId | undefined): Promise<Order | undefined>;
  /**
   * Asks the provider for the state of the payment. Returns the order unchanged if that was done too often just now.
   */
  look(order: Order): Promise<Order>;
  /** Sends the mail with the license key again, at most once in five minutes. Few such mails go to one address in a day. */
  sendAgain(
    token: string,
  ): Promise<Order | Refused<'order_not_found' | 'no_license_yet' | 'sent_just_now' | 'too_many_attempts'>>;
  /**
   * Plays the bank on the page of the provider `test`. Refuses it where play money is not taken any more: an old order,
   * for example of a demo, must not become a license.
   */
  play(
    token: string,
    act: RecordedAct,
  ): Promise<Order | Refused<'order_not_found' | 'order_changed' | 'payment_act_not_allowed' | 'refund_not_possible'>>;
}

export interface PurchasePorts extends OrderPorts {
  readonly claim: ClaimOrders;
  readonly settings: Pick<PaymentSettings, 'test' | 'provider' | 'manual'>;
  readonly settle: SettleOrder;
}

export function createPurchases(ports: PurchasePorts): Purchases {
  const { store, claim, settings, settle } = ports;
  const learn = createLearn(ports);
  const sendLetterAgain = createSendLetterAgain(ports);

  return {
    async list(userId, { after, ...filter }) {
      const before = parseIdPlace(after, toOrderId);
      if (isRefused(before)) return before;
      await claim(userId);
      const { items, next } = await store.listOf(userId, { ...filter, before });
      return { orders: items, next: next === undefined ? null : String(next) };
    },

    find: (token) => store.findByToken(token),

    partsOf: async (orders) => await store.partsOf(orders.filter(isBundle).map(({ id }) => id)),

    async bundleOf({ partOf }, visitor) {
      const order = partOf === null ? undefined : await store.find(partOf);
      if (order === undefined) return undefined;
      const isOwn = visitor !== undefined && order.buyer.userId === visitor;
      return { order, token: isOwn ? order.token : undefined };
    },

    async originalOf({ renews }, visitor) {
      const original = renews === null ? undefined : await store.findByLicense(renews);
      const owner = original && isGift(original) ? original.buyer.userId : null;
      return owner === null || owner === visitor ? original : undefined;
    },

    async look(order) {
      if (await countLook(ports, order.id)) return order;
      return (await settle(order.id)) ?? order;
    },

    async sendAgain(token) {
      const order = await store.findByToken(token);
      if (order === undefined) return unknownOrder();
      const tooMany = await countLetter(ports, order.buyer.email);
      if (tooMany) return tooMany;
      const sent = await sendLetterAgain(order.id);
      return sent ?? unknownOrder();
    },

    async play(token, act) {
      const order = await store.findByToken(token);
      if (order === undefined || order.partOf !== null || order.provider !== 'test') return unknownOrder();
      if (!takesPlayMoney(settings.test, order.isLive)) {
        return refuse('payment_act_not_allowed', 'Play money is not taken here any more.');
      }
      return (await learn(order.id, (before) => learnedBy(before, act), { actor: 'test' })) ?? unknownOrder();
    },
  };
}

function unknownOrder(): Refused<'order_not_found'> {
  return refuse('order_not_found', 'There is no such order.');
}
