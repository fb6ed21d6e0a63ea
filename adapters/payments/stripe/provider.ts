import Stripe from 'stripe';
import type { Abort } from '../../../core/abort.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import type { PaymentProvider } from '../../../core/ports/payments.ts';
import type { Order } from '../../../core/purchases/order.ts';
import { isRefused, refuse } from '../../../core/refusal.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { takes, toStripe } from './amounts.ts';
import { beforeDeadline, createConnection } from './connection.ts';
import { intentOfInvoice, isInvoiceId, knownInvoice, paymentOfInvoice } from './invoices.ts';
import { testKey } from './key-test.ts';
import { idOf, knownPayment } from './known-payment.ts';
import { aboutOf, verified } from './received.ts';
import { couponOf, digestOf, keyOf, sessionOf, type Tax } from './requests.ts';
import { createSubscriptions } from './subscriptions.ts';
import { ratesOf } from './tax-facts.ts';
import { isMissing, isRefusal, isRepeatedFailure, troubleOf } from './troubles.ts';

export interface StripeOptions {
  readonly secretKey: string;
  /** Whether the key takes real money. */
  readonly isLive: boolean;
  /** The secrets of the webhook endpoint: two while one replaces the other. */
  readonly webhookSecrets: readonly string[];
  readonly tax: Tax;
  /** The address of Stripe's API, for example of a double of Stripe. */
  readonly api: string;
  readonly clock: Clock;
  /** Milliseconds for which one try of a call may wait in silence. Default: 10,000: a look must end before its lease. */
  readonly timeout?: number;
  /** How often a failed call is repeated at once. Default: 1. */
  readonly retries?: number;
}

/** How many idempotency keys an order has for each thing of its start. A key is used up when Stripe itself failed with it. */
const mostStarts = 3;
const pageSize = 100;
/** More refunds than a payment can have in practice. The SDK wants a limit. */
const mostEach = 10_000;
/** Seconds before and after an order was made in which its payment is looked for. Two clocks can differ by minutes. */
const nearby = 600;

/** Takes payments on the page of Stripe: https://docs.stripe.com/payments/checkout. */
export function createStripeProvider(options: StripeOptions): PaymentProvider {
  const { secretKey, isLive, webhookSecrets, tax, clock, timeout = 10_000, retries = 1 } = options;
  const connect = createConnection(options.api, timeout);
  const shared = { maxNetworkRetries: retries, telemetry: false, appInfo: { name: 'Latchkey' } };

  /** Runs calls of the SDK, with all their tries, until the deadline. Their errors become ours. */
  async function asking<T>(doing: string, until: Abort | undefined, call: (stripe: Stripe) => Promise<T>): Promise<T> {
    try {
      return await beforeDeadline(call(new Stripe(secretKey, { ...shared, ...connect(until) })), until);
    } catch (error) {
      throw troubleOf(error, doing);
    }
  }

  const refundsOf = (stripe: Stripe, intentId: string) =>
    stripe.refunds.list({ payment_intent: intentId, limit: pageSize }).autoPagingToArray({ limit: mostEach });
  const disputesOf = (stripe: Stripe, intentId: string) =>
    stripe.disputes.list({ payment_intent: intentId, limit: pageSize }).autoPagingToArray({ limit: mostEach });

  async function takenBack(stripe: Stripe, intentId: string | null) {
    if (intentId === null) return { refunds: [], disputes: [] };
    const [refunds, disputes] = await Promise.all([refundsOf(stripe, intentId), disputesOf(stripe, intentId)]);
    return { refunds, disputes };
  }

  /** Throws if an object is of the other mode: it must never count as real money, or as play money. */
  function ofThisMode<T extends { readonly id: string; readonly livemode: boolean }>(one: T): T {
    if (one.livemode !== isLive) throw new Error(`Stripe's ${one.id} is of the other mode.`);
    return one;
  }

  return {
    name: 'stripe',
    isLive,
    subscriptions: createSubscriptions(asking, isLive),
    takes,

    async start(order, addresses, until) {
      if (order.isLive !== isLive) throw new Error(`Order ${order.id} is of the other mode.`);
      const session = await asking('at the start of a payment', until, async (stripe) => {
        const discount = couponOf(order);
        const coupon =
          discount &&
          (await making(order, 'coupon', (idempotencyKey) => stripe.coupons.create(discount, { idempotencyKey }))).id;
        const params = sessionOf(order, addresses, tax, coupon);
        return await making(order, 'start', (idempotencyKey) =>
          stripe.checkout.sessions.create(params, { idempotencyKey }),
        );
      });
      const { id, url } = ofThisMode(session);
      if (url === null) throw new Error(`Stripe's ${id} has no page.`);
      return { paymentId: id, payAt: url };
    },

    async find({ id, token, createdAt }, until) {
      const madeAt = Math.floor(createdAt / 1_000);
      const created = { gte: madeAt - nearby, lte: madeAt + nearby };
      return await asking('at the search for a payment', until, async (stripe) => {
        for await (const session of stripe.checkout.sessions.list({ created, limit: pageSize })) {
          // Several services can use one Stripe account, and their orders have the same ids. Only ours knows the token.
          const isOurs = session.client_reference_id === String(id) && session.cancel_url?.includes(token) === true;
          if (isOurs) return ofThisMode(session).id;
        }
        return undefined;
      });
    },

    async read(paymentId, until) {
      return await asking('at the look at a payment', until, async (stripe) => {
        if (isInvoiceId(paymentId)) {
          const [invoice, intent] = await Promise.all([
            stripe.invoices.retrieve(paymentId),
            intentOfInvoice(stripe, paymentId),
          ]);
          const rates = await ratesOf(stripe, invoice);
          return knownInvoice(ofThisMode(invoice), intent, rates, await takenBack(stripe, idOf(intent)));
        }
        const session = ofThisMode(
          await stripe.checkout.sessions.retrieve(paymentId, {
            expand: ['payment_intent', 'total_details.breakdown'],
          }),
        );
        const invoice = idOf(session.invoice);
        const intent = session.payment_intent ?? (invoice === null ? null : await intentOfInvoice(stripe, invoice));
        return knownPayment({
          session: { ...session, payment_intent: intent },
          ...(await takenBack(stripe, idOf(intent))),
        });
      });
    },

    async refund(order, amount, { key, request, product }, until) {
      const intent = order.intentId;
      if (intent === null) return refuse('refund_not_possible', 'The order has no payment that can be refunded.');
      return await asking('at a refund', until, async (stripe) => {
        try {
          // Stripe forgets keys after a day, so they are in the refunds too. One that failed does not count.
          const made = await refundsOf(stripe, intent);
          if (product === undefined && made.some((one) => isOf(one, request))) return undefined;
          const asked = made.filter(({ metadata }) => metadata?.key === key);
          const failed = asked.filter(hasFailed);
          if (asked.length > failed.length) return undefined;
          await stripe.refunds.create(
            {
              payment_intent: intent,
              amount: toStripe(amount, order.payment.currency),
              metadata: {
                ...{ order: String(order.id), key },
                ...(product !== undefined && { product: String(product) }),
                ...(request !== undefined && { request: digestOf(request) }),
              },
            },
            { idempotencyKey: keyOf(order, `${key}-${failed.length + 1}`) },
          );
          return undefined;
        } catch (error) {
          // At the same moment, another request asks for the same refund. A repeat finds it.
          if (error instanceof Stripe.errors.StripeIdempotencyError)
            throw new Unavailable('Another request asks Stripe for the same refund.');
          if (isRefusal(error) && !isMissing(error)) return refuse('refund_not_possible', whyNot(error.code));
          throw error;
        }
      });
    },

    async hasRefunded({ intentId }, request, until) {
      if (intentId === null) return false;
      return await asking('at the search for a refund', until, async (stripe) =>
        (await refundsOf(stripe, intentId)).some((one) => isOf(one, request)),
      );
    },

    async receive(body, signature) {
      const event = await verified(body, signature, webhookSecrets, clock.now());
      return isRefused(event) ? event : aboutOf(event, isLive);
    },

    test: (until) => testKey(asking, until),

    async paymentOf(intentId, until) {
      return await asking('at the search for a payment', until, async (stripe) => {
        const { data } = await stripe.checkout.sessions.list({ payment_intent: intentId, limit: 1 });
        if (data[0] !== undefined) return data[0].id;
        return await paymentOfInvoice(stripe, intentId);
      });
    },
  };
}

/**
 * Makes something of an order, once. What a failed try has made is used by nobody: its id is not known. So making another
 * one does no harm.
 */
async function making<T>(order: Order, what: string, make: (idempotencyKey: string) => Promise<T>): Promise<T> {
  for (let start = 1; ; start++) {
    try {
      return await make(keyOf(order, `${what}-${start}`));
    } catch (error) {
      if (start === mostStarts || !isRepeatedFailure(error)) throw error;
    }
  }
}

function hasFailed({ status }: Stripe.Refund): boolean {
  return status === 'failed' || status === 'canceled';
}

/** Whether this request has made the refund. */
function isOf(refund: Stripe.Refund, request: string | undefined): boolean {
  return request !== undefined && refund.metadata?.request === digestOf(request) && !hasFailed(refund);
}

const reasons: Readonly<Partial<Record<string, string>>> = {
  charge_already_refunded: 'It is refunded already.',
  charge_disputed: 'The payment is disputed.',
  charge_exceeds_source_limit: 'The amount is larger than what is left.',
  insufficient_funds: 'The balance at Stripe is too low.',
  balance_insufficient: 'The balance at Stripe is too low.',
};

function whyNot(code: string | undefined): string {
  const why = reasons[code ?? ''];
  return why === undefined
    ? `Stripe refuses the refund${code ? ` (${code})` : ''}.`
    : `Stripe refuses the refund. ${why}`;
}
