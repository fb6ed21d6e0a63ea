import type Stripe from 'stripe';
import { monthsAfter } from '../../../core/licensing/ends.ts';
import fixtures from './fixtures.json' with { type: 'json' };
import { checkNames, type Given, textAt, textsAt } from './form.ts';
import type { DoubleIntent, DoubleSession } from './shapes.ts';
import { addedBy, type Rated, type Taxed, taxesOn } from './taxes.ts';
import { ApiTrouble, missing, wrongParameter } from './trouble.ts';

/*
 * Subscriptions, their invoices and coupons. Every object begins as the example that Stripe publishes of it, and has its own
 * state on top. So a field that Stripe has moved is missing here too: the period stands on the item of a subscription, and
 * the intent of an invoice in its payments.
 */

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };
export type DoubleSubscription = Mutable<Stripe.Subscription> & { readonly customer: string };
export type DoubleInvoice = Mutable<Stripe.Invoice> & { readonly id: string };
type DoublePayment = Mutable<Stripe.InvoicePayment> & { readonly invoice: string };

interface BillingOptions {
  readonly isLive: boolean;
  readonly now: () => number;
  readonly url: () => string;
  readonly newId: (prefix: string) => string;
  readonly tell: (type: Stripe.Event['type'], object: object) => void;
  /** Makes a payment of a customer. */
  readonly charge: (amount: number, currency: string, metadata: Record<string, string>) => DoubleIntent;
  readonly intents: ReadonlyMap<string, DoubleIntent>;
}

/** What becomes of an invoice. `needs action`: the bank wants the buyer to confirm. */
export type Outcome = 'paid' | 'fails' | 'needs action';

/** What a subscription costs for each period. */
interface Recurring {
  readonly amount: number;
  readonly currency: string;
  readonly months: number;
}

/** A page of the customer portal. */
export interface PortalSession {
  readonly subscription: DoubleSubscription;
  readonly returnTo: string | null;
}

export function createBilling({ isLive, now, url, newId, tell, charge, intents }: BillingOptions) {
  const subscriptions = new Map<string, DoubleSubscription>();
  const invoices = new Map<string, DoubleInvoice>();
  const payments = new Map<string, DoublePayment>();
  const coupons = new Map<string, Stripe.Coupon>();
  /** What is taken off the invoices of subscriptions, and until when. `null`: for ever. */
  const discounts = new Map<string, { readonly amount: number; readonly until: number | null }>();
  const portals: string[] = [];
  const portalSessions = new Map<string, PortalSession>();
  /** Customers whose card is declined. */
  const broken = new Set<string>();
  /** The taxes on subscriptions. */
  const ratesOf = new Map<string, readonly Rated[]>();
  let isPortalOn = true;

  const found = <T>(objects: Map<string, T>, what: string, id: string): T => {
    const one = objects.get(id);
    if (one === undefined) throw missing(what, id);
    return one;
  };

  const itemOf = (subscription: DoubleSubscription): Mutable<Stripe.SubscriptionItem> => {
    const [item] = subscription.items.data;
    if (item === undefined) throw new Error('A subscription of the double has one item.');
    return item;
  };

  const recurringOf = (subscription: DoubleSubscription): Recurring => {
    const { price } = itemOf(subscription);
    return { amount: price.unit_amount ?? 0, currency: price.currency, months: price.recurring?.interval_count ?? 1 };
  };

  function priceOf({ amount, currency, months }: Recurring): Stripe.Price {
    const [{ price }] = fixtures.subscription.items.data as unknown as [Stripe.SubscriptionItem];
    const recurring = { ...price.recurring, interval: 'month', interval_count: months } as Stripe.Price.Recurring;
    return { ...price, id: newId('price_'), currency, livemode: isLive, unit_amount: amount, recurring };
  }

  /** Makes an invoice of a period. It is not paid yet. */
  function invoiceOf(
    subscription: DoubleSubscription,
    { amount, currency }: Recurring,
    period: { readonly start: number; readonly end: number },
    reason: Stripe.Invoice.BillingReason,
    discount = 0,
    taxes: readonly Taxed[] = [],
  ): DoubleInvoice {
    const id = newId('in_');
    const { invoice: example } = fixtures;
    const [line] = example.lines.data;
    const total = amount - discount + addedBy(taxes);
    const invoice = {
      ...example,
      ...{ id, currency, livemode: isLive, created: now(), customer: subscription.customer, billing_reason: reason },
      ...{ subtotal: amount, total, amount_due: total, amount_remaining: total, amount_paid: 0, status: 'open' },
      total_taxes: taxes.map(({ amount, rate, reason }) => ({
        ...{ amount, tax_behavior: rate.inclusive ? 'inclusive' : 'exclusive', type: 'tax_rate_details' },
        ...{ tax_rate_details: { tax_rate: rate.id }, taxability_reason: reason, taxable_amount: amount },
      })),
      total_excluding_tax: total - taxes.reduce((sum, tax) => sum + tax.amount, 0),
      hosted_invoice_url: `${url()}/i/${id}`,
      customer_email: 'ada@example.com',
      customer_name: 'Ada Buyer',
      parent: {
        type: 'subscription_details',
        quote_details: null,
        subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
      },
      lines: {
        ...example.lines,
        url: `/v1/invoices/${id}/lines`,
        data: [
          {
            ...line,
            ...{ id: newId('il_'), invoice: id, amount, currency, livemode: isLive, period, subtotal: amount },
            parent: {
              type: 'subscription_item_details',
              invoice_item_details: null,
              subscription_item_details: {
                ...{ invoice_item: null, proration: false, proration_details: { credited_items: null } },
                ...{ subscription: subscription.id, subscription_item: itemOf(subscription).id },
              },
            },
          },
        ],
      },
    } as unknown as DoubleInvoice;
    invoices.set(id, invoice);
    subscription.latest_invoice = id;
    return invoice;
  }

  /** Pays an invoice. One of nothing needs no payment. */
  function collect(invoice: DoubleInvoice, metadata: Record<string, string> = {}): void {
    invoice.status = 'paid';
    invoice.attempted = true;
    invoice.amount_paid = invoice.total;
    invoice.amount_remaining = 0;
    if (invoice.total > 0) {
      const intent = charge(invoice.total, invoice.currency, metadata);
      const id = newId('inpay_');
      payments.set(id, {
        ...(fixtures.invoice_payment as unknown as Stripe.InvoicePayment),
        ...{ id, amount_paid: invoice.total, amount_requested: invoice.total, currency: invoice.currency },
        ...{ invoice: invoice.id, is_default: true, livemode: isLive, created: now(), status: 'paid' },
        payment: { type: 'payment_intent', payment_intent: intent.id },
      });
    }
    tell('invoice.paid', invoice);
  }

  function end(subscription: DoubleSubscription, reason: Stripe.Subscription.CancellationDetails.Reason): void {
    subscription.status = 'canceled';
    subscription.ended_at = now();
    subscription.canceled_at ??= now();
    subscription.cancellation_details = { comment: null, feedback: null, feedback_option: null, reason };
    tell('customer.subscription.deleted', subscription);
  }

  const isBroken = (id: string) => broken.has(subscriptions.get(id)?.customer ?? '');

  const running = (id: string): DoubleSubscription => {
    const subscription = found(subscriptions, 'subscription', id);
    if (subscription.status === 'canceled') {
      const message = 'A canceled subscription can only update its cancellation_details and metadata.';
      throw new ApiTrouble(400, { message });
    }
    return subscription;
  };

  return {
    subscriptions,
    invoices,
    payments,
    coupons,
    /** The pages for cards that were asked for. */
    portals,

    subscription: (id: string) => found(subscriptions, 'subscription', id),
    invoice: (id: string) => found(invoices, 'invoice', id),
    portal: (id: string) => portalSessions.get(id),

    /** Whether the owner has saved the settings of the customer portal. At first: yes. */
    switchPortal(isOn: boolean): void {
      isPortalOn = isOn;
    },

    /** The settings of the customer portal, if the owner has saved them. */
    portalConfigurations(given: Given): object[] {
      checkNames(given, { active: 'text', is_default: 'text', limit: 'text' });
      return isPortalOn ? [{ ...fixtures['billing_portal.configuration'], is_default: true, livemode: isLive }] : [];
    },

    /** From now on, the card of the buyer is declined. */
    breakCard(id: string): void {
      broken.add(found(subscriptions, 'subscription', id).customer);
    },

    /** The buyer enters a card that works. Stripe takes it for the next payment, or the next try of an open one. */
    changeCard(id: string): void {
      broken.delete(found(subscriptions, 'subscription', id).customer);
      tell('customer.subscription.updated', found(subscriptions, 'subscription', id));
    },

    createCoupon(given: Given): Stripe.Coupon {
      checkNames(given, {
        ...{ amount_off: 'text', currency: 'text', duration: 'text', max_redemptions: 'text', metadata: 'texts' },
        ...{ name: 'text', duration_in_months: 'text' },
      });
      const duration = textAt(given, 'duration') as Stripe.Coupon.Duration;
      const months = textAt(given, 'duration_in_months');
      if (!['once', 'repeating', 'forever'].includes(duration) || (duration === 'repeating') !== (months !== undefined))
        throw wrongParameter('duration', 'A repeating coupon has a number of months.');
      const amount = Number(textAt(given, 'amount_off'));
      if (!(amount > 0)) throw wrongParameter('amount_off', 'This value must be greater than or equal to 1.');
      const name = textAt(given, 'name') ?? null;
      if (name !== null && name.length > 40)
        throw wrongParameter('name', 'Invalid string: must be at most 40 characters.');
      const coupon = {
        ...(fixtures.coupon as unknown as Stripe.Coupon),
        ...{ id: newId('co_'), amount_off: amount, currency: textAt(given, 'currency') ?? null, percent_off: null },
        ...{
          duration,
          duration_in_months: months === undefined ? null : Number(months),
          max_redemptions: 1,
          name,
          livemode: isLive,
          metadata: textsAt(given, 'metadata'),
        },
      } as Stripe.Coupon;
      coupons.set(coupon.id, coupon);
      return coupon;
    },

    /** The first payment of a session: begins its subscription. */
    begin(
      session: DoubleSession,
      recurring: Recurring,
      metadata: Record<string, string>,
      {
        discount,
        taxes,
        coupon,
      }: { readonly discount: number; readonly taxes: readonly Taxed[]; readonly coupon: Stripe.Coupon | undefined },
    ): void {
      const id = newId('sub_');
      const start = now();
      const period = { start, end: endOf(start, recurring.months) };
      const [item] = fixtures.subscription.items.data;
      const subscription = {
        ...(fixtures.subscription as unknown as Stripe.Subscription),
        ...{ id, currency: recurring.currency, customer: newId('cus_'), livemode: isLive, metadata, status: 'active' },
        ...{ created: start, start_date: start, billing_cycle_anchor: start, pause_collection: null, trial_end: null },
        ...{ cancel_at: null, cancel_at_period_end: false, canceled_at: null, ended_at: null, latest_invoice: null },
        items: {
          ...fixtures.subscription.items,
          url: `/v1/subscription_items?subscription=${id}`,
          data: [
            {
              ...item,
              ...{ id: newId('si_'), subscription: id, price: priceOf(recurring), created: start },
              ...{ current_period_start: period.start, current_period_end: period.end },
            },
          ],
        },
      } as unknown as DoubleSubscription;
      subscriptions.set(id, subscription);
      ratesOf.set(id, taxes);
      if (coupon && coupon.duration !== 'once') {
        const { duration_in_months: months } = coupon;
        discounts.set(id, { amount: coupon.amount_off ?? 0, until: months === null ? null : endOf(start, months) });
      }
      const invoice = invoiceOf(subscription, recurring, period, 'subscription_create', discount, taxes);
      tell('customer.subscription.created', subscription);
      collect(invoice, metadata);
      Object.assign(session, { subscription: id, invoice: invoice.id, customer: subscription.customer });
    },

    /**
     * The next period begins: its invoice is paid, the card fails, or the bank wants the buyer to confirm. Without
     * `outcome`, the card decides. One that was cancelled ends instead, and one that is paused makes no invoice.
     */
    bill(id: string, outcome: Outcome = isBroken(id) ? 'fails' : 'paid'): DoubleInvoice | undefined {
      const subscription = running(id);
      if (subscription.status === 'paused') return undefined;
      if (subscription.cancel_at_period_end) {
        end(subscription, 'cancellation_requested');
        return undefined;
      }
      const item = itemOf(subscription);
      const recurring = recurringOf(subscription);
      const start = item.current_period_end;
      item.current_period_start = start;
      item.current_period_end = endOf(start, recurring.months);
      if (subscription.pause_collection !== null) return undefined;
      const period = { start, end: item.current_period_end };
      const given = discounts.get(id);
      const discount = given && (given.until === null || start < given.until) ? given.amount : 0;
      const taxes = taxesOn(recurring.amount - discount, ratesOf.get(id) ?? []);
      const invoice = invoiceOf(subscription, recurring, period, 'subscription_cycle', discount, taxes);
      subscription.status = outcome === 'paid' ? 'active' : 'past_due';
      if (outcome === 'paid') collect(invoice);
      else {
        invoice.attempted = true;
        tell('invoice.payment_failed', invoice);
        if (outcome === 'needs action') tell('invoice.payment_action_required', invoice);
      }
      tell('customer.subscription.updated', subscription);
      return invoice;
    },

    /** The buyer pays an invoice after the card failed. */
    pay(invoiceId: string): void {
      const invoice = found(invoices, 'invoice', invoiceId);
      collect(invoice);
      const id = invoice.parent?.subscription_details?.subscription;
      const subscription = found(subscriptions, 'subscription', String(id));
      subscription.status = 'active';
      tell('customer.subscription.updated', subscription);
    },

    voidInvoice(invoiceId: string): void {
      const invoice = found(invoices, 'invoice', invoiceId);
      invoice.status = 'void';
      tell('invoice.voided', invoice);
    },

    /** The owner, or a rule of Stripe, takes an open invoice for lost. */
    markUncollectible(invoiceId: string): void {
      const invoice = found(invoices, 'invoice', invoiceId);
      invoice.status = 'uncollectible';
      tell('invoice.marked_uncollectible', invoice);
    },

    /** Stripe halts the subscription itself, as after a trial without a card, or the owner lets it go on. */
    halt(id: string, isHalted: boolean): void {
      const subscription = running(id);
      subscription.status = isHalted ? 'paused' : 'active';
      tell(isHalted ? 'customer.subscription.paused' : 'customer.subscription.resumed', subscription);
    },

    /** The owner pauses the collection of payments, or goes on with it. */
    pause(id: string, isPaused: boolean): void {
      const subscription = running(id);
      subscription.pause_collection = isPaused ? { behavior: 'void', resumes_at: null } : null;
      tell('customer.subscription.updated', subscription);
    },

    /** Stripe gives up after all attempts, or the owner ends it. */
    end: (id: string, reason: Stripe.Subscription.CancellationDetails.Reason) => end(running(id), reason),

    update(id: string, given: Given): DoubleSubscription {
      const price = { currency: 'text', product: 'text', unit_amount: 'text' } as const;
      checkNames(given, {
        ...{ cancel_at_period_end: 'text', cancel_at: 'text', proration_behavior: 'text', trial_end: 'text' },
        discounts: 'text',
        items: {
          '*': { id: 'text', price_data: { ...price, recurring: { interval: 'text', interval_count: 'text' } } },
        },
      });
      const subscription = running(id);
      const isAtEnd = textAt(given, 'cancel_at_period_end');
      if (isAtEnd !== undefined) {
        subscription.cancel_at_period_end = isAtEnd === 'true';
        subscription.cancel_at = isAtEnd === 'true' ? itemOf(subscription).current_period_end : null;
      }
      if (textAt(given, 'cancel_at') === '') subscription.cancel_at = null;
      if (textAt(given, 'discounts') === '') discounts.delete(id);
      const data = ['items', '0', 'price_data'] as const;
      const amount = textAt(given, ...data, 'unit_amount');
      if (amount !== undefined) {
        const item = itemOf(subscription);
        if (textAt(given, 'items', '0', 'id') !== item.id) throw wrongParameter('items[0][id]', 'No such item.');
        const months = Number(textAt(given, ...data, 'recurring', 'interval_count'));
        const trialEnd = textAt(given, 'trial_end');
        const isOther = months !== recurringOf(subscription).months;
        // Stripe begins a new period at once if the interval changes.
        if (isOther && trialEnd === undefined)
          throw wrongParameter('items', 'The double does not collect in the middle.');
        item.price = priceOf({ amount: Number(amount), currency: item.price.currency, months });
        if (trialEnd !== undefined) {
          Object.assign(subscription, { trial_end: Number(trialEnd), status: 'trialing' });
          const period = { start: now(), end: Number(trialEnd) };
          const nothing = { ...recurringOf(subscription), amount: 0 };
          collect(invoiceOf(subscription, nothing, period, 'subscription_update'));
        }
      }
      tell('customer.subscription.updated', subscription);
      return subscription;
    },

    cancel(id: string, given: Given): DoubleSubscription {
      checkNames(given, { invoice_now: 'text', prorate: 'text' });
      const subscription = running(id);
      end(subscription, 'cancellation_requested');
      return subscription;
    },

    /** The payments of an invoice, or that with an intent. */
    paymentsOf(given: Given): object[] {
      const invoice = textAt(given, 'invoice');
      const intent = textAt(given, 'payment', 'payment_intent');
      const isExpanded = textAt(given, 'expand', '0') === 'data.payment.payment_intent';
      return [...payments.values()]
        .filter((one) => invoice === undefined || one.invoice === invoice)
        .filter(({ payment }) => intent === undefined || payment.payment_intent === intent)
        .map((one) => {
          const known = isExpanded ? intents.get(String(one.payment.payment_intent)) : undefined;
          return { ...one, payment: { ...one.payment, ...(known && { payment_intent: known }) } };
        });
    },

    openPortal(given: Given): object {
      checkNames(given, { customer: 'text', return_url: 'text' });
      const customer = textAt(given, 'customer') ?? '';
      const subscription = [...subscriptions.values()].find((one) => one.customer === customer);
      if (subscription === undefined) throw missing('customer', customer);
      if (!isPortalOn) {
        const message = 'No configuration provided and your default configuration has not been created.';
        throw new ApiTrouble(400, { message });
      }
      const id = newId('bps_');
      const page = `${url()}/p/session/${id}`;
      portalSessions.set(id, { subscription, returnTo: textAt(given, 'return_url') ?? null });
      portals.push(page);
      const { 'billing_portal.session': example } = fixtures;
      return { ...example, id, customer, livemode: isLive, return_url: textAt(given, 'return_url') ?? null, url: page };
    },
  };
}

function endOf(start: number, months: number): number {
  return monthsAfter(months, start * 1_000) / 1_000;
}

export type Billing = ReturnType<typeof createBilling>;
