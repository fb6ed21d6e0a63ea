import type { Abort } from '../abort.ts';
import type { By } from '../events/event.ts';
import { termsCauseOf } from '../licensing/periods.ts';
import type { Instant } from '../ports/clock.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { Unavailable } from '../unavailable.ts';
import { agreedOffer } from './new-order.ts';
import type { Order } from './order.ts';
import { countChange, countLook } from './order-limits.ts';
import type { Quote } from './quote.ts';
import { noProvider, serves } from './served.ts';
import { createLearn, type OrderPorts, type SettleOrder } from './settle.ts';
import { causeOf } from './settled.ts';
import { agreedNow, inFull, isAskedHere, ownStatus, recursIn, type Subscription } from './subscription.ts';

type Ended = Refused<'subscription_ended'>;
type Unchanged = Refused<'subscription_ended' | 'too_many_attempts'>;
type Provider = NonNullable<OrderPorts['settings']['provider']>;

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
  resume(order: Order, by: By): Promise<Order | Unchanged>;
  /** From the next payment on, the subscription is for what was quoted. `Quote.at` says when that is. */
  change(order: Order, quote: Quote, by: By): Promise<Order | Unchanged>;
  /** Returns the page of the provider for cards and invoices. `undefined` if there is none, or somebody asks too often. */
  manage(order: Order, returnTo: string): Promise<string | undefined>;
}

interface SubscribingPorts extends OrderPorts {
  readonly settle: SettleOrder;
}

export function createSubscribing(ports: SubscribingPorts): Subscribing {
  const { store, settings, settle, within, clock } = ports;
  const learn = createLearn(ports);

  type Ask = (id: string, provider: Provider, until: Abort) => Promise<unknown>;

  /** Asks the provider, if it collects the payments. */
  async function asking(order: Order, ask: Ask, until: Abort): Promise<undefined | Ended> {
    if (isAskedHere(order)) return undefined;
    const { provider } = settings;
    const id = order.subscription?.id ?? null;
    // The provider may still be beginning it.
    if (id === null || !serves(provider, order)) throw new Unavailable(noProvider(order));
    return isRefused(await ask(id, provider, until)) ? ended() : undefined;
  }

  async function remember(order: Order, facts: Partial<Subscription>, by: By): Promise<undefined | Ended> {
    const stored = await learn<'subscription_ended'>(
      order.id,
      (before) => (hasEnded(before, clock.now()) ? ended() : { subscription: facts }),
      by,
    );
    return stored !== undefined && isRefused(stored) ? ended() : undefined;
  }

  /** Does all of these in this order, until one is refused. */
  async function act(
    order: Order,
    ...steps: readonly ((until: Abort) => Promise<undefined | Ended>)[]
  ): Promise<Order | Ended> {
    if (hasEnded(order, clock.now())) return ended();
    return await within(async (until) => {
      for (const step of steps) {
        const refused = await step(until);
        if (refused) return refused;
      }
      return (await settle(order.id, until)) ?? order;
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

    async cancel(order, by) {
      // A first cancel is never limited. One that is repeated asks the provider, so it counts as a look.
      const isRepeated = order.subscription?.isCancelled === true;
      const isTooOften = isRepeated && (await countLook(ports, order.id)) !== undefined;
      if (isTooOften) return order;
      // Else the provider would go on trying to collect for a time that is not paid.
      const when = order.subscription?.status === 'active' ? 'paid_end' : 'now';
      const ask: Ask = (id, { subscriptions }, until) => subscriptions.cancel(id, when, until);
      return await act(
        order,
        (until) => asking(order, ask, until),
        () => remember(order, { isCancelled: true }, by),
      );
    },

    async resume(order, by) {
      const tooMany = await countChange(ports, order.id);
      if (tooMany) return tooMany;
      return await act(
        order,
        (until) => asking(order, (id, { subscriptions }) => subscriptions.resume(id, until), until),
        () => remember(order, { isCancelled: false }, by),
      );
    },

    async change(order, { product, offer, currency, at }, by) {
      // All payments of a subscription are in one currency.
      const isOther = currency !== agreedNow(order).currency;
      if (offer?.recurs == null || at === undefined || isOther) return ended();
      const tooMany = await countChange(ports, order.id);
      if (tooMany) return tooMany;
      // A payment that was collected meanwhile is for what was chosen before.
      const now = agreedNow((await settle(order.id)) ?? order);
      const { price, terms } = product;
      const isBack = now.offer?.slug === offer.slug;
      // The discount of a coupon ends with the first change, also if its buyer goes back.
      const back = now.discount === undefined ? null : inFull(now);
      const { discount: _, ...other } = now;
      const next = isBack ? back : inFull({ ...other, price, terms, offer: agreedOffer(offer) });
      const wanted = next ?? now;
      const months = recursIn(wanted)?.months ?? offer.recurs.months;
      const { title } = now;
      const asked = { price: wanted.price, currency, months, title };
      return await act(
        order,
        // Stored before the provider is asked: a payment for the new price must not get the terms of the old one.
        () => remember(order, { next }, by),
        (until) => asking(order, (id, { subscriptions }) => subscriptions.reprice(id, asked, until), until),
      );
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

/** Also if nobody has looked at it since. */
function hasEnded(order: Order, now: Instant): boolean {
  const { subscription } = order;
  if (subscription === null || subscription.status === 'ended') return true;
  return isAskedHere(order) && ownStatus(subscription, recursIn(agreedNow(order))?.graceDays ?? 0, now) === 'ended';
}

function ended(): Ended {
  return refuse('subscription_ended', 'The subscription has ended. Subscribe again on the page of the order.');
}
