import type Stripe from 'stripe';
import type { Clock } from '../../../core/ports/clock.ts';
import { createBilling } from './billing.ts';
import { createOutbox } from './events.ts';
import { type Given, textAt, textsAt } from './form.ts';
import { checkSession } from './session-params.ts';
import type { DoubleCharge, DoubleDispute, DoubleEvent, DoubleIntent, DoubleRefund, DoubleSession } from './shapes.ts';
import { addedBy, type DoubleTax, type Rated, rateOf, taxesOn } from './taxes.ts';
import { ApiTrouble, missing, wrongParameter } from './trouble.ts';

interface AccountOptions {
  readonly isLive: boolean;
  readonly webhookSecret: string;
  readonly clock: Clock;
  /** Returns the address of the double. */
  readonly url: () => string;
  /** Percent of tax that is added if a session asks for tax. */
  readonly taxPercent: number;
}

/** A Stripe account: its objects, and what its API, its buyers, its banks and its owner do with them. */
export function createAccount({ isLive, webhookSecret, clock, url, taxPercent }: AccountOptions) {
  const sessions = new Map<string, DoubleSession>();
  const intents = new Map<string, DoubleIntent>();
  const charges = new Map<string, DoubleCharge>();
  const refunds = new Map<string, DoubleRefund>();
  const disputes = new Map<string, DoubleDispute>();
  const rates = new Map<string, Stripe.TaxRate>();
  /** What a session shows only if it is expanded. */
  const breakdowns = new Map<string, Stripe.Checkout.Session.TotalDetails.Breakdown>();
  const intentMetadata = new Map<string, Record<string, string>>();
  /** What the subscriptions of sessions cost, and what is taken off their first payment. */
  const recurrences = new Map<
    string,
    { readonly amount: number; readonly currency: string; readonly months: number }
  >();
  const couponsOf = new Map<string, Stripe.Coupon>();
  const outbox = createOutbox(webhookSecret, clock);
  let count = 0;
  /** The status of refunds when they are made. */
  let refundStatus = 'succeeded';

  const now = () => Math.floor(clock.now() / 1_000);
  const newId = (prefix: string) => `${prefix}${String(++count).padStart(6, '0')}Double`;
  const mode = isLive ? 'live' : 'test';

  function tell(type: Stripe.Event['type'], object: object): void {
    outbox.add({
      id: newId('evt_'),
      object: 'event',
      api_version: '2026-10-28.endive',
      created: now(),
      data: { object: structuredClone(object) },
      livemode: isLive,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type,
    } satisfies DoubleEvent);
  }

  const found = <T>(objects: Map<string, T>, what: string, id: string): T => {
    const one = objects.get(id);
    if (one === undefined) throw missing(what, id);
    return one;
  };
  const chargeOf = (intentId: string) =>
    found(charges, 'charge', found(intents, 'payment_intent', intentId).latest_charge);

  function openSession(id: string): DoubleSession {
    const session = found(sessions, 'checkout.session', id);
    if (session.status !== 'open' || session.expires_at <= now()) throw wrongStatus(session);
    return session;
  }

  function wrongStatus({ status }: DoubleSession): ApiTrouble {
    const message = `Only Checkout Sessions with a status in ["open"] can be expired. This one has ${status}.`;
    return new ApiTrouble(400, { message });
  }

  /** The buyer confirms. `isSlow`: by a method whose money comes later. `discount`: by a code, before tax. */
  function confirm(
    id: string,
    { isSlow = false, name = 'Ada Buyer', email, discount = 0, taxes, company, taxExempt = 'none' }: Confirmation = {},
  ): string {
    const session = openSession(id);
    const isTaxed = session.automatic_tax.enabled || session.managed_payments?.enabled === true;
    const coupon = couponsOf.get(id);
    const allDiscount = discount + (coupon?.amount_off ?? 0);
    const net = (session.amount_subtotal ?? 0) - allDiscount;
    const taken = taxesOn(net, (taxes ?? (isTaxed ? [{ percent: taxPercent }] : [])).map(newRate));
    const total = net + addedBy(taken);
    const currency = session.currency ?? 'usd';
    const recurring = recurrences.get(id);
    const intent = recurring ? undefined : charged(total, currency, intentMetadata.get(id) ?? {}, isSlow);
    if (recurring)
      billing.begin(session, recurring, intentMetadata.get(id) ?? {}, { discount: allDiscount, taxes: taken, coupon });
    session.amount_total = total;
    session.total_details = {
      amount_discount: allDiscount,
      amount_tax: taken.reduce((sum, { amount }) => sum + amount, 0),
    };
    breakdowns.set(id, {
      discounts: [],
      taxes: taken.map(({ amount, rate, reason }) => ({
        amount,
        rate,
        taxability_reason: reason,
        taxable_amount: net,
      })),
    });
    session.payment_intent = intent?.id ?? null;
    session.status = 'complete';
    session.payment_status = isSlow ? 'unpaid' : total === 0 ? 'no_payment_required' : 'paid';
    session.customer_details = {
      email: email ?? session.customer_email,
      name,
      address: company?.address ?? null,
      business_name: company?.name ?? null,
      individual_name: null,
      tax_exempt: taxExempt,
      tax_ids: (company?.taxIds ?? []).map((value) => ({ type: 'eu_vat', value })),
    };
    if (company?.taxIds && !session.tax_id_collection.enabled) throw new Error('The session asks for no tax ids.');
    session.url = null;
    tell('checkout.session.completed', session);
    return intent?.id ?? '';
  }

  /** Makes a payment. `isSlow`: its money is on its way. */
  function charged(amount: number, currency: string, metadata: Record<string, string>, isSlow = false): DoubleIntent {
    const shared = { amount, created: now(), currency, livemode: isLive };
    const id = newId('pi_');
    const charge: DoubleCharge = {
      ...shared,
      id: newId('ch_'),
      object: 'charge',
      amount_refunded: 0,
      disputed: false,
      payment_intent: id,
      refunded: false,
      status: isSlow ? 'pending' : 'succeeded',
    };
    charges.set(charge.id, charge);
    const intent: DoubleIntent = {
      ...shared,
      id,
      object: 'payment_intent',
      amount_received: isSlow ? 0 : amount,
      latest_charge: charge.id,
      metadata,
      status: isSlow ? 'processing' : 'succeeded',
    };
    intents.set(id, intent);
    if (!isSlow) tell('charge.succeeded', charge);
    tell(isSlow ? 'payment_intent.processing' : 'payment_intent.succeeded', intent);
    return intent;
  }

  function newRate(tax: DoubleTax): Rated {
    const rate = rateOf(tax, newId('txr_'), isLive);
    rates.set(rate.id, rate);
    return { rate, reason: tax.reason ?? 'standard_rated' };
  }

  const billing = createBilling({ isLive, now, url, newId, tell, charge: charged, intents });

  return {
    outbox,
    billing,
    sessions,
    intents,
    refunds,
    disputes,
    breakdowns,
    confirm,
    taxRate: (id: string) => found(rates, 'tax_rate', id),

    createSession(given: Given): DoubleSession {
      const { subtotal, currency, expiresAt, isManaged, months } = checkSession(given, now());
      const id = newId(`cs_${mode}_`);
      const session: DoubleSession = {
        id,
        object: 'checkout.session',
        amount_subtotal: subtotal,
        amount_total: subtotal,
        automatic_tax: { enabled: textAt(given, 'automatic_tax', 'enabled') === 'true' },
        cancel_url: textAt(given, 'cancel_url') ?? null,
        client_reference_id: textAt(given, 'client_reference_id') ?? null,
        created: now(),
        currency,
        customer_details: null,
        customer_email: textAt(given, 'customer_email') ?? null,
        expires_at: expiresAt,
        livemode: isLive,
        managed_payments: isManaged ? { enabled: true } : null,
        metadata: textsAt(given, 'metadata'),
        mode: months === undefined ? 'payment' : 'subscription',
        subscription: null,
        invoice: null,
        payment_intent: null,
        payment_status: 'unpaid',
        status: 'open',
        total_details: { amount_discount: 0, amount_tax: 0 },
        success_url: textAt(given, 'success_url') ?? null,
        tax_id_collection: { enabled: textAt(given, 'tax_id_collection', 'enabled') === 'true' },
        url: `${url()}/c/pay/${id}`,
      };
      sessions.set(id, session);
      const data = months === undefined ? 'payment_intent_data' : 'subscription_data';
      intentMetadata.set(id, textsAt(given, data, 'metadata'));
      if (months !== undefined) recurrences.set(id, { amount: subtotal, currency, months });
      const coupon = textAt(given, 'discounts', '0', 'coupon');
      if (coupon !== undefined) {
        const known = billing.coupons.get(coupon);
        const amount = known?.amount_off;
        if (known === undefined || amount == null) throw missing('coupon', coupon);
        couponsOf.set(id, known);
        session.amount_total = subtotal - amount;
        session.total_details = { amount_discount: amount, amount_tax: 0 };
      }
      return session;
    },

    session: (id: string) => found(sessions, 'checkout.session', id),

    /** Ends a session, because its time is over. */
    expire(id: string): DoubleSession {
      const session = found(sessions, 'checkout.session', id);
      if (session.status !== 'open') throw wrongStatus(session);
      session.status = 'expired';
      session.url = null;
      tell('checkout.session.expired', session);
      return session;
    },

    /** The money of a slow method comes, or does not. */
    finish(id: string, isPaid: boolean): void {
      const session = found(sessions, 'checkout.session', id);
      const intent = found(intents, 'payment_intent', session.payment_intent ?? '');
      const charge = chargeOf(intent.id);
      charge.status = isPaid ? 'succeeded' : 'failed';
      intent.status = isPaid ? 'succeeded' : 'requires_payment_method';
      intent.amount_received = isPaid ? intent.amount : 0;
      if (isPaid) session.payment_status = 'paid';
      tell(isPaid ? 'charge.succeeded' : 'charge.failed', charge);
      tell(isPaid ? 'payment_intent.succeeded' : 'payment_intent.payment_failed', intent);
      tell(`checkout.session.async_payment_${isPaid ? 'succeeded' : 'failed'}`, session);
    },

    /** The next refunds are made with this status. */
    refundsStart(status: 'succeeded' | 'pending' | 'requires_action'): void {
      refundStatus = status;
    },

    /** A refund by the API, or by the owner in the dashboard. */
    refund(intentId: string, wanted?: number, metadata: Record<string, string> = {}): DoubleRefund {
      const charge = chargeOf(intentId);
      const left = charge.amount - charge.amount_refunded;
      if (charge.status !== 'succeeded') {
        throw new ApiTrouble(400, { message: 'This PaymentIntent does not have a successful charge to refund.' });
      }
      if (charge.disputed) {
        const message = `Charge ${charge.id} has been charged back; cannot issue a refund.`;
        throw new ApiTrouble(400, { code: 'charge_disputed', message });
      }
      if (left === 0) {
        const message = `Charge ${charge.id} has already been refunded.`;
        throw new ApiTrouble(400, { code: 'charge_already_refunded', message });
      }
      const amount = wanted ?? left;
      if (amount > left) {
        throw new ApiTrouble(400, {
          message: 'Refund amount is greater than unrefunded amount on charge.',
          param: 'amount',
        });
      }
      if (amount < 1) throw wrongParameter('amount', 'This value must be greater than or equal to 1.');
      const refund: DoubleRefund = {
        id: newId('re_'),
        object: 'refund',
        amount,
        charge: charge.id,
        created: now(),
        currency: charge.currency,
        metadata,
        payment_intent: intentId,
        reason: null,
        status: refundStatus,
      };
      refunds.set(refund.id, refund);
      charge.amount_refunded += amount;
      charge.refunded = charge.amount_refunded === charge.amount;
      tell('refund.created', refund);
      tell('charge.refunded', charge);
      return refund;
    },

    /** A refund that was on its way arrives, or fails. */
    moveRefund(id: string, status: 'succeeded' | 'failed' | 'canceled'): void {
      const refund = found(refunds, 'refund', id);
      refund.status = status;
      if (status !== 'succeeded') {
        const charge = found(charges, 'charge', refund.charge);
        charge.amount_refunded -= refund.amount;
        charge.refunded = false;
      }
      tell(status === 'failed' ? 'refund.failed' : 'refund.updated', refund);
    },

    /** A bank asks about a payment, or takes the money back. */
    dispute(intentId: string, status: Stripe.Dispute.Status = 'needs_response'): DoubleDispute {
      const charge = chargeOf(intentId);
      const dispute: DoubleDispute = {
        id: newId('du_'),
        object: 'dispute',
        amount: charge.amount,
        balance_transactions: [],
        charge: charge.id,
        created: now(),
        currency: charge.currency,
        livemode: isLive,
        metadata: {},
        payment_intent: intentId,
        reason: 'fraudulent',
        status,
      };
      disputes.set(dispute.id, dispute);
      tell('charge.dispute.created', dispute);
      if (!status.startsWith('warning_')) {
        charge.disputed = true;
        moveMoney(dispute, -dispute.amount);
        tell('charge.dispute.funds_withdrawn', dispute);
      }
      return dispute;
    },

    moveDispute(id: string, status: Stripe.Dispute.Status): void {
      const dispute = found(disputes, 'dispute', id);
      dispute.status = status;
      if (status === 'won') {
        moveMoney(dispute, dispute.amount);
        found(charges, 'charge', dispute.charge).disputed = false;
        tell('charge.dispute.funds_reinstated', dispute);
      }
      const isOver = ['won', 'lost', 'warning_closed', 'prevented'].includes(status);
      tell(isOver ? 'charge.dispute.closed' : 'charge.dispute.updated', dispute);
    },
  };

  function moveMoney({ balance_transactions: moved, currency }: DoubleDispute, amount: number): void {
    moved.push({ id: newId('txn_'), object: 'balance_transaction', amount, currency });
  }
}

/** How a buyer confirms. */
interface Confirmation {
  readonly isSlow?: boolean;
  readonly name?: string;
  /** If not the address that the session has already. */
  readonly email?: string;
  readonly discount?: number;
  /** If not those that the session asks for. */
  readonly taxes?: readonly DoubleTax[];
  /** What the seller has set for this customer at Stripe. */
  readonly taxExempt?: 'exempt' | 'none' | 'reverse';
  /** What a company enters on the page. */
  readonly company?: {
    readonly name: string;
    readonly address: Stripe.Address;
    readonly taxIds?: readonly string[];
  };
}

export type Account = ReturnType<typeof createAccount>;
