import type { Abort } from '../abort.ts';
import type { By } from '../events/event.ts';
import { termsCauseOf } from '../licensing/periods.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { Unavailable } from '../unavailable.ts';
import { agreedOffer } from './new-order.ts';
import type { Order } from './order.ts';
import { countLook } from './order-limits.ts';
import type { Quote } from './renewing.ts';
import { noProvider, serves } from './served.ts';
import { createLearn, type OrderPorts, type SettleOrder } from './settle.ts';
import { causeOf } from './settled.ts';
import { agreedNow, inFull, isAskedHere, type Subscription } from './subscription.ts';

type Ended = Refused<'subscription_ended'>;

/**
 * What buyers do with their subscriptions, and sellers for them. `order` is the one whose subscription it is. All throw
 * `Unavailable` if the provider cannot be asked: then a repeat is safe.
 */
export interface Subscribing {
  /**
   * Returns the subscription of the license of an order, by the order that began it, and the order of a payment that its buyer
   * is to make here. `undefined` if the license has none, or what it has now was paid in another way.
   */
  of(order: Order): Promise<{ readonly order: Order; readonly due: Order | undefined } | undefined>;
  /** Nothing more is paid. The license works until the end of the paid time. Does nothing if it is cancelled. */
  cancel(order: Order, by: By): Promise<Order | Ended>;
  /** Takes a cancellation back. */
  resume(order: Order, by: By): Promise<Order | Ended>;
  /** From the next payment on, the subscription is for what was quoted. `Quote.at` says when that is. */
  change(order: Order, quote: Quote, by: By): Promise<Order | Ended>;
  /** Returns the page of the provider for cards and invoices. `undefined` if there is none, or somebody asks too often. */
  manage(order: Order, returnTo: string): Promise<string | undefined>;
}

interface SubscribingPorts extends OrderPorts {
  readonly settle: SettleOrder;
  readonly limiter: RateLimiter;
}

export function createSubscribing(ports: SubscribingPorts): Subscribing {
  const { store, settings, settle, within } = ports;
  const learn = createLearn(ports);

  /** Asks the provider, and then stores what it has done under the name of the one who wanted it. */
  async function act(
    order: Order,
    by: By,
    facts: Partial<Subscription>,
    ask: (id: string, provider: NonNullable<typeof settings.provider>, until: Abort) => Promise<unknown>,
  ): Promise<Order | Ended> {
    if (order.subscription === null || order.subscription.status === 'ended') return ended();
    const { id } = order.subscription;
    return await within(async (until) => {
      if (!isAskedHere(order) && id !== null) {
        const { provider } = settings;
        if (!serves(provider, order)) throw new Unavailable(noProvider(order));
        const refused = await ask(id, provider, until);
        if (isRefused(refused)) return ended();
      }
      const changed = await learn(order.id, () => ({ subscription: facts }), by);
      return (await settle(order.id, until)) ?? (changed === undefined || isRefused(changed) ? order : changed);
    });
  }

  return {
    async of({ licenseKey: key }) {
      const order = key === null ? undefined : await store.findSubscription(key);
      if (key === null || order === undefined) return undefined;
      const [held, cycles] = await Promise.all([store.heldOf(key), isAskedHere(order) ? store.cyclesOf(order.id) : []]);
      if (held === undefined || termsCauseOf(held.periods) !== causeOf(order)) return undefined;
      return { order, due: cycles.findLast(({ state }) => state === 'open') };
    },

    cancel: (order, by) =>
      act(order, by, { isCancelled: true }, (id, { subscriptions }, until) =>
        subscriptions.cancel(id, 'paid_end', until),
      ),

    resume: (order, by) =>
      act(order, by, { isCancelled: false }, (id, { subscriptions }, until) => subscriptions.resume(id, until)),

    async change(order, { product, offer }, by) {
      const recurs = offer?.recurs;
      if (offer == null || recurs == null) return ended();
      const { price, terms } = product;
      const before = agreedNow(order);
      const isBack = before.offer?.slug === offer.slug;
      const next = isBack ? null : inFull({ ...before, price, terms, offer: agreedOffer(offer) });
      const { currency, title } = before;
      const asked = { price, currency, months: recurs.months, title };
      return await act(order, by, { next }, (id, { subscriptions }, until) => subscriptions.reprice(id, asked, until));
    },

    async manage(order, returnTo) {
      const { provider } = settings;
      const id = order.subscription?.id ?? null;
      if (id === null || isAskedHere(order) || !serves(provider, order)) return undefined;
      if (await countLook(ports, order.id)) return undefined;
      return await within((until) => provider.subscriptions.manage(id, returnTo, until));
    },
  };
}

function ended(): Ended {
  return refuse('subscription_ended', 'The subscription has ended. Subscribe again on the page of the order.');
}
