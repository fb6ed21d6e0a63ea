import type { Abort } from '../abort.ts';
import type { User } from '../accounts/user.ts';
import type { By } from '../events/event.ts';
import type { OrderId, UserId } from '../id.ts';
import { toOrderId } from '../id.ts';
import { mintLicenseKey } from '../licensing/license-key.ts';
import type { Clock } from '../ports/clock.ts';
import type { CouponStore } from '../ports/coupon-store.ts';
import type { WriteLetter } from '../ports/mailer.ts';
import type { OrderStore } from '../ports/order-store.ts';
import type { KnownPayment, PaymentProvider } from '../ports/payments.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';
import type { Secrets } from '../ports/secrets.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { Unavailable } from '../unavailable.ts';
import type { Within } from '../within.ts';
import type { Attempt } from '../work/worker.ts';
import { hasHeldCoupon, hasLapsed, nextLookAt } from './lapse.ts';
import { isBundle, isOutside, isPaidHere, type Order } from './order.ts';
import { type AddressOfBuyer, countLetterTo } from './order-limits.ts';
import { newsOf } from './order-news.ts';
import { noProvider, serves } from './served.ts';
import { type Learned, settled, settledParts, withLearned } from './settled.ts';
import { isMailToStranger } from './state-letters.ts';
import { createSubscriptionLook } from './subscription-look.ts';
import type { PaymentSettings } from './ways-to-pay.ts';

/** The dependencies of the changes of orders. */
export interface OrderPorts {
  readonly store: OrderStore;
  /** Its provider takes the money of its orders. Can change at any time. */
  readonly settings: Pick<PaymentSettings, 'provider' | 'manual'>;
  /** The deadline for what one request needs of the provider. */
  readonly within: Within;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly limiter: RateLimiter;
  readonly write: WriteLetter;
  /** The administrators who are not suspended. */
  administrators(): Promise<readonly UserId[]>;
  /** Who is told that an order waits for a payment by hand: those who may record it. */
  recorders(order: Pick<Order, 'provider' | 'sellerId'>): Promise<readonly User[]>;
  /** Whether the address of an order is the verified one of its account. Anybody can type any other address. */
  isProved(buyer: AddressOfBuyer): Promise<boolean>;
  /** Whether the account of a seller is suspended. Nothing new is sold then. */
  isSuspended(seller: UserId): Promise<boolean>;
}

/**
 * Looks at the payment of an order, and does what follows: issues its license, or withholds it. Safe to call any number
 * of times at once. Returns `undefined` if there is no such order. Throws `Unavailable` if the provider cannot be asked.
 * `until`: the deadline of the caller. Without it, the look gets its own.
 */
export type SettleOrder = (id: OrderId, until?: Abort) => Promise<Order | undefined>;

/** Looks at the subscription of an order. Returns what changed of it. Adds the orders of its payments. */
export type LookAtSubscription = (order: Order, until: Abort) => Promise<Learned['subscription']>;

/** How often a look is repeated because the order was changed meanwhile. */
const mostLooks = 20;

export function createSettleOrder(ports: OrderPorts): SettleOrder {
  const { store, settings, within, clock } = ports;
  const learn = createLearn(ports);
  const lookAtSubscription = createSubscriptionLook({ ...ports, learn, settle: (id, until) => settle(id, until) });

  async function settle(id: OrderId, until: Abort): Promise<Order | undefined> {
    for (let look = 0; look < mostLooks; look++) {
      const order = await store.find(id);
      if (order === undefined) return undefined;
      if (order.partOf !== null) return (await settle(order.partOf, until)) && (await store.find(id));
      const learned = await learnedOf(order, settings.provider, clock, until);
      const subscription = order.subscription && (await lookAtSubscription(order, until));
      const all = subscription ? { ...learned, subscription: { ...learned.subscription, ...subscription } } : learned;
      if (withLearned(order, all) === undefined) {
        if (!(await isStale(order))) return order;
        continue;
      }
      // Others may have asked the provider after this look, and saved their newer answer already. So this answer is saved
      // only if nobody has changed the order since this look read it.
      const after = await learn(id, all, { actor: order.provider }, order.revision);
      // Others may also have got a newer answer, and saved nothing because it was what the order said before this change.
      // So a change is followed by another look.
      if (!isRefused(after) && !isOutside(order.provider)) return after;
    }
    throw new Unavailable('Others keep changing the order.');
  }

  /** Whether an order was changed while this look asked for a payment of its subscription. It may be cancelled now. */
  async function isStale({ id, subscription, provider, revision }: Order): Promise<boolean> {
    if (subscription === null || isOutside(provider)) return false;
    return (await store.find(id))?.revision !== revision;
  }

  return async (id, until) => (until ? await settle(id, until) : await within((own) => settle(id, own)));
}

/** Saves what became known of an order, with all that follows. With `revision`, refuses if the order has another one. */
export type Learn = <R extends string = never>(
  id: OrderId,
  learned: Learned | ((order: Order) => Learned | Refused<R>),
  by: By,
  revision?: number,
) => Promise<Order | undefined | Refused<R | 'order_changed'>>;

export function createLearn(ports: OrderPorts): Learn {
  const { store, clock, secrets, write } = ports;
  return async <R extends string = never>(
    id: OrderId,
    learned: Learned | ((order: Order) => Learned | Refused<R>),
    by: By,
    revision?: number,
  ) => {
    const administrators = await ports.administrators();
    let uncounted: Order['buyer'] | undefined;
    const save = (isQuiet?: boolean) =>
      store.change<R | 'order_changed'>(id, (before, held) => {
        if (revision !== undefined && before.revision !== revision) return refuse('order_changed');
        const now = clock.now();
        const what = typeof learned === 'function' ? learned(before) : learned;
        if (isRefused(what)) return what;
        const newKey = () => mintLicenseKey(secrets);
        const change = settled(before, held, what, { by, now, newKey: newKey() });
        uncounted = isQuiet === undefined && isMailToStranger(before, change.after) ? change.after.buyer : undefined;
        if (uncounted !== undefined) return { after: before, events: [] };
        const lookAt = nextLookAt(change.after, now);
        const to = { write, administrators, now, license: held?.license, isQuiet };
        return {
          ...change,
          ...(isBundle(before) && { parts: settledParts(by, now, newKey) }),
          news: (after, parts) => newsOf(before, { ...change, after }, { ...to, parts }),
          ...(lookAt !== undefined && { lookAt }),
        };
      });
    const saved = await save();
    // Nothing was saved yet: a limit cannot be counted inside of the change.
    return uncounted === undefined ? saved : await save((await countLetterTo(ports, uncounted)) !== undefined);
  };
}

async function learnedOf(
  order: Order,
  provider: PaymentProvider | undefined,
  clock: Clock,
  until: Abort,
): Promise<Learned> {
  if (isPaidHere(order)) return { payment: { ...order.payment, status: 'paid' } };
  const isOver = order.payment.status === 'open' && hasLapsed(order, clock.now());
  const ended: Learned = isOver ? { payment: { ...order.payment, status: 'expired' } } : {};
  if (!isOutside(order.provider)) return ended;
  if (!serves(provider, order)) {
    if (order.paymentId === null) return ended;
    throw new Unavailable(noProvider(order));
  }
  // If the answer to the start of the payment was lost, only the provider knows whether there is a payment.
  const paymentId = order.paymentId ?? (await provider.find(order, until));
  if (paymentId === undefined) return ended;
  return { paymentId, ...learnedFrom(order, await provider.read(paymentId, until)) };
}

function learnedFrom(order: Order, known: KnownPayment): Learned {
  const { intentId, buyer: payer, billing, subscriptionId: id, ...payment } = known;
  const subscription = id === null ? {} : { subscription: { id } };
  const { buyer } = order;
  return {
    ...{ payment, intentId, buyer: { ...buyer, name: buyer.name ?? payer.name } },
    billing: order.billing ?? billing,
    ...subscription,
  };
}

/**
 * The work of looking at a payment after the answer, or later. It comes back as long as something can happen by itself. An order
 * that is still not paid gives the use of its coupon back.
 */
export function lookAtOrder(
  settle: SettleOrder,
  coupons: Pick<CouponStore, 'giveBack'>,
  clock: Clock,
): Attempt<'order'> {
  return async ({ subjectId }) => {
    const order = await settle(toOrderId(subjectId));
    if (order && hasHeldCoupon(order, clock.now())) await coupons.giveBack(order.id);
    const laterAt = order && nextLookAt(order, clock.now());
    return laterAt === undefined ? 'seen' : { laterAt };
  };
}
