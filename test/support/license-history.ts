import { toOrderId, toProductId } from '../../core/id.ts';
import { type License, neverActivated } from '../../core/licensing/license.ts';
import { creditOf, type Period, startPeriod, withHandSet } from '../../core/licensing/periods.ts';
import type { OnRefund } from '../../core/marketplace/product-terms.ts';
import type { HeldLicense } from '../../core/ports/order-store.ts';
import type { AgreedOffer, Order } from '../../core/purchases/order.ts';
import { type PaymentFacts, unpaid } from '../../core/purchases/payment.ts';
import { settled, startFactsOf } from '../../core/purchases/settled.ts';
import { day } from '../../core/time.ts';
import { by } from './by.ts';
import { keyNumber, must, newProduct } from './license-acts.ts';
import { justAdded, newOrder } from './orders.ts';

/** A license with the payments that change it, and a slow model of what it has. Days are whole numbers here. The license is sold on this one. */
const first = 20_000;
const sold = { days: 30, domains: 2, price: 3_000 };

/** What can happen to a payment. `undefined`: not now. */
export const happenings = {
  pay: ({ status }) => (status === 'paid' ? undefined : { status: 'paid' }),
  fail: ({ status }) => (status === 'paid' ? undefined : { status: 'failed' }),
  'begin a refund': ({ status, refunded, total }) =>
    status === 'paid' && refunded === 0 ? { refundsPending: total } : undefined,
  'fail the refund': ({ refundsPending }) => (refundsPending > 0 ? { refundsPending: 0 } : undefined),
  'refund a part': ({ status, refunded, total }) =>
    status === 'paid' && refunded + 100 < total ? { refunded: refunded + 100 } : undefined,
  'refund all': ({ status, total }) => (status === 'paid' ? { refunded: total, refundsPending: 0 } : undefined),
  dispute: ({ status, dispute }) => (status === 'paid' && dispute === null ? { dispute: 'open' } : undefined),
  win: ({ dispute }) => (dispute === 'open' ? { dispute: 'won' } : undefined),
  lose: ({ dispute }) => (dispute === 'open' ? { dispute: 'lost' } : undefined),
} satisfies Record<string, (facts: PaymentFacts) => Partial<PaymentFacts> | undefined>;
export type Happening = keyof typeof happenings;

export type Step =
  | {
      readonly kind: 'order';
      readonly sells: 'renewal' | 'upgrade';
      readonly days: number;
      readonly domains: number;
      readonly isPaidAtOnce: boolean;
    }
  | { readonly kind: 'payment'; readonly which: number; readonly what: Happening }
  | { readonly kind: 'hand'; readonly end: number | undefined; readonly domains: number | undefined }
  | { readonly kind: 'clock'; readonly days: number };

/** What the slow model remembers: who gave what, on which day. `order` is the number of the payment; a hand has none. */
type Told =
  | { readonly kind: 'start'; readonly order: number; readonly end: number; readonly domains: number }
  | { readonly kind: 'hand'; readonly end: number | undefined; readonly domains: number | undefined }
  | { readonly kind: 'renewal'; readonly order: number; readonly today: number; readonly days: number }
  | {
      readonly kind: 'upgrade';
      readonly order: number;
      readonly today: number;
      readonly days: number;
      readonly domains: number;
    };

interface Sale {
  readonly order: Order;
  readonly builtOn: readonly number[];
}

/** The orders, the license and its periods, changed by the rules; and beside them what the model needs. */
export class World {
  readonly sales: Sale[] = [];
  readonly told: Told[] = [];
  license: License | undefined;
  periods: readonly Period[] = [];
  today = first;
  /** What was set by hand since the last payment that changed the license. */
  hand: { end: number | undefined; domains: number | undefined } = { end: undefined, domains: undefined };
  private readonly onRefund: OnRefund;

  constructor(onRefund: OnRefund) {
    this.onRefund = onRefund;
    this.sell(sold, null, sold.price, []);
    this.tell(0, { status: 'paid' });
  }

  /** Opens an order. The unused part is taken off the price of an upgrade, as buyers see it now. */
  order(sells: 'renewal' | 'upgrade', days: number, domains: number): void {
    const license = must(this.license);
    const before =
      this.periods.length > 0 ? this.periods : [startPeriod(license, startFactsOf(must(this.sales[0]).order))];
    const periods = withHandSet(license, before);
    const { credit, builtOn } =
      sells === 'upgrade' ? creditOf(periods, this.today * day) : { credit: 0, builtOn: [] as readonly string[] };
    const price = Math.max(6_000, credit + 1_000);
    const offer = { slug: sells, name: sells, kind: sells, updatesMonths: null, entitlements: [], credit, builtOn };
    const numbers = builtOn.flatMap((cause) => (cause.startsWith('order:') ? [Number(cause.slice(6)) - 1] : []));
    this.sell({ days, domains }, offer, price - credit, numbers);
  }

  private sell(
    { days, domains }: { readonly days: number; readonly domains: number },
    offer: AgreedOffer | null,
    price: number,
    builtOn: readonly number[],
  ): void {
    const product = { ...newProduct(), id: toProductId(7), price };
    const terms = { ...product.terms, maxDomains: domains, duration: { days, from: 'issue' } as const };
    const made = newOrder({ ...product, terms: { ...terms, onRefund: this.onRefund } });
    const id = toOrderId(this.sales.length + 1);
    const renews = offer === null ? null : keyNumber(1);
    const createdAt = this.today * day;
    const order = { ...made, createdAt, id, ...justAdded, renews, agreed: { ...made.agreed, offer } };
    this.sales.push({ order: { ...order, payment: unpaid(price, 'usd') }, builtOn });
  }

  /** Tells the rules what became known of a payment. */
  tell(which: number, facts: Partial<PaymentFacts>): void {
    const sale = must(this.sales[which]);
    const before = sale.order;
    const license = this.license;
    const origin = before.renews !== null && this.periods.length === 0 ? this.sales[0]?.order : undefined;
    const held: HeldLicense | undefined = license && { license, periods: this.periods, origin };
    const learned = { payment: { ...before.payment, ...facts } };
    const now = this.today * day;
    const { after, events, license: change } = settled(before, held, learned, { by, now, newKey: keyNumber(1) });
    this.sales[which] = { ...sale, order: after };
    if (events.length > 0 && after.paidAt !== null) this.remember(before, after, which);
    if (change === undefined) return;
    if ('issued' in change) {
      const { standing = 'active', ownStanding = null } = change.issued;
      this.license = { ...neverActivated, ownerId: null, isLive: true, ...change.issued, standing, ownStanding };
    } else {
      this.license = change.changed;
      this.periods = change.periods ?? this.periods;
    }
  }

  private remember(before: Order, after: Order, which: number): void {
    const start = this.told[0];
    if (start?.kind !== 'start') {
      this.told.push({ kind: 'start', order: 0, end: first + sold.days, domains: sold.domains });
      return;
    }
    const isFirst = before.paidAt === null;
    if (after.renews === null && this.told.length === 1) return;
    const { end, domains } = this.hand;
    this.hand = { end: undefined, domains: undefined };
    if (this.told.length === 1) this.told[0] = { ...start, end: end ?? start.end, domains: domains ?? start.domains };
    else {
      const now = model(this, before.paidAt === null ? undefined : { which, order: before });
      const set = { end: end === now.end ? undefined : end, domains: domains === now.domains ? undefined : domains };
      if (set.end !== undefined || set.domains !== undefined) this.told.push({ kind: 'hand', ...set });
    }
    if (!isFirst) return;
    const { maxDomains, duration } = after.agreed.terms;
    // With something taken off its price, an upgrade begins with its order.
    const begins = (after.agreed.offer?.builtOn ?? []).length > 0 ? after.createdAt / day : this.today;
    const given = { order: which, today: begins, days: must(duration ?? undefined).days };
    if (after.agreed.offer?.kind === 'renewal') this.told.push({ kind: 'renewal', ...given });
    else this.told.push({ kind: 'upgrade', ...given, domains: maxDomains });
  }

  set(end: number | undefined, domains: number | undefined): void {
    const license = must(this.license);
    this.license = {
      ...license,
      ...(end !== undefined && { expiresAt: end * day }),
      ...(domains !== undefined && { maxDomains: domains }),
    };
    this.hand = { end: end ?? this.hand.end, domains: domains ?? this.hand.domains };
  }

  step(step: Step): void {
    switch (step.kind) {
      case 'order':
        this.order(step.sells, step.days, step.domains);
        if (step.isPaidAtOnce) this.tell(this.sales.length - 1, { status: 'paid' });
        return;
      case 'clock':
        this.today += step.days;
        return;
      case 'hand':
        this.set(step.end === undefined ? undefined : first + step.end, step.domains);
        return;
      case 'payment': {
        const which = step.which % this.sales.length;
        const facts = happenings[step.what](must(this.sales[which]).order.payment);
        if (facts) this.tell(which, facts);
      }
    }
  }
}

export function isTakenBack({ payment: { dispute, refunded, total }, agreed }: Order): boolean {
  return dispute === 'lost' || (refunded >= total && agreed.terms.onRefund === 'revoke');
}

/**
 * The license as somebody would work it out with a calendar: each payment that stands marks the days that it gives, one by
 * one. `but`: with an earlier state of one of the orders.
 */
export function model({ sales, told }: World, but?: { readonly which: number; readonly order: Order }) {
  const orderOf = (which: number) => (but?.which === which ? but.order : must(sales[which]).order);
  const mark = (isKept: boolean) => {
    const falls = (which: number): boolean =>
      (isTakenBack(orderOf(which)) && !(isKept && which === 0)) || must(sales[which]).builtOn.some(falls);
    let days = new Set<number>();
    let domains = 0;
    let runs = false;
    const end = () => (days.size === 0 ? first : Math.max(...days) + 1);
    for (const one of told) {
      if (one.kind === 'start') domains = one.domains;
      if (one.kind !== 'hand' && falls(one.order)) continue;
      if (one.kind === 'hand') {
        domains = one.domains ?? domains;
        if (one.end === undefined) continue;
        days = new Set([...days].filter((past) => past < (one.end ?? 0)));
        for (let next = end(); next < one.end; next++) days.add(next);
        continue;
      }
      runs = true;
      if (one.kind === 'start') {
        for (let next = first; next < one.end; next++) days.add(next);
        continue;
      }
      if (one.kind === 'upgrade') {
        days = new Set([...days].filter((past) => past < one.today));
        domains = one.domains;
      }
      const from = one.kind === 'upgrade' ? one.today : Math.max(end(), one.today);
      for (let n = 0; n < one.days; n++) days.add(from + n);
    }
    return { end: end(), domains, runs };
  };
  const given = mark(false);
  // A license that is revoked keeps what it had before its first payment was taken back.
  const { end, domains } = given.runs ? given : mark(true);
  const isStopped = sales.some(({ order }, which) => isDoubtful(orderOf(which) ?? order));
  return { end, domains, standing: isStopped ? 'suspended' : given.runs ? 'active' : 'revoked' };
}

/** The payment is disputed, or the whole of it is being refunded. */
function isDoubtful(order: Order): boolean {
  const { paidAt, payment, agreed } = order;
  const { dispute, refunded, refundsPending, total } = payment;
  if (paidAt === null || dispute === 'lost' || refunded >= total) return false;
  return dispute === 'open' || (refunded + refundsPending >= total && agreed.terms.onRefund === 'revoke');
}
