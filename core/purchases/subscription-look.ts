import type { Abort } from '../abort.ts';
import { event } from '../events/event.ts';
import type { OrderId } from '../id.ts';
import { monthsAfter } from '../licensing/ends.ts';
import { paidToOf } from '../licensing/periods.ts';
import type { News } from '../ports/change.ts';
import type { Instant } from '../ports/clock.ts';
import type { HeldLicense, NewOrder } from '../ports/order-store.ts';
import type { SubscriptionPayment, SubscriptionStatus } from '../ports/subscriptions.ts';
import { isRefused } from '../refusal.ts';
import { day } from '../time.ts';
import { firstLookAt } from './lapse.ts';
import { type Agreed, aboutOrder, isPaidHere, licenseOf, type Order, orderTable } from './order.ts';
import { lettersToBuyer, newsToRecorders } from './order-news.ts';
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
  changed,
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
    const { subscription } = order;
    const key = licenseOf(order);
    if (subscription === null || key === null) return undefined;
    const [held, cycles] = await Promise.all([store.heldOf(key), store.cyclesOf(order.id)]);
    const counted = { ...order, subscription: { ...subscription, ...discountedIn(order, cycles) } };
    return held && { order: counted, subscription, held, cycles, paidTo: paidToOf(held.periods, causeOf(order)) };
  }

  /** Adds the order of a payment. Returns `undefined` if another process has added it. */
  async function add(made: NewOrder, newsOf?: (added: Order) => News): Promise<Order | undefined> {
    const { provider, agreed, renews, createdAt: now, cycleOf } = made;
    const facts = { provider, price: agreed.price, offer: agreed.offer?.slug ?? null, renews, subscription: cycleOf };
    const told = event('order.added', agreed.slug, { actor: provider }, now, facts);
    const added = await store.add(made, told, firstLookAt(made), { newsOf });
    return isRefused(added) ? undefined : added;
  }

  function cycleOf(order: Order, agreed: Agreed, paymentId: string): NewOrder {
    const { id, provider, isLive, productId, sellerId, buyer, billing } = order;
    const now = clock.now();
    return {
      token: newOrderToken(secrets),
      ...{ provider, isLive, productId, sellerId, buyer, billing, agreed, paymentId },
      ...{ intentId: null, state: 'open', isAccepted: false, licenseKey: null, subscription: null, paidAt: null },
      payment: unpaid(agreed.price, agreed.currency),
      renews: licenseOf(order),
      cycleOf: id,
      partOf: null,
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
    if (isOver({ held, paidTo }) && known.status !== 'ended') {
      await subscriptions.cancel(id, 'now', until);
      known = await subscriptions.read(id, until);
    }
    let had = cycles;
    for (const payment of known.payments) {
      if (had.some(({ paymentId }) => paymentId === payment.paymentId)) continue;
      const before = { ...order, subscription: { ...subscription, ...discountedIn(order, had) } };
      const added = await add(cycleOf(order, agreedOf(before, payment), payment.paymentId));
      if (added) await settle(added.id, until);
      // Others can have added it at the same moment, and settle it. Perhaps they have added more.
      had = await store.cyclesOf(order.id);
    }
    const { payments: _, ...facts } = known;
    return facts;
  }

  /** Asks for the next payment when it is time. Withdraws what nobody is to pay any more. */
  async function ask(seen: Seen): Promise<void> {
    const { order, subscription, held, cycles } = seen;
    const next = agreedNext(order);
    const isNoMore = isOver(seen) || subscription.isCancelled;
    const isUnwanted = ({ agreed }: Order) =>
      isNoMore || agreed.offer?.slug !== next.offer?.slug || agreed.price !== next.price;
    for (const one of cycles.filter(({ state }) => state === 'open').filter(isUnwanted)) await withdraw(one);
    const { paidTo } = seen;
    if (isNoMore || paidTo === undefined) return;
    const askedFrom = paidTo - askedAhead;
    const isWanted = statusNow(seen, clock.now()) !== 'ended' && held.license.standing === 'active';
    if (!isWanted || clock.now() < askedFrom) return;
    // One that was declined can be tried again.
    const isWaiting = ({ state, createdAt }: Order) =>
      orderTable[state].stage === 'waiting' || (state === 'failed' && createdAt >= askedFrom);
    if (cycles.some((one) => isWaiting(one) && !isUnwanted(one))) return;
    // Whoever has the link of the order can end what is asked for, again and again.
    if (cycles.filter(({ createdAt }) => createdAt >= askedFrom).length >= mostAsked) return;
    const made = cycleOf(order, next, `${order.id}-${numberOfNext(cycles)}`);
    await add(made, isPaidHere(made) ? undefined : await askingNews(made, paidTo));
  }

  /** Cancels the payment of an open order. If the buyer pays it all the same, the payment counts. */
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
    return (added) => {
      const to = { write: ports.write, now: added.createdAt };
      const letter = {
        kind: 'order-payment-due',
        ...aboutOrder(added),
        paidTo,
        instructions: added.provider === 'manual' ? (settings.manual?.instructions ?? '') : '',
        reference: referenceOf(added),
      } as const;
      return { ...newsToRecorders(people, added, false, to), letters: lettersToBuyer(added, letter, to) };
    };
  }

  return async (order, until) => {
    const before = await see(order);
    if (before === undefined) return undefined;
    const isHere = isAskedHere(order);
    const facts = isHere ? await ask(before) : await collected(before, until);
    const after = (await see(order)) ?? before;
    const { paidTo } = after;
    return {
      ...facts,
      ...(isHere && { status: statusNow(after, clock.now()) }),
      ...(paidTo !== undefined && { paidTo }),
      ...discountedIn(order, after.cycles),
      ...changedTerms(after),
    };
  };
}

/** How often the same payment is asked for, if what was asked for is cancelled each time. */
const mostAsked = 10;

/** Nobody pays any more for a license that is revoked, or whose terms another payment has replaced. */
function isOver({ held, paidTo }: Pick<Seen, 'held' | 'paidTo'>): boolean {
  return paidTo === undefined || held.license.standing === 'revoked';
}

function statusNow({ order, subscription, held, paidTo }: Seen, now: Instant): SubscriptionStatus {
  const recurs = recursIn(agreedNow(order));
  if (paidTo === undefined || recurs === undefined || isOver({ held, paidTo })) return 'ended';
  return ownStatus({ ...subscription, paidTo }, recurs.graceDays, now);
}

/** Some may have been deleted because nobody paid them. */
function numberOfNext(cycles: readonly Order[]): number {
  return 1 + Math.max(0, ...cycles.map(({ paymentId }) => Number(paymentId?.split('-').at(-1))));
}

/** What a payment that a provider has collected was for: the terms that its price belongs to. */
function agreedOf(order: Order, { from, to, price, currency }: SubscriptionPayment): Agreed {
  const [now, next] = [agreedNow(order), agreedNext(order)];
  // Of two for the same price, the time that was paid is that of one.
  const isOfNow = price === now.price && (next.price !== now.price || isSpanOf(now, { from, to }));
  const agreed = atPrice(isOfNow ? now : next, price);
  return { ...agreed, currency, offer: agreed.offer && { ...agreed.offer, span: { from, to } } };
}

/** The provider counts the payments that have a discount itself. What it has collected is what was paid. */
function atPrice(agreed: Agreed, price: number): Agreed {
  const full = inFull(agreed);
  const amount = full.price - price;
  const { discount } = agreed;
  return { ...full, price, ...(discount && amount > 0 && { discount: { ...discount, amount } }) };
}

/** Counts the payments after the first one that had the discount of the order. */
function discountedIn({ agreed }: Order, cycles: readonly Order[]): Pick<Subscription, 'discounted'> {
  if (agreed.discount === undefined) return {};
  const discounted = cycles.filter((one) => one.paidAt !== null && one.agreed.discount !== undefined).length;
  return discounted === 0 ? {} : { discounted };
}

function isSpanOf(agreed: Agreed, { from, to }: Pick<SubscriptionPayment, 'from' | 'to'>): boolean {
  const months = recursIn(agreed)?.months;
  return months !== undefined && Math.abs(monthsAfter(months, from) - to) < 5 * day;
}

/** The terms that the newest payment was for are those of the subscription from then on. */
function changedTerms({ cycles, subscription: { now, next } }: Seen): Partial<Subscription> {
  const last = cycles.findLast(({ agreed, paidAt }) => paidAt !== null && agreed.offer?.isChange)?.agreed;
  if (last?.offer == null || last.offer.slug === now?.offer?.slug) return {};
  if (next?.offer?.slug === last.offer.slug) return { now: changed(next), next: null };
  const { span: _, ...offer } = last.offer;
  return { now: changed({ ...last, offer }) };
}
