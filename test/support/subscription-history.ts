import { createManualClock } from '../../adapters/node/manual-clock.ts';
import { event } from '../../core/events/event.ts';
import type { License } from '../../core/licensing/license.ts';
import type { PaymentProvider } from '../../core/ports/payments.ts';
import type { Order, Provider } from '../../core/purchases/order.ts';
import type { PaymentFacts } from '../../core/purchases/payment.ts';
import { lookAtOrder } from '../../core/purchases/settle.ts';
import { isRefused } from '../../core/refusal.ts';
import { day } from '../../core/time.ts';
import { Unavailable } from '../../core/unavailable.ts';
import { createWorker } from '../../core/work/worker.ts';
import { by } from './by.ts';
import type { StoresInMemory } from './in-memory.ts';
import { must } from './license-acts.ts';
import { createBank } from './orders.ts';
import { createShop, offerOf, offers } from './subscriptions.ts';

/** Midnight of the last day of a month, so that months of all lengths follow. */
const first = Date.UTC(2026, 9, 31);
const trial = offerOf({
  ...{ slug: 'trial', kind: 'trial', price: 0, maxDomains: 2 },
  ...{ recurs: null, duration: { days: 14, from: 'issue' } as const },
});

export const beginnings = ['monthly', 'kept', 'trial'] as const;
export type Beginning = { readonly offer: (typeof beginnings)[number]; readonly way: 'stripe' | 'manual' };

export const facts = {
  'refund a part': ({ refunded, total }: PaymentFacts) =>
    refunded + 10 < total ? { refunded: refunded + 10 } : undefined,
  'refund all': ({ total }: PaymentFacts) => ({ refunded: total }),
  dispute: ({ dispute }: PaymentFacts) => (dispute === null ? { dispute: 'open' as const } : undefined),
  win: ({ dispute }: PaymentFacts) => (dispute === 'open' ? { dispute: 'won' as const } : undefined),
  lose: ({ dispute }: PaymentFacts) => (dispute === 'open' ? { dispute: 'lost' as const } : undefined),
};

export type Step =
  | { readonly kind: 'clock'; readonly days: number }
  | { readonly kind: 'card'; readonly is: 'good' | 'bad' | 'paused' }
  | { readonly kind: 'payment'; readonly which: number; readonly what: keyof typeof facts }
  | { readonly kind: 'act'; readonly what: 'cancel' | 'resume' }
  | { readonly kind: 'choose'; readonly offer: 'small' | 'team' | 'monthly' | 'kept'; readonly isPaid: boolean }
  /** By hand: the payment that is due, one that was withdrawn, or an order that was opened long ago. */
  | { readonly kind: 'pay'; readonly which: number }
  | { readonly kind: 'hand'; readonly end: number | undefined; readonly domains: number | undefined }
  | { readonly kind: 'look'; readonly which: number }
  | { readonly kind: 'outage'; readonly isOn: boolean }
  /** The call with this number fails, before or after it has done its work. */
  | { readonly kind: 'crash'; readonly call: number; readonly isAfter: boolean }
  | { readonly kind: 'check' };

/** What somebody with a calendar notes, in the order in which it becomes known. A hand has no order. */
type Noted =
  | { readonly order: Order; readonly wasCancelled: boolean }
  | { readonly end: number | undefined; readonly domains: number | undefined };

/** A license that is subscribed, at the bank or by hand, with what the slow model needs. */
export class SubscriptionWorld {
  readonly bank = createBank();
  readonly clock = createManualClock(first);
  readonly noted: Noted[] = [];
  private readonly stores: StoresInMemory;
  private readonly way: Provider;
  private readonly shop: ReturnType<typeof createShop>;
  /** Until when the bank has collected. */
  private readonly collected = new Map<string, number>();
  private card: 'good' | 'bad' | 'paused' = 'good';
  private crash: { left: number; readonly isAfter: boolean } | undefined;
  private root: Order | undefined;

  constructor(stores: StoresInMemory, { way }: Beginning) {
    this.stores = stores;
    this.way = way;
    const start: PaymentProvider['start'] = async (order, ...more) => {
      const started = await this.bank.start(order, ...more);
      this.bank.set({ ...order, ...started }, {});
      return started;
    };
    const provider = this.crashing({ ...this.bank, start, subscriptions: this.crashing(this.bank.subscriptions) });
    this.shop = createShop(stores, this.clock, this.bank, { store: this.crashing(stores.orders), provider });
  }

  /** Returns an object whose calls fail as the last crash says. */
  private crashing<T extends object>(of: T): T {
    return new Proxy(of, {
      get: (target, name) => {
        const call: unknown = Reflect.get(target, name);
        if (typeof call !== 'function') return call;
        return async (...args: unknown[]) => {
          const { crash } = this;
          const dies = crash !== undefined && --crash.left === 0;
          if (dies && !crash.isAfter) throw new Unavailable('planned');
          const done = await call.apply(target, args);
          if (dies) throw new Unavailable('planned');
          return done;
        };
      },
    });
  }

  async begin({ offer }: Beginning): Promise<void> {
    const all = { offers: [...Object.values(offers), trial] };
    this.root = await this.shop.order(offer, offer === 'trial' ? 'free' : this.way, all);
    if (offer !== 'trial') await this.paid(this.root);
    else await this.note();
  }

  private async paid(order: Order): Promise<void> {
    if (order.provider === 'stripe') {
      const id = this.bank.subscribe(order);
      this.collected.set(id, nextMonth(this.clock.now(), this.clock.now()));
      await this.attempt(() => this.shop.look(order));
    } else {
      await this.shop.learnt(order, { status: 'paid' });
    }
    await this.note();
  }

  async orders(): Promise<Order[]> {
    const rows = await this.stores.rows('orders');
    return await Promise.all(rows.map(async ({ id }) => must(await this.stores.orders.find(id as never))));
  }

  /** Notes the payments that became known. */
  private async note(): Promise<void> {
    const known = new Set(this.noted.flatMap((one) => ('order' in one ? [one.order.id] : [])));
    const all = await this.orders();
    for (const order of all) {
      if (order.paidAt === null || known.has(order.id)) continue;
      const root = all.find(({ id }) => id === order.cycleOf);
      this.noted.push({ order, wasCancelled: root?.subscription?.isCancelled ?? false });
    }
  }

  async license(): Promise<License> {
    return await this.shop.license(must((await this.orders())[0]));
  }

  factsOf(order: Order, all: readonly Order[]): PaymentFacts {
    if (order.provider === 'stripe') return this.bank.truthOf(order);
    return must(all.find(({ id }) => id === order.id)).payment;
  }

  /** Does something that can fail because of an outage or a crash. */
  private async attempt(what: () => Promise<unknown>): Promise<void> {
    try {
      await what();
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
    } finally {
      this.crash = undefined;
    }
  }

  /** The bank collects what is due, and ends what is cancelled. */
  private runBank(): void {
    for (const [id, end] of this.collected) {
      const { status, isCancelled, price } = this.bank.known(id);
      if (status === 'ended' || this.clock.now() < end) continue;
      if (isCancelled) this.bank.turn(id, { status: 'ended' });
      else if (this.card === 'paused') this.bank.turn(id, { status: 'paused' });
      else if (this.card === 'bad') {
        this.bank.turn(id, { status: this.clock.now() > end + 21 * day ? 'ended' : 'past_due' });
      } else {
        const to = nextMonth(end, this.anchorOf(id));
        this.bank.turn(id, { status: 'active' });
        this.bank.collect(id, { price: price ?? this.priceOf(id), from: end, to });
        this.collected.set(id, to);
        this.runBank();
      }
    }
  }

  private readonly anchors = new Map<string, number>();
  private anchorOf(id: string): number {
    if (!this.anchors.has(id)) this.anchors.set(id, must(this.collected.get(id)));
    return must(this.anchors.get(id));
  }

  private priceOf(id: string): number {
    const order = this.noted.flatMap((one) => ('order' in one && `sub-${one.order.id}` === id ? [one.order] : []))[0];
    const slug = order?.agreed.offer?.slug;
    return slug === 'team' ? 5_000 : slug === 'small' ? 400 : 1_000;
  }

  async step(step: Step): Promise<void> {
    const isDoneElsewhere = ['clock', 'card', 'outage', 'crash', 'hand', 'check'].includes(step.kind);
    if (isDoneElsewhere) await this.act(step);
    else await this.attempt(() => this.act(step));
    await this.note();
  }

  private async act(step: Step): Promise<void> {
    const all = await this.orders();
    const subscribed = all.findLast(({ subscription }) => subscription !== null && subscription.status !== 'ended');
    switch (step.kind) {
      case 'clock':
        this.clock.advance(step.days * day);
        this.runBank();
        return;
      case 'card':
        this.card = step.is;
        this.runBank();
        return;
      case 'outage':
        this.bank.outage = step.isOn ? new Unavailable('Away.') : undefined;
        return;
      case 'crash':
        this.crash = { left: step.call, isAfter: step.isAfter };
        return;
      case 'look':
        await this.attempt(() => this.shop.look(must(all[step.which % all.length])));
        return await this.note();
      case 'payment': {
        const paid = all.filter(({ paidAt, provider }) => paidAt !== null && provider !== 'free');
        const order = paid[step.which % paid.length];
        const change = order && facts[step.what](this.factsOf(order, all));
        if (order === undefined || change === undefined) return;
        if (order.provider === 'stripe') this.bank.set(order, change);
        else await this.shop.learnt(order, change);
        return;
      }
      case 'act':
        if (subscribed) await this.attempt(() => this.shop.subscribing[step.what](subscribed, by));
        return await this.note();
      case 'choose': {
        const quote = await this.shop.renewing.quote(must(all[0]), step.offer);
        if (isRefused(quote)) return;
        if (quote.at !== undefined && subscribed) {
          await this.attempt(() => this.shop.subscribing.change(subscribed, quote, by));
        } else if (quote.ways.includes(this.way)) {
          await this.attempt(async () => {
            const made = await this.shop.change(must(all[0]), step.offer, this.way);
            if (step.isPaid) await this.paid(made);
          });
        }
        return await this.note();
      }
      case 'pay': {
        const unpaid = all.filter(({ paidAt, provider }) => paidAt === null && provider === 'manual');
        const order = unpaid[step.which % unpaid.length];
        if (order) await this.paid(order);
        return;
      }
      case 'hand': {
        const { key } = await this.license();
        // Never a time at which something else ends, so that it is always a change.
        const end = step.end === undefined ? undefined : first + step.end * day + day / 2;
        const set = { ...(end && { expiresAt: end }), ...(step.domains && { maxDomains: step.domains }) };
        await this.stores.licenses.change(key, undefined, (license) => ({
          license: { ...license, ...set },
          event: event('license.changed', key, by, this.clock.now()),
        }));
        this.noted.push({ end, domains: step.domains });
        return;
      }
      case 'check':
        await this.catchUp();
    }
  }

  /** All that happens by itself, and all that the bank tells of, in the given order. */
  async catchUp(isReversed = false): Promise<void> {
    this.bank.outage = undefined;
    this.crash = undefined;
    const all = await this.orders();
    for (const order of isReversed ? all.reverse() : all) {
      await this.shop.look(order);
      await this.note();
    }
    const attempts = {
      mail: async () => 'sent' as const,
      order: lookAtOrder(this.shop.settle, this.stores.coupons, this.clock),
    };
    const never = new AbortController().signal;
    const worker = createWorker(this.stores.work, attempts, this.clock, { places: 1, stop: never });
    while (await worker.take()) await worker.idle();
    await worker.idle();
    await this.note();
  }
}

/** The same day of the next month as of the first time, or its last day. */
export function nextMonth(from: number, firstTime: number): number {
  const date = new Date(from);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 2, 0)).getUTCDate();
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, Math.min(last, new Date(firstTime).getUTCDate()));
}
