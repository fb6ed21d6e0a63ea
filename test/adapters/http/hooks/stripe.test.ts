import { expect } from 'chai';
import pino from 'pino';
import { createApp } from '../../../../adapters/http/app.ts';
import { createClientAddress } from '../../../../adapters/http/client-address.ts';
import { accountEnvelope } from '../../../../adapters/http/envelopes.ts';
import { createReporter } from '../../../../adapters/http/exchange.ts';
import { stripeHook } from '../../../../adapters/http/hooks/stripe.ts';
import { createHttpServer } from '../../../../adapters/http/server.ts';
import { createRouting, isUnder } from '../../../../adapters/http/surface.ts';
import { createManualClock } from '../../../../adapters/node/manual-clock.ts';
import { createStripeProvider } from '../../../../adapters/payments/stripe/provider.ts';
import { createWithin } from '../../../../adapters/within.ts';
import type { Order } from '../../../../core/purchases/order.ts';
import { createReceivePaymentEvent, type HeardEvent } from '../../../../core/purchases/payment-events.ts';
import { isRefused } from '../../../../core/refusal.ts';
import { createHttpClient } from '../../../support/http-client.ts';
import { made } from '../../../support/made.ts';
import { itLong } from '../../../support/required-service.ts';
import { stripeSignature } from '../../../support/stripe-double/events.ts';
import { startStripeDouble } from '../../../support/stripe-double/stripe-double.ts';
import { stripeOrder } from '../../../support/stripe-order.ts';

const begin = Date.UTC(2026, 10, 1);
const formerSecret = 'whsec_former0123456789';
const addresses = { done: 'https://shop.example/done', cancelled: 'https://shop.example/back' };

interface Options {
  readonly secretKey?: string;
  /** The secrets that the hook accepts, besides that of the double. */
  readonly secrets?: readonly string[];
  readonly isOff?: boolean;
}

/** Serves the hook for one order at a double of Stripe. The order knows its session, and nothing else. */
async function serve({ secretKey = 'sk_test_c4n4ry0123456789', secrets = [], isOff = false }: Options = {}) {
  const clock = createManualClock(begin);
  const stripe = await startStripeDouble({ clock, secretKey });
  const isLive = secretKey.startsWith('sk_live_');
  const provider = createStripeProvider({
    ...{ secretKey, isLive, api: stripe.url, clock, tax: { kind: 'none' }, retries: 0 },
    webhookSecrets: [...secrets, stripe.webhookSecret],
  });
  const unstarted = stripeOrder(begin, { isLive });
  const { paymentId } = await provider.start(unstarted, addresses);
  const order: Order = { ...unstarted, paymentId };
  const looks: { readonly id: number; readonly at: number }[] = [];
  const outage: { error?: Error } = {};
  const heard: HeardEvent['kind'][] = [];
  const receive = createReceivePaymentEvent({
    store: {
      findBySubscription: async () => undefined,
      findByPayment: async (name, id) => (name === 'stripe' && id === order.paymentId ? order : undefined),
      async lookAt(id, at) {
        if (outage.error) throw outage.error;
        looks.push({ id, at });
      },
    },
    settings: { provider: isOff ? undefined : provider },
    within: createWithin(10_000),
    clock,
  });
  const endpoint = stripeHook(async (body, signature) => {
    const result = await receive(body, signature);
    if (!isRefused(result)) heard.push(result.kind);
    return result;
  });
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line) => void lines.push(line) });
  const surface = {
    name: 'hooks',
    envelope: accountEnvelope,
    endpoints: [endpoint],
    quotaOf: () => ({ subject: 'all', allowances: [] }),
  };
  const app = createApp(
    createRouting([made((path) => isUnder(path, '/hooks'), surface)], undefined),
    createReporter(log, { observe: () => undefined }, createClientAddress([])),
  );
  const server = createHttpServer(app.callback(), { request: 10_000 });
  const { port } = await server.listen(0, '127.0.0.1');
  const url = `http://127.0.0.1:${port}`;
  const address = `${url}/hooks/stripe`;

  /** Sends a body as Stripe would, unless `headers` say otherwise. */
  const send = async (
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
    secret = stripe.webhookSecret,
  ) =>
    createHttpClient(url).send('/hooks/stripe', {
      method: 'POST',
      body,
      headers: {
        'Content-Type': 'application/json; charset=utf-8',
        'Stripe-Signature': stripeSignature(String(body), secret, Math.floor(clock.now() / 1_000)),
        ...headers,
      },
    });
  return {
    ...{ stripe, clock, order, paymentId, looks, outage, heard, lines, url, address, send },
    async [Symbol.asyncDispose]() {
      await server.close(0);
      await stripe[Symbol.asyncDispose]();
    },
  };
}

const eventOf = (type: string, object: object, more: object = {}) =>
  JSON.stringify({ id: 'evt_1', object: 'event', type, livemode: false, data: { object }, ...more });

describe('POST /hooks/stripe', () => {
  it('looks at the order of every event about its payment, and takes all others', async () => {
    await using hook = await serve();
    const { account } = hook.stripe;
    const intent = account.confirm(hook.paymentId, { isSlow: true });
    account.finish(hook.paymentId, true);
    account.refundsStart('pending');
    account.moveRefund(account.refund(intent, 100).id, 'succeeded');
    account.moveRefund(account.refund(intent, 100).id, 'failed');
    const dispute = account.dispute(intent);
    account.moveDispute(dispute.id, 'under_review');
    account.moveDispute(dispute.id, 'won');
    const delivered = await hook.stripe.deliver(hook.address);
    expect(delivered.map(({ type, status }, n) => [type, status, hook.heard[n]])).to.deep.equal([
      ['payment_intent.processing', 200, 'nothing'],
      ['checkout.session.completed', 200, 'order'],
      ['charge.succeeded', 200, 'nothing'],
      ['payment_intent.succeeded', 200, 'nothing'],
      ['checkout.session.async_payment_succeeded', 200, 'order'],
      ['refund.created', 200, 'order'],
      ['charge.refunded', 200, 'order'],
      ['refund.updated', 200, 'order'],
      ['refund.created', 200, 'order'],
      ['charge.refunded', 200, 'order'],
      ['refund.failed', 200, 'order'],
      ['charge.dispute.created', 200, 'order'],
      ['charge.dispute.funds_withdrawn', 200, 'order'],
      ['charge.dispute.updated', 200, 'order'],
      ['charge.dispute.funds_reinstated', 200, 'order'],
      ['charge.dispute.closed', 200, 'order'],
    ]);
    expect(new Set(hook.looks.map(({ id, at }) => `${id} ${at}`))).to.deep.equal(new Set([`7 ${begin}`]));
  });

  it('looks at the order when its page has ended, or a slow payment failed', async () => {
    for (const end of ['expire', 'fail'] as const) {
      await using hook = await serve();
      if (end === 'expire') hook.stripe.account.expire(hook.paymentId);
      else {
        hook.stripe.account.confirm(hook.paymentId, { isSlow: true });
        hook.stripe.account.finish(hook.paymentId, false);
      }
      await hook.stripe.deliver(hook.address);
      expect(hook.heard.at(-1)).to.equal('order');
    }
  });

  itLong('takes events several times, and in another order', async () => {
    await using hook = await serve();
    hook.stripe.account.refund(hook.stripe.account.confirm(hook.paymentId));
    const delivered = await hook.stripe.deliver(hook.address, { times: 3, order: 'reversed' });
    expect(new Set(delivered.map(({ status }) => status))).to.deep.equal(new Set([200]));
    expect(hook.looks).to.have.length(9);
  });

  it('gives no answer to the sender but that it was received', async () => {
    await using hook = await serve();
    const answer = await hook.send(eventOf('checkout.session.completed', { id: hook.paymentId }));
    expect(answer).to.include({ status: 200, text: '{"received":true}' });
  });

  it('takes an event that is signed with a former or a next secret', async () => {
    await using hook = await serve({ secrets: [formerSecret] });
    const body = eventOf('checkout.session.completed', { id: hook.paymentId });
    expect((await hook.send(body, {}, formerSecret)).status).to.equal(200);
    expect((await hook.send(body)).status).to.equal(200);
    expect(hook.looks).to.have.length(2);
  });

  describe('refuses with 400, and looks at nothing', () => {
    const body = (paymentId: string) => eventOf('checkout.session.completed', { id: paymentId });
    const second = begin / 1_000;
    const secret = 'whsec_c4n4ry0123456789';
    const forged: Record<string, (body: string) => string> = {
      'a signature with another secret': (text) => stripeSignature(text, 'whsec_other', second),
      'a signature of another body': (text) => stripeSignature(`${text} `, secret, second),
      'a signature that is older than five minutes': (text) => stripeSignature(text, secret, second - 301),
      'an old signature with a new time': (text) =>
        stripeSignature(text, secret, second - 301).replace(/t=\d+/, `t=${second}`),
      'only a signature of the old scheme': (text) => stripeSignature(text, secret, second).replace('v1=', 'v2='),
      'an empty signature': () => '',
      'a header without values': () => 't=now,v1=,v1',
      'a header with a time that is none': (text) => stripeSignature(text, secret, Number.NaN),
      'a header in another alphabet': () => 't=1,v1=äöü',
      'a very long header': () => `t=1${',v1=0'.repeat(2_000)}`,
    };
    for (const [name, sign] of Object.entries(forged)) {
      it(name, async () => {
        await using hook = await serve();
        const text = body(hook.paymentId);
        const answer = await hook.send(text, { 'Stripe-Signature': sign(text) });
        expect(answer.status).to.equal(400);
        expect(answer.body.error).to.deep.equal({
          code: 'BAD_REQUEST',
          message: 'The header Stripe-Signature does not fit this body, or is too old.',
        });
        expect(hook.looks).to.deep.equal([]);
      });
    }

    it('no signature at all', async () => {
      await using hook = await serve();
      const headers = { 'Content-Type': 'application/json' };
      const answer = await createHttpClient(hook.url).post('/hooks/stripe', body(hook.paymentId), headers);
      expect(answer.status).to.equal(400);
      expect(hook.looks).to.deep.equal([]);
    });

    it('an event that somebody recorded, sends again later', async () => {
      await using hook = await serve();
      const text = body(hook.paymentId);
      const headers = { 'Stripe-Signature': stripeSignature(text, secret, second) };
      hook.clock.advance(300_000);
      expect((await hook.send(text, headers)).status).to.equal(200);
      hook.clock.advance(1_000);
      expect((await hook.send(text, headers)).status).to.equal(400);
      expect(hook.looks).to.have.length(1);
    });
  });

  it('checks the signature on the bytes, not on the same JSON', async () => {
    await using hook = await serve();
    const pretty = JSON.stringify(JSON.parse(eventOf('checkout.session.completed', { id: hook.paymentId })), null, 2);
    const signed = stripeSignature(pretty, hook.stripe.webhookSecret, begin / 1_000);
    expect((await hook.send(pretty, { 'Stripe-Signature': signed })).status).to.equal(200);
    expect((await hook.send(JSON.stringify(JSON.parse(pretty)), { 'Stripe-Signature': signed })).status).to.equal(400);
  });

  it('takes events about nothing of ours with 200, and looks at nothing', async () => {
    await using hook = await serve();
    const { paymentId } = hook;
    hook.stripe.account.confirm(paymentId);
    const events = {
      'an unknown session': [eventOf('checkout.session.completed', { id: 'cs_test_other' }), 'unknown payment'],
      'an unknown intent': [eventOf('charge.refunded', { payment_intent: 'pi_other' }), 'unknown payment'],
      'a charge without an intent': [eventOf('charge.refunded', { payment_intent: null }), 'nothing'],
      'an unknown type': [eventOf('customer.created', { id: paymentId }), 'nothing'],
      'the other mode': [eventOf('checkout.session.completed', { id: paymentId }, { livemode: true }), 'nothing'],
      'a connected account': [
        eventOf('checkout.session.completed', { id: paymentId }, { account: 'acct_1' }),
        'nothing',
      ],
    } as const;
    for (const [name, [body, kind]] of Object.entries(events)) {
      expect((await hook.send(body)).status, name).to.equal(200);
      expect(hook.heard.at(-1), name).to.equal(kind);
    }
    expect(hook.looks).to.deep.equal([]);
  });

  itLong('refuses a signed body that is no event of Stripe with 400, and says why', async () => {
    await using hook = await serve();
    const noField = (field: string) => `The body is no event of Stripe: its field ${field} is missing or wrong.`;
    const noPayment = (type: string) => `The event ${type} does not name its payment.`;
    const completed = 'checkout.session.completed';
    const odd: readonly (readonly [body: string, message: string])[] = [
      ['{', 'The body is no valid JSON.'],
      ['\0', 'The body is no valid JSON.'],
      ['null', 'The body is no event of Stripe.'],
      ['[]', 'The body is no event of Stripe.'],
      ['7', 'The body is no event of Stripe.'],
      ['{}', noField('id')],
      [eventOf(completed, { id: hook.paymentId }, { id: undefined }), noField('id')],
      [eventOf(completed, { id: hook.paymentId }, { id: 7 }), noField('id')],
      [eventOf(completed, { id: hook.paymentId }, { object: 'account' }), noField('object')],
      [eventOf(completed, { id: hook.paymentId }, { type: undefined }), noField('type')],
      [eventOf(completed, { id: hook.paymentId }, { livemode: undefined }), noField('livemode')],
      [eventOf(completed, { id: hook.paymentId }, { data: null }), noField('data')],
      [
        JSON.stringify({ id: 'evt_1', object: 'v2.core.event', type: 'v1.charge.refunded', livemode: false }),
        'This is a thin event. Set the payload style of the event destination at Stripe to snapshot.',
      ],
      [eventOf(completed, {}), noPayment(completed)],
      [eventOf(completed, { id: null }), noPayment(completed)],
      [eventOf(completed, { id: 'cs_\0' }), noPayment(completed)],
      [eventOf(completed, { id: 'x'.repeat(256) }), noPayment(completed)],
      [eventOf(completed, [], { data: { object: null } }), noPayment(completed)],
      [eventOf('charge.refunded', {}), noPayment('charge.refunded')],
      [eventOf('charge.refunded', { payment_intent: { id: 7 } }), noPayment('charge.refunded')],
    ];
    for (const [body, message] of odd) {
      const answer = await hook.send(body);
      expect([answer.status, answer.body.error], body).to.deep.equal([400, { code: 'BAD_REQUEST', message }]);
    }
    expect(hook.heard).to.deep.equal([]);
    expect(hook.looks).to.deep.equal([]);
  });

  itLong('takes an event of an unknown kind with 200, whatever it is about', async () => {
    await using hook = await serve();
    for (const type of ['customer.created', 'constructor', '__proto__', '']) {
      for (const data of [{ object: {} }, { object: null }, {}]) {
        expect((await hook.send(eventOf(type, {}, { data }))).status, type).to.equal(200);
      }
    }
    expect(hook.looks).to.deep.equal([]);
  });

  it('takes only events of the live mode with a live key', async () => {
    await using hook = await serve({ secretKey: 'sk_live_c4n4ry0123456789' });
    for (const livemode of [false, true]) {
      const body = eventOf('checkout.session.completed', { id: hook.paymentId }, { livemode });
      expect((await hook.send(body)).status).to.equal(200);
      expect(hook.looks).to.have.length(livemode ? 1 : 0);
    }
  });

  it('reads a body of up to 1 MiB, and refuses a larger one with 413', async () => {
    await using hook = await serve();
    const body = eventOf('customer.created', { text: '' });
    const filled = (bytes: number) => body.replace('""', `"${'x'.repeat(bytes - body.length)}"`);
    expect((await hook.send(filled(1_048_576))).status).to.equal(200);
    expect((await hook.send(filled(1_048_577))).status).to.equal(413);
  });

  it('refuses other bodies than plain JSON with 415, and none with 400', async () => {
    await using hook = await serve();
    const body = eventOf('customer.created', {});
    for (const headers of [
      { 'Content-Type': 'text/plain' },
      { 'Content-Type': 'application/x-www-form-urlencoded' },
      { 'Content-Encoding': 'gzip' },
    ] as Record<string, string>[]) {
      expect((await hook.send(body, headers)).status).to.equal(415);
    }
    expect((await hook.send('')).status).to.equal(400);
    expect(hook.heard).to.deep.equal([]);
  });

  it('is sent again if it could not be noted', async () => {
    await using hook = await serve();
    hook.stripe.account.confirm(hook.paymentId);
    hook.outage.error = new Error('The database is away.');
    const statuses = (await hook.stripe.deliver(hook.address)).map(({ type, status }) => [type, status]);
    expect(statuses).to.deep.include(['checkout.session.completed', 500]);
    delete hook.outage.error;
    expect(await hook.stripe.deliver(hook.address)).to.deep.equal([
      { type: 'checkout.session.completed', status: 200 },
    ]);
    expect(hook.looks).to.have.length(1);
  });

  it('is sent again if Stripe cannot be asked about its intent', async () => {
    await using hook = await serve();
    const body = eventOf('charge.refunded', { payment_intent: hook.stripe.account.confirm(hook.paymentId) });
    hook.stripe.failNext('GET /v1/checkout/sessions', 'busy');
    expect((await hook.send(body)).status).to.equal(503);
    expect((await hook.send(body)).status).to.equal(200);
    expect(hook.looks).to.have.length(1);
  });

  it('does not exist without Stripe, or by GET', async () => {
    await using hook = await serve({ isOff: true });
    expect((await hook.send(eventOf('customer.created', {}))).status).to.equal(404);
    expect((await createHttpClient(hook.url).get('/hooks/stripe')).status).to.equal(405);
  });

  it('writes no secret, signature or body into the log', async () => {
    await using hook = await serve();
    const body = eventOf('checkout.session.completed', { id: hook.paymentId, email: 'ada@example.com' });
    await hook.send(body);
    await hook.send(body, { 'Stripe-Signature': 't=1,v1=c4n4ry' });
    hook.outage.error = new Error('The database is away.');
    await hook.send(body);
    expect(hook.lines).to.have.length(3);
    expect(hook.lines.join('')).to.not.match(/c4n4ry|v1=|ada@example/);
  });
});
