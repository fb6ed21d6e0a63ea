import type { Abort } from '../abort.ts';
import { event } from '../events/event.ts';
import type { OrderId } from '../id.ts';
import { paidToOf } from '../licensing/periods.ts';
import { lettersTo } from '../mail/letters-to.ts';
import { newsTo } from '../mail/news-to.ts';
import type { News } from '../ports/change.ts';
import type { HeldLicense, NewOrder } from '../ports/order-store.ts';
import type { SubscriptionPayment } from '../ports/subscriptions.ts';
import { isRefused } from '../refusal.ts';
import { firstLookAt } from './lapse.ts';
import { type Agreed, type Order, orderTable } from './order.ts';
import { aboutOrder } from './order-news.ts';
import { newOrderToken } from './order-token.ts';
import { unpaid } from './payment.ts';
import { referenceOf } from './reference.ts';
import { serves } from './served.ts';
import type { Learn, LookAtSubscription, OrderPorts } from './settle.ts';
import { causeOf } from './settled.ts';
import {
  agreedNext,
  agreedNow,
  askedAhead,
  inFull,
  isAskedHere,
  ownStatus,
  recursIn,
  type Subscription,
} from './subscription.ts';

interface LookPorts extends OrderPorts {
  readonly learn: Learn;
  readonly settle: (id: OrderId, until: Abort) => Promise<Order | undefined>;
}

/** The subscription of an order, with the license that it pays for and the orders of its payments. */
interface Seen {
  readonly order: Order;
  readonly subscription: Subscription;
  readonly held: HeldLicense;
  readonly cycles: readonly Order[];
  /** When the paid time ends. `undefined`: another payment has given other terms to the license. */
  readonly paidTo: number | undefined;
}

/**
 * Looks at subscriptions. Each payment of one becomes an order. A provider outside collects them; for all others, this service
 * makes the order before the paid time ends, and asks the buyer to pay it. Nobody pays any more for a license that is revoked,
 * or whose terms another payment has replaced.
 */
export function createSubscriptionLook(ports: LookPorts): LookAtSubscription {
  const { store, settings, clock, secrets, learn, settle } = ports;

  async function see(order: Order): Promise<Seen | undefined> {
    const { subscription, licenseKey, renews } = order;
    const key = licenseKey ?? renews;
    if (subscription === null || key === null) return undefined;
    const [held, cycles] = await Promise.all([store.heldOf(key), store.cyclesOf(order.id)]);
    return held && { order, subscription, held, cycles, paidTo: paidToOf(held.periods, causeOf(order)) };
  }

  /** Adds the order of a payment. Returns `undefined` if another process has added it. */
  async function add(made: NewOrder, newsOf?: (added: Order) => News): Promise<Order | undefined> {
    const { provider, agreed, renews, createdAt: now, cycleOf } = made;
    const facts = { provider, price: agreed.price, offer: agreed.offer?.slug ?? null, renews, subscription: cycleOf };
    const told = event('order.added', agreed.slug, { actor: provider }, now, facts);
    const added = await store.add(made, told, firstLookAt(made), { newsOf });
    return isRefused(added) ? undefined : added;
  }

  function cycleOf({ id, licenseKey, renews, ...order }: Order, agreed: Agreed, paymentId: string): NewOrder {
    const { provider, isLive, productId, sellerId, buyer } = order;
    const now = clock.now();
    return {
      token: newOrderToken(secrets),
      ...{ provider, isLive, productId, sellerId, buyer, agreed, paymentId },
      ...{ intentId: null, state: 'open', isAccepted: false, licenseKey: null, subscription: null, paidAt: null },
      payment: unpaid(agreed.price, agreed.currency),
      renews: licenseKey ?? renews,
      cycleOf: id,
      createdAt: now,
      updatedAt: now,
    };
  }

  async function collected({ order, subscription, held, cycles, paidTo }: Seen, until: Abort) {
    const { provider } = settings;
    const { id } = subscription;
    if (id === null || !serves(provider, order)) return {};
    const { subscriptions } = provider;
    let known = await subscriptions.read(id, until);
    const isOver = paidTo === undefined || held.license.standing === 'revoked';
    if (isOver && known.status !== 'ended') {
      await subscriptions.cancel(id, 'now', until);
      known = await subscriptions.read(id, until);
    }
    const had = new Set(cycles.map(({ paymentId }) => paymentId));
    for (const payment of known.payments.filter(({ paymentId }) => !had.has(paymentId))) {
      // Others may have added it at the same moment. Then they settle it.
      const added = await add(cycleOf(order, agreedOf(order, payment), payment.paymentId));
      if (added) await settle(added.id, until);
    }
    const { payments: _, ...facts } = known;
    return facts;
  }

  /** Asks for the next payment when it is time. */
  async function asked({ order, subscription, held, cycles, paidTo }: Seen): Promise<Partial<Subscription>> {
    const now = clock.now();
    const recurs = recursIn(agreedNow(order));
    const isOver = paidTo === undefined || held.license.standing === 'revoked' || recurs === undefined;
    const status = isOver ? 'ended' : ownStatus({ ...subscription, paidTo }, recurs.graceDays, now);
    const waiting = cycles.filter(({ state }) => orderTable[state].stage === 'waiting');
    const next = agreedNext(order);
    const isUnwanted = ({ agreed }: Order) =>
      isOver || subscription.isCancelled || agreed.offer?.slug !== next.offer?.slug;
    for (const one of waiting.filter(isUnwanted)) await withdraw(one);
    const isWanted = !isOver && !subscription.isCancelled && status !== 'ended' && held.license.standing === 'active';
    if (isWanted && now >= paidTo - askedAhead && waiting.every(isUnwanted)) {
      const made = cycleOf(order, next, `${order.id}-${cycles.length + 1}`);
      await add(made, await askingNews(made, paidTo));
    }
    return { status };
  }

  /** Nobody is to pay this order any more. If somebody does all the same, it is held for nobody: its payment counts. */
  async function withdraw({ id }: Order): Promise<void> {
    await learn(
      id,
      ({ state, payment }) => (state === 'open' ? { payment: { ...payment, status: 'cancelled' } } : {}),
      { actor: 'service' },
    );
  }

  /** Asks the buyer to pay, and tells those who will record the payment. */
  async function askingNews(made: NewOrder, paidTo: number): Promise<(added: Order) => News> {
    const people = made.provider === 'manual' ? await ports.recorders(made) : [];
    const { write } = ports;
    return (added) => {
      const { id: order, agreed, payment, isLive, buyer, createdAt: now } = added;
      const facts = { order, title: agreed.title, amount: payment.total, currency: payment.currency, isLive };
      const letter = {
        kind: 'order-payment-due',
        ...aboutOrder(added),
        paidTo,
        instructions: added.provider === 'manual' ? (settings.manual?.instructions ?? '') : '',
        reference: referenceOf(added),
      } as const;
      const told = newsTo(people, { kind: 'order_waits', ...facts }, undefined, { write, now });
      const mailbox = { name: buyer.name ?? '', address: buyer.email };
      return { ...told, letters: [...(told.letters ?? []), ...lettersTo(write, mailbox, letter, now)] };
    };
  }

  return async (order, until) => {
    const before = await see(order);
    if (before === undefined) return undefined;
    const facts = isAskedHere(order) ? await asked(before) : await collected(before, until);
    const { cycles, paidTo } = (await see(order)) ?? before;
    return { ...facts, ...(paidTo !== undefined && { paidTo }), ...changedTerms(before.subscription, cycles) };
  };
}

/** What a payment that a provider has collected was for: the terms that its price belongs to. */
function agreedOf(order: Order, { from, to, price, currency }: SubscriptionPayment): Agreed {
  const next = agreedNext(order);
  const isNext = order.subscription?.next != null && next.price === price;
  const agreed = isNext ? next : agreedNow(order);
  return { ...agreed, price, currency, offer: agreed.offer && { ...agreed.offer, span: { from, to } } };
}

/** The terms that the last payment changed are those of the subscription from then on. */
function changedTerms({ next }: Subscription, cycles: readonly Order[]): Partial<Subscription> {
  const last = cycles.findLast(({ agreed, paidAt }) => paidAt !== null && agreed.offer?.isChange);
  if (last === undefined) return {};
  const { isChange: _, span: _span, ...offer } = last.agreed.offer ?? {};
  const now = inFull({ ...last.agreed, offer: offer as Agreed['offer'] });
  return { now, ...(next?.offer?.slug === now.offer?.slug && { next: null }) };
}
