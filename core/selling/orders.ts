import { type Actor, byOf, may } from '../accounts/role.ts';
import { type EventType, event } from '../events/event.ts';
import type { OrderId } from '../id.ts';
import { lostAfter } from '../purchases/lapse.ts';
import { isOutside, type Order } from '../purchases/order.ts';
import { type OrderAct, orderActs, orderAllows } from '../purchases/order-acts.ts';
import { isRefunding, refundsOfParts } from '../purchases/parts.ts';
import { refundable } from '../purchases/payment.ts';
import { learnedBy, type RecordedAct, tooMuch } from '../purchases/recorded.ts';
import { noProvider, serves } from '../purchases/served.ts';
import { createLearn, type OrderPorts, type SettleOrder } from '../purchases/settle.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { Repeatable, Unavailable } from '../unavailable.ts';
import { type OrderList, unknownOrder } from './order-list.ts';
import { type MayRecord, notRecorder } from './recording.ts';
import type { Seller } from './seller.ts';

type Unknown = 'order_not_found';
type NotRecorded = 'payment_act_not_allowed' | 'order_changed' | 'refund_not_possible' | 'not_recorder';

/**
 * What sellers can do with the orders of their products, and administrators with all. Each needs `orders:manage`, and
 * works only with orders of the seller's mode. Orders of others are unknown. An id is in digits. `not_recorder`: the order is
 * paid by hand, and somebody else records that.
 */
export interface Orders {
  /**
   * Refunds an amount in the smallest unit of the currency, or all that is left. The same refund asked for twice at once
   * is made once. Throws `Unavailable` if the provider cannot be asked: then it may have been made, and a repeat with the
   * same request is safe, whatever became known of the payment meanwhile.
   */
  refund(id: string, amount: number | undefined, seller: Seller): Promise<Order | Refused<Unknown | NotRecorded>>;
  /**
   * Refunds what is left of the shares of some parts of a bundle. Their licenses are revoked if their terms say so; the others go
   * on. `parts` are the ids of the parts. Two requests for the same part at once refund it once. Otherwise as `refund`: after
   * `Unavailable`, a repeat makes only what was not made.
   */
  refundParts(
    id: string,
    parts: readonly OrderId[],
    seller: Seller,
  ): Promise<Order | Refused<Unknown | NotRecorded | 'part_not_found'>>;
  /** Records that the money of a manual order came in. */
  pay(id: string, seller: Seller): Promise<Order | Refused<Unknown | NotRecorded>>;
  /** Records that the money of a manual order will not come. */
  cancel(id: string, seller: Seller): Promise<Order | Refused<Unknown | NotRecorded>>;
  /** Takes what was paid for a held order instead of the agreed price. Needs `purchases:manage`. */
  accept(id: string, seller: Seller): Promise<Order | Refused<Unknown | 'forbidden' | 'not_held' | 'order_changed'>>;
  /** Asks the provider for the state of the payment. Throws `Unavailable` if it cannot be reached. */
  look(id: string, seller: Seller): Promise<Order | Refused<Unknown>>;
  /** What the seller can do with the order now. The acts check it again. */
  possible(order: Order, seller: Seller): Promise<PossibleActs>;
}

interface PossibleActs {
  /** In the order of `orderActs`. */
  readonly acts: readonly OrderAct[];
  /** Whether something is possible that only others may record. */
  readonly isLeftToOthers: boolean;
}

interface SellerOrderPorts extends OrderPorts {
  readonly list: Pick<OrderList, 'find'>;
  readonly settle: SettleOrder;
  readonly mayRecord: MayRecord;
}

export function createOrders(ports: SellerOrderPorts): Orders {
  const { store, settings, settle, within, clock, mayRecord } = ports;
  const { find } = ports.list;
  const learn = createLearn(ports);

  /**
   * Notes in the audit trail who asked for something, before the provider is asked. Its answer can get lost, so the payment
   * is looked at soon.
   */
  async function note(id: OrderId, type: EventType, seller: Seller, data: { amount: number }): Promise<void> {
    const now = clock.now();
    await store.change(id, (after) => ({
      after,
      events: [event(type, String(id), byOf(seller.actor), now, data)],
      lookAt: now + lostAfter,
    }));
  }

  /** Returns the order if this request has refunded something already, and its answer was lost. */
  async function madeBefore(order: Order, request: string | undefined): Promise<Order | undefined> {
    const { provider } = settings;
    if (request === undefined || !serves(provider, order)) return undefined;
    return await within(async (until) => {
      const isMade = await provider.hasRefunded(order, request, until).catch(asRepeatable);
      return isMade ? await settle(order.id, until) : undefined;
    });
  }

  /** Returns the order if the seller may record what happens with its payment. */
  async function recordable(text: string, seller: Seller): Promise<Order | Refused<Unknown | 'not_recorder'>> {
    const order = await find(text, seller);
    return isRefused(order) || (await mayRecord(order, seller.actor)) ? order : notRecorder();
  }

  /** `revision`: that of the order, if it may not have changed since. */
  async function record(id: OrderId, act: RecordedAct, seller: Seller, revision?: number) {
    const after = await learn(id, (order) => learnedBy(order, act), byOf(seller.actor), revision);
    return after ?? unknownOrder(String(id));
  }

  const recording = (kind: 'pay' | 'cancel') => async (text: string, seller: Seller) => {
    const order = await recordable(text, seller);
    if (isRefused(order)) return order;
    if (order.provider === 'test')
      return refuse('payment_act_not_allowed', 'The buyer pays this order on the test page.');
    return await record(order.id, { kind }, seller);
  };

  const mayAccept = (actor: Actor) => may(actor, 'purchases:manage');

  return {
    async refund(text, wanted, seller) {
      const order = await recordable(text, seller);
      if (isRefused(order)) return order;
      const left = refundable(order.payment);
      const amount = wanted ?? left;
      const request = byOf(seller.actor).request?.key;
      if (amount <= 0 || amount > left) return (await madeBefore(order, request)) ?? tooMuch(order.payment);
      if (!isOutside(order.provider)) {
        // Of two at once, the other one finds a changed order.
        return await record(order.id, { kind: 'refund', amount }, seller, order.revision);
      }
      const { provider } = settings;
      if (!serves(provider, order)) throw new Unavailable(noProvider(order));
      await note(order.id, 'order.refund_asked', seller, { amount });
      const { refunded, refundsPending } = order.payment;
      const key = `refund-${order.id}-${refunded + refundsPending}-${amount}`;
      return await within(async (until) => {
        const refused = await provider.refund(order, amount, { key, request }, until).catch(asRepeatable);
        const after = await settle(order.id, until);
        return refused ?? after ?? unknownOrder(text);
      });
    },

    async refundParts(text, ids, seller) {
      const order = await recordable(text, seller);
      if (isRefused(order)) return order;
      const all = await store.partsOf([order.id]);
      const chosen = all.filter(({ id }) => ids.includes(id));
      const unknown = ids.find((id) => !all.some((part) => part.id === id));
      if (unknown !== undefined) return refuse('part_not_found', `The order has no part with the id ${unknown}.`);
      if (chosen.length === 0) return refuse('part_not_found', 'Choose at least one part.');
      const request = byOf(seller.actor).request?.key;
      if (!isOutside(order.provider)) {
        const refunds = refundsOfParts(order, chosen);
        if (isRefused(refunds)) return refunds;
        return await record(order.id, { kind: 'refund parts', refunds }, seller, order.revision);
      }
      const { provider } = settings;
      if (!serves(provider, order)) throw new Unavailable(noProvider(order));
      return await within(async (until) => {
        // Each share has a refund of its own. So any two requests that name the same part make the same refund.
        const isOpen = ({ productId }: Order) => !isRefunding(order.payment, productId);
        const isRepeated = request !== undefined && !chosen.every(isOpen);
        const wasMade = isRepeated && (await provider.hasRefunded(order, request, until).catch(asRepeatable));
        const refunds = refundsOfParts(order, wasMade ? chosen.filter(isOpen) : chosen);
        if (isRefused(refunds)) return refunds;
        const amount = refunds.reduce((sum, one) => sum + one.amount, 0);
        if (amount > 0) await note(order.id, 'order.refund_asked', seller, { amount });
        let refused: Refused<'refund_not_possible'> | undefined;
        for (const { productId: product, amount } of refunds) {
          const key = `refund-${order.id}-product-${product}`;
          refused ??= await provider.refund(order, amount, { key, request, product }, until).catch(asRepeatable);
        }
        const after = await settle(order.id, until);
        return refused ?? after ?? unknownOrder(text);
      });
    },

    pay: recording('pay'),
    cancel: recording('cancel'),

    async accept(text, seller) {
      const order = await find(text, seller);
      if (isRefused(order)) return order;
      if (!mayAccept(seller.actor)) return refuse('forbidden', 'Only an administrator can accept a held order.');
      const after = await learn(
        order.id,
        (one) => (orderAllows.accept(one) ? { isAccepted: true } : refuse('not_held', 'The order is not held.')),
        byOf(seller.actor),
      );
      return after ?? unknownOrder(text);
    },

    async look(text, seller) {
      const order = await find(text, seller);
      if (isRefused(order)) return order;
      return (await settle(order.id)) ?? unknownOrder(text);
    },

    async possible(order, { actor }) {
      const records = await mayRecord(order, actor);
      const isAllowed = (act: OrderAct) => (act === 'accept' ? mayAccept(actor) : records);
      const acts = orderActs.filter((act) => orderAllows[act](order));
      return { acts: acts.filter(isAllowed), isLeftToOthers: !records && acts.some((act) => act !== 'accept') };
    },
  };
}

/** The provider makes a refund with the same key once. */
function asRepeatable(error: unknown): never {
  throw error instanceof Unavailable ? new Repeatable(error.message, { cause: error }) : error;
}
