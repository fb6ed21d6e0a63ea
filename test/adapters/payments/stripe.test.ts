import { expect } from 'chai';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import { takes } from '../../../adapters/payments/stripe/amounts.ts';
import { createStripeProvider, type StripeOptions } from '../../../adapters/payments/stripe/provider.ts';
import { sessionOf, type Tax } from '../../../adapters/payments/stripe/requests.ts';
import { createWithin } from '../../../adapters/within.ts';
import type { Abort } from '../../../core/abort.ts';
import type { KnownPayment } from '../../../core/ports/payments.ts';
import type { Order } from '../../../core/purchases/order.ts';
import { isRefused } from '../../../core/refusal.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { errorOf } from '../../support/error-of.ts';
import { exampleOffer } from '../../support/example-product.ts';
import { itLong } from '../../support/required-service.ts';
import { startSilentServer } from '../../support/silent-server.ts';
import { startStripeDouble } from '../../support/stripe-double/stripe-double.ts';
import { stripeOrder } from '../../support/stripe-order.ts';

const begin = Date.UTC(2026, 10, 1);
const day = 24 * 3_600_000;
const addresses = { done: 'https://shop.example/orders/t?paid', cancelled: 'https://shop.example/orders/t' };

/** Starts Stripe's double, with the adapter in front of it. */
async function start(more: Partial<StripeOptions> = {}, double: { readonly secretKey?: string } = {}) {
  const clock = createManualClock(begin);
  const stripe = await startStripeDouble({ clock, ...double });
  const { secretKey, webhookSecret, account } = stripe;
  const provider = createStripeProvider({
    ...{ secretKey, webhookSecrets: [webhookSecret], api: stripe.url, clock },
    ...{ isLive: false, tax: { kind: 'none' }, retries: 0 },
    ...more,
  });
  /** An order that the buyer has paid. */
  async function paid(given: Parameters<typeof account.confirm>[1] = {}) {
    const order = stripeOrder(begin);
    const { paymentId } = await provider.start(order, addresses);
    const intentId = account.confirm(paymentId, given);
    return { ...order, paymentId, intentId } satisfies Order;
  }
  const { read } = provider;
  const refund = (order: Order, amount: number, key: string, request?: string) =>
    provider.refund(order, amount, { key, request });
  return { ...stripe, clock, provider, read, refund, paid };
}

/** The addresses of the order's page. Their path is its token. */
const addressesOf = ({ token }: Order) => ({
  done: `https://shop.example/orders/${token}?paid`,
  cancelled: `https://shop.example/orders/${token}`,
});

describe('a price at Stripe', () => {
  const starting = async (price: number, currency: string) => {
    await using stripe = await start();
    const order = stripeOrder(begin);
    const agreed = { ...order.agreed, price, currency };
    const payment = { ...order.payment, currency };
    const asked = { ...order, agreed, payment };
    const { paymentId } = await stripe.provider.start(asked, addresses);
    const session = stripe.account.session(paymentId);
    const intentId = stripe.account.confirm(paymentId);
    const paid = { ...asked, paymentId, intentId };
    const known = await stripe.read(paymentId);
    await stripe.refund(paid, price, 'all');
    const { refunded } = await stripe.read(paymentId);
    return { amount: session.amount_subtotal, known, refunded };
  };

  for (const [currency, price, written] of [
    ['usd', 4_900, 4_900],
    ['jpy', 7_000, 7_000],
    ['kwd', 12_500, 12_500],
    // Stripe writes these with two decimals more.
    ['isk', 6_900, 690_000],
    ['ugx', 180_000, 18_000_000],
  ] as const) {
    it(`of ${currency} is asked for in Stripe's units, and comes back as it was agreed`, async () => {
      const { amount, known, refunded } = await starting(price, currency);
      expect(amount).to.equal(written);
      expect(known).to.deep.include({ status: 'paid', currency, subtotal: price, total: price, refunded: 0 });
      expect(refunded).to.equal(price);
    });
  }

  itLong(
    "is taken exactly if Stripe takes it: its least amounts, digits and decimals, also by the double's own table",
    async () => {
      for (const [currency, least] of Object.entries({ usd: 50, eur: 50, gbp: 30, jpy: 50, huf: 17_500, mxn: 1_000 })) {
        expect([takes(least - 1, currency), takes(least, currency)], currency).to.deep.equal([false, true]);
        await starting(least, currency);
        expect(await errorOf(starting(least - 1, currency)), currency).to.be.an('error');
      }
      expect([takes(99_999_999, 'usd'), takes(100_000_000, 'usd')]).to.deep.equal([true, false]);
      expect([takes(999_999_999_999, 'idr'), takes(9_999_999_999, 'cop'), takes(999_999, 'isk')]).to.deep.equal([
        true,
        true,
        true,
      ]);
      expect([takes(1_000_000, 'isk'), takes(12_505, 'kwd'), takes(500, 'xyz')]).to.deep.equal([false, false, false]);
    },
  );

  it('of another currency than US dollars is never converted by Stripe', () => {
    const order = stripeOrder(begin);
    const asked = (currency: string, tax: Tax) =>
      sessionOf({ ...order, agreed: { ...order.agreed, currency } }, addresses, tax).adaptive_pricing;
    expect(asked('eur', { kind: 'none' })).to.deep.equal({ enabled: false });
    expect(asked('usd', { kind: 'none' }), "the account's own setting").to.equal(undefined);
    expect(asked('eur', { kind: 'managed', code: 'txcd_1' })).to.equal(undefined);
  });
});

describe('a payment at Stripe', () => {
  it('starts on a page for the agreed price, with the order in session and intent', async () => {
    await using stripe = await start();
    const { paymentId, payAt } = await stripe.provider.start(stripeOrder(begin), addresses);
    expect(payAt).to.equal(`${stripe.url}/c/pay/${paymentId}`);
    expect(await (await fetch(payAt)).text()).to.include('4900 usd for ada@example.com');
    const session = stripe.account.session(paymentId);
    expect(session).to.deep.include({
      amount_subtotal: 4_900,
      currency: 'usd',
      client_reference_id: '7',
      metadata: { order: '7' },
      customer_email: 'ada@example.com',
      success_url: addresses.done,
      cancel_url: addresses.cancelled,
      expires_at: (begin + day) / 1_000 - 3_600,
    });
    const intentId = stripe.account.confirm(paymentId);
    expect(stripe.account.intents.get(intentId)?.metadata).to.deep.equal({ order: '7' });
  });

  it('starts once for an order, however often it is asked for', async () => {
    await using stripe = await start();
    const order = stripeOrder(begin);
    const first = await stripe.provider.start(order, addresses);
    stripe.clock.advance(60_000);
    expect(await stripe.provider.start(order, addresses)).to.deep.equal(first);
    expect(stripe.account.sessions.size).to.equal(1);
  });

  it('starts anew for an order with the same id of another service on the same account', async () => {
    await using stripe = await start();
    const first = await stripe.provider.start(stripeOrder(begin), addresses);
    const other = await stripe.provider.start(stripeOrder(begin, { token: 'zzzz6789abcdefghjkmnpqrs' }), addresses);
    expect(other.paymentId).to.not.equal(first.paymentId);
  });

  it('does not tell Stripe the token of the order in a key', async () => {
    await using stripe = await start();
    const order = stripeOrder(begin);
    await stripe.provider.start(order, addresses);
    expect(stripe.calls[0]?.idempotencyKey)
      .to.match(/^latchkey-[0-9a-f]{32}-start-1$/)
      .and.not.include(order.token);
  });

  it('starts in spite of a failure that Stripe repeats for the same key, before or after its effect', async () => {
    for (const mishap of ['before', 'after'] as const) {
      await using stripe = await start();
      const order = stripeOrder(begin);
      stripe.failNext('POST /v1/checkout/sessions', mishap);
      expect(await errorOf(stripe.provider.start(order, addresses))).to.be.instanceOf(Unavailable);
      const { payAt } = await stripe.provider.start(order, addresses);
      expect((await fetch(payAt)).status).to.equal(200);
      expect(await stripe.provider.start(order, addresses)).to.include({ payAt });
    }
  });

  it('starts once if the answer is lost on its way', async () => {
    await using stripe = await start();
    stripe.failNext('POST /v1/checkout/sessions', 'cut');
    await stripe.provider.start(stripeOrder(begin), addresses);
    expect(stripe.account.sessions.size).to.equal(1);
    expect(stripe.calls).to.have.length(2);
  });

  it('is found by its order if the answer to its start was lost, and nobody else finds it', async () => {
    await using stripe = await start();
    const order = stripeOrder(begin);
    expect(await stripe.provider.find(order)).to.equal(undefined);
    const { paymentId } = await stripe.provider.start(order, addressesOf(order));
    // Another service on the same account has an order with the same id.
    const other = stripeOrder(begin, { token: 'zzzz6789abcdefghjkmnpqrs' });
    const { paymentId: others } = await stripe.provider.start(other, addressesOf(other));
    stripe.clock.advance(day / 4);
    for (let n = 0; n < 3; n++) {
      const later = stripeOrder(begin + day / 4, { token: `later${n}` });
      await stripe.provider.start(later, addressesOf(later));
    }
    expect([await stripe.provider.find(order), await stripe.provider.find(other)]).to.deep.equal([paymentId, others]);
    expect(await stripe.provider.find(stripeOrder(begin, { token: 'nobodys' }))).to.equal(undefined);
  });

  it('never starts for an order of the other mode', async () => {
    await using stripe = await start();
    expect(await errorOf(stripe.provider.start(stripeOrder(begin, { isLive: true }), addresses))).to.be.an('error');
    expect(stripe.calls).to.deep.equal([]);
  });

  it('names the product, and the offer by which it is sold, with the price of the offer', async () => {
    const plain = stripeOrder(begin);
    const { slug, name, kind, updatesMonths, entitlements } = exampleOffer;
    const offer = { slug, name, kind, updatesMonths, entitlements };
    const sold = stripeOrder(begin, { agreed: { ...plain.agreed, price: 14_900, offer } });
    for (const [order, title, amount] of [
      [plain, 'Token Kit', '4900'],
      [sold, 'Token Kit: Team', '14900'],
    ] as const) {
      await using stripe = await start();
      await stripe.provider.start(order, addresses);
      const form = stripe.calls[0]?.form;
      expect(form?.get('line_items[0][price_data][product_data][name]')).to.equal(title);
      expect(form?.get('line_items[0][price_data][unit_amount]')).to.equal(amount);
    }
  });

  it('asks for tax or for Managed Payments only if that is set', async () => {
    const taxes = [
      [{ kind: 'none' }, undefined, undefined, undefined],
      [{ kind: 'automatic', code: undefined }, 'true', undefined, undefined],
      [{ kind: 'automatic', code: 'txcd_10202003' }, 'true', undefined, 'txcd_10202003'],
      [{ kind: 'managed', code: 'txcd_10202003' }, undefined, 'true', 'txcd_10202003'],
    ] as const;
    for (const [tax, automatic, managed, code] of taxes) {
      await using stripe = await start({ tax });
      const { paymentId } = await stripe.provider.start(stripeOrder(begin), addresses);
      const form = stripe.calls[0]?.form;
      expect(form?.get('automatic_tax[enabled]') ?? undefined).to.equal(automatic);
      expect(form?.get('managed_payments[enabled]') ?? undefined).to.equal(managed);
      expect(form?.get('line_items[0][price_data][product_data][tax_code]') ?? undefined).to.equal(code);
      stripe.account.confirm(paymentId);
      const total = tax.kind === 'none' ? 4_900 : 5_880;
      expect(await stripe.read(paymentId)).to.include({ status: 'paid', subtotal: 4_900, total });
    }
  });

  it('is open, and ends with its page', async () => {
    await using stripe = await start();
    const { paymentId } = await stripe.provider.start(stripeOrder(begin), addresses);
    const open = { status: 'open', currency: 'usd', subtotal: 4_900, total: 4_900, intentId: null } as const;
    expect(await stripe.read(paymentId)).to.deep.include(open);
    stripe.account.expire(paymentId);
    expect(await stripe.read(paymentId)).to.deep.include({ ...open, status: 'expired' });
  });

  it('is paid, with the intent and the name of the buyer', async () => {
    await using stripe = await start();
    const { paymentId, intentId } = await stripe.paid();
    expect(await stripe.read(paymentId)).to.deep.equal({
      ...{ status: 'paid', currency: 'usd', subtotal: 4_900, total: 4_900 },
      ...{ refunded: 0, refundsPending: 0, dispute: null, intentId, subscriptionId: null },
      buyer: { email: 'ada@example.com', name: 'Ada Buyer' },
      billing: null,
    });
  });

  it('tells what a company entered, and each tax with its name, rate and place', async () => {
    await using stripe = await start({ tax: { kind: 'automatic', code: undefined } });
    const address = {
      line1: 'ул. Ленина 5',
      line2: null,
      city: 'Wien',
      state: null,
      postal_code: '1010',
      country: 'AT',
    };
    const { paymentId } = await stripe.paid({
      taxes: [
        { name: 'VAT', percent: 20, country: 'AT' },
        { name: 'State tax', percent: 4, country: 'US', state: 'NY', isIncluded: true },
        { percent: 0 },
      ],
      company: { name: '株式会社 Über\u202e', address, taxIds: ['ATU13585627'] },
    });
    const known = await stripe.read(paymentId);
    expect(known).to.include({ subtotal: 4_900, total: 5_880 });
    expect(known.taxes).to.deep.equal([
      { name: 'VAT', rate: 20, amount: 980, isIncluded: false, country: 'AT', state: null },
      { name: 'State tax', rate: 4, amount: 188, isIncluded: true, country: 'US', state: 'NY' },
    ]);
    expect(known.billing).to.deep.equal({
      ...{ name: '株式会社 Über', lines: ['ул. Ленина 5'], postalCode: '1010', city: 'Wien', region: '' },
      ...{ country: 'AT', taxId: 'ATU13585627' },
    });
  });

  for (const [why, confirmed, isReverseCharge] of [
    ['a reverse charge by the place of the buyer', { taxes: [{ percent: 0, reason: 'reverse_charge' }] }, true],
    ['a customer with reverse charge', { taxes: [], taxExempt: 'reverse' }, true],
    ['a customer who is exempt', { taxes: [{ percent: 0, reason: 'customer_exempt' }], taxExempt: 'exempt' }, false],
    ['a product without tax', { taxes: [{ percent: 0, reason: 'product_exempt' }] }, false],
    ['a country in which the seller takes no tax', { taxes: [{ percent: 0, reason: 'not_collecting' }] }, undefined],
    ['no tax at all', {}, undefined],
    ['a tax', { taxes: [{ percent: 20 }] }, undefined],
  ] as const) {
    const said = { true: 'says that it is', false: 'says that it is not', undefined: 'does not say' };
    it(`${said[`${isReverseCharge}`]} a reverse charge: ${why}`, async () => {
      await using stripe = await start();
      const { paymentId } = await stripe.paid(confirmed);
      const known = await stripe.read(paymentId);
      expect(known.isReverseCharge).to.equal(isReverseCharge);
    });
  }

  for (const isPaid of [true, false]) {
    it(`by a slow method is on its way, and then ${isPaid ? 'paid' : 'failed'}`, async () => {
      await using stripe = await start();
      const { paymentId } = await stripe.paid({ isSlow: true });
      expect(await stripe.read(paymentId)).to.include({ status: 'processing' });
      stripe.account.finish(paymentId, isPaid);
      expect(await stripe.read(paymentId)).to.include({ status: isPaid ? 'paid' : 'failed' });
    });
  }

  it('tells the amounts and the currency that Stripe has, not those of the order', async () => {
    await using stripe = await start();
    const { paymentId } = await stripe.paid();
    Object.assign(stripe.account.session(paymentId), { amount_subtotal: 1, amount_total: 2, currency: 'EUR' });
    expect(await stripe.read(paymentId)).to.include({ subtotal: 1, total: 2, currency: 'eur' });
  });

  it('is not read in the other mode, or if Stripe does not know it', async () => {
    await using stripe = await start();
    const { paymentId } = await stripe.paid();
    Object.assign(stripe.account.session(paymentId), { livemode: true });
    for (const id of [paymentId, 'cs_test_unknown']) {
      const error = await errorOf(stripe.read(id));
      expect(error).to.be.an('error').and.not.instanceOf(Unavailable);
    }
  });
});

describe('a refund at Stripe', () => {
  it('is made in part and in full, and counts when it has arrived', async () => {
    await using stripe = await start();
    const order = await stripe.paid();
    const seen = async (): Promise<Partial<KnownPayment>> => stripe.read(order.paymentId);
    expect(await stripe.refund(order, 900, 'first')).to.equal(undefined);
    expect(await seen()).to.include({ refunded: 900, refundsPending: 0 });
    stripe.account.refundsStart('pending');
    expect(await stripe.refund(order, 4_000, 'second')).to.equal(undefined);
    expect(await seen()).to.include({ refunded: 900, refundsPending: 4_000 });
    const [, second] = [...stripe.account.refunds.keys()];
    stripe.account.moveRefund(second ?? '', 'succeeded');
    expect(await seen()).to.include({ refunded: 4_900, refundsPending: 0 });
  });

  it('that fails or is canceled counts nowhere, and can be made again', async () => {
    for (const end of ['failed', 'canceled'] as const) {
      await using stripe = await start();
      const order = await stripe.paid();
      stripe.account.refundsStart('requires_action');
      for (const times of [1, 2]) {
        expect(await stripe.refund(order, 4_900, 'all')).to.equal(undefined);
        expect(stripe.account.refunds.size).to.equal(times);
        expect(await stripe.read(order.paymentId)).to.include({ refunded: 0, refundsPending: 4_900 });
        stripe.account.moveRefund([...stripe.account.refunds.keys()].at(-1) ?? '', end);
        expect(await stripe.read(order.paymentId)).to.include({ refunded: 0, refundsPending: 0 });
      }
    }
  });

  it('that has arrived can still fail', async () => {
    await using stripe = await start();
    const order = await stripe.paid();
    await stripe.refund(order, 4_900, 'all');
    expect(await stripe.read(order.paymentId)).to.include({ refunded: 4_900 });
    stripe.account.moveRefund([...stripe.account.refunds.keys()].at(-1) ?? '', 'failed');
    expect(await stripe.read(order.paymentId)).to.include({ refunded: 0, refundsPending: 0 });
  });

  it('is made once for a key, at once and after Stripe forgot it', async () => {
    await using stripe = await start();
    const order = await stripe.paid();
    const same = () => stripe.refund(order, 1_000, 'key');
    await Promise.all([same(), same()]);
    await same();
    const [refund] = stripe.account.refunds.values();
    expect(stripe.account.refunds.size).to.equal(1);
    expect(refund?.metadata).to.deep.equal({ order: '7', key: 'key' });
    await stripe.refund(order, 1_000, 'other');
    expect(stripe.account.refunds.size).to.equal(2);
  });

  it('is made once for a request, whatever its other key; and again if it failed', async () => {
    await using stripe = await start();
    const order = await stripe.paid();
    const request = `1:test:refund-order:${'k'.repeat(255)}`;
    expect(await stripe.provider.hasRefunded(order, request)).to.equal(false);
    await stripe.refund(order, 1_000, 'before', request);
    await stripe.refund(order, 1_000, 'after', request);
    expect(await stripe.provider.hasRefunded(order, request)).to.equal(true);
    const [[id, refund] = []] = stripe.account.refunds;
    expect(stripe.account.refunds.size).to.equal(1);
    expect(JSON.stringify(refund)).not.to.include('kkk');
    stripe.account.moveRefund(id ?? '', 'failed');
    expect(await stripe.provider.hasRefunded(order, request)).to.equal(false);
    await stripe.refund(order, 1_000, 'before', request);
    expect(stripe.account.refunds.size).to.equal(2);
  });

  it('is made once if Stripe fails after its effect, or the answer is lost', async () => {
    for (const mishap of ['after', 'cut'] as const) {
      await using stripe = await start();
      const order = await stripe.paid();
      stripe.failNext('POST /v1/refunds', mishap);
      await stripe.refund(order, 1_000, 'key').catch((error) => expect(error).to.be.instanceOf(Unavailable));
      expect(await stripe.refund(order, 1_000, 'key')).to.equal(undefined);
      expect(stripe.account.refunds.size).to.equal(1);
    }
  });

  it('is refused if Stripe refuses it, with the reason', async () => {
    await using stripe = await start();
    const order = await stripe.paid();
    const detailOf = async (amount: number) => {
      const refused = await stripe.refund(order, amount, `of ${amount}`);
      return isRefused(refused) ? `${refused.reason}: ${refused.detail}` : refused;
    };
    expect(await detailOf(5_000)).to.equal('refund_not_possible: Stripe refuses the refund.');
    stripe.account.refund(order.intentId);
    expect(await detailOf(1)).to.equal('refund_not_possible: Stripe refuses the refund. It is refunded already.');
    const other = await stripe.provider.refund({ ...order, intentId: null }, 1, { key: 'key' });
    expect(other).to.include({ reason: 'refund_not_possible' });
  });

  it('is refused while the payment is disputed', async () => {
    await using stripe = await start();
    const order = await stripe.paid();
    stripe.account.dispute(order.intentId);
    const refused = await stripe.refund(order, 1, 'key');
    expect(refused).to.include({ detail: 'Stripe refuses the refund. The payment is disputed.' });
  });

  it('is found behind very many others', async () => {
    await using stripe = await start();
    const order = await stripe.paid();
    for (let cent = 0; cent < 250; cent++) stripe.account.refund(order.intentId, 1, { key: `cent ${cent}` });
    expect(await stripe.read(order.paymentId)).to.include({ refunded: 250 });
    await stripe.refund(order, 1, 'cent 0');
    expect(stripe.account.refunds.size).to.equal(250);
  });
});

describe('a dispute at Stripe', () => {
  const meanings = [
    ['warning_needs_response', null],
    ['warning_under_review', null],
    ['warning_closed', null],
    ['needs_response', 'open'],
    ['under_review', 'open'],
    ['appeal_needs_response', 'open'],
    ['appeal_under_review', 'open'],
    ['won', 'won'],
    ['lost', 'lost'],
    ['prevented', 'lost'],
    ['a status that Stripe adds later', 'lost'],
  ] as const;
  for (const [status, meaning] of meanings) {
    it(`${status} means ${meaning ?? 'none'}`, async () => {
      await using stripe = await start();
      const order = await stripe.paid();
      stripe.account.dispute(order.intentId, status);
      expect((await stripe.read(order.paymentId)).dispute).to.equal(meaning);
    });
  }

  it('that moved no money counts as none if its status is unknown', async () => {
    await using stripe = await start();
    const order = await stripe.paid();
    const { balance_transactions: moved } = stripe.account.dispute(order.intentId, 'prevented');
    moved.length = 0;
    expect((await stripe.read(order.paymentId)).dispute).to.equal(null);
  });

  it('counts by its worst state if there are several', async () => {
    await using stripe = await start();
    const order = await stripe.paid();
    const state = async () => (await stripe.read(order.paymentId)).dispute;
    const first = stripe.account.dispute(order.intentId);
    stripe.account.moveDispute(first.id, 'won');
    expect(await state()).to.equal('won');
    const second = stripe.account.dispute(order.intentId);
    expect(await state()).to.equal('open');
    stripe.account.moveDispute(second.id, 'lost');
    stripe.account.dispute(order.intentId, 'warning_needs_response');
    expect(await state()).to.equal('lost');
  });
});

describe('the session of an intent', () => {
  it('is found for our payments, and undefined for others', async () => {
    await using stripe = await start();
    const { paymentId, intentId } = await stripe.paid();
    expect(await stripe.provider.paymentOf(intentId)).to.equal(paymentId);
    expect(await stripe.provider.paymentOf('pi_unknown')).to.equal(undefined);
  });
});

describe('Stripe in trouble', () => {
  const canary = 'c4n4ry';
  /** Everything that a log would show of an error. */
  const shown = (error: unknown): string =>
    error instanceof Error
      ? `${error.stack} ${JSON.stringify(error, Object.getOwnPropertyNames(error))} ${shown(error.cause)}`
      : String(error);

  const acts = {
    start: (stripe: Stripe, order: Order) => stripe.provider.start({ ...order, token: 'another' }, addresses),
    read: (stripe: Stripe, { paymentId }: Order) => stripe.read(paymentId ?? ''),
    refund: (stripe: Stripe, order: Order) => stripe.refund(order, 1, 'key'),
    'search for an intent': (stripe: Stripe, { intentId }: Order) => stripe.provider.paymentOf(intentId ?? ''),
    'search for an order': (stripe: Stripe, order: Order) => stripe.provider.find(order),
  };
  type Stripe = Awaited<ReturnType<typeof start>>;

  for (const [name, act] of Object.entries(acts)) {
    it(`makes a ${name} unavailable, and its key stays secret`, async () => {
      await using stripe = await start({ timeout: 200 });
      const order = await stripe.paid();
      for (const mishap of ['before', 'busy', 'hang'] as const) {
        stripe.failNext('/v1/', mishap);
        const error = await errorOf(act(stripe, order));
        expect(error, mishap).to.be.instanceOf(Unavailable);
        expect(shown(error)).to.not.include(canary);
      }
    });

    it(`makes a ${name} unavailable if the key is wrong or nobody answers`, async () => {
      await using stripe = await start({ secretKey: `sk_test_wrong${canary}0123` });
      const order = { ...stripeOrder(begin), paymentId: 'cs_test_1', intentId: 'pi_1' };
      const error = await errorOf(act(stripe, order));
      expect(error).to.be.instanceOf(Unavailable).with.property('message').that.includes('STRIPE_SECRET_KEY');
      expect(shown(error)).to.not.match(/c4n4ry|0123/);
      await using silent = await start({ api: 'http://127.0.0.1:1' });
      const refused = await errorOf(act(silent, order));
      expect(refused).to.be.instanceOf(Unavailable).with.property('message').that.includes('ECONNREFUSED');
    });
  }

  const beginning = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"id":';
  for (const [when, said] of [
    ['before', ''],
    ['in', beginning],
  ] as const) {
    it(`ends each act at its deadline if Stripe goes silent ${when} its answer, and tries no more`, async () => {
      const order = { ...stripeOrder(begin), paymentId: 'cs_test_1', intentId: 'pi_1' };
      const withDeadline: Readonly<Record<string, (provider: Provider, until: Abort) => Promise<unknown>>> = {
        start: (provider, until) => provider.start(order, addresses, until),
        find: (provider, until) => provider.find(order, until),
        read: (provider, until) => provider.read('cs_test_1', until),
        refund: (provider, until) => provider.refund(order, 1, { key: 'key' }, until),
        paymentOf: (provider, until) => provider.paymentOf('pi_1', until),
      };
      for (const [name, act] of Object.entries(withDeadline)) {
        await using silent = await startSilentServer(said);
        // Each try alone would wait longer than the test, and there are many.
        await using stripe = await start({ api: silent.url, timeout: 60_000, retries: 20 });
        const error = await errorOf(createWithin(50)((until) => act(stripe.provider, until)));
        expect(error, name).to.be.instanceOf(Unavailable).with.property('message').that.includes('in time');
        expect(silent.connections(), name).to.be.below(2);
      }
    });
  }
  type Provider = Stripe['provider'];

  it('says which request was wrong, in words without buyers and keys', async () => {
    await using stripe = await start();
    const cheap = stripeOrder(begin);
    const error = await errorOf(stripe.provider.start({ ...cheap, agreed: { ...cheap.agreed, price: 49 } }, addresses));
    expect(error).to.be.an('error').and.not.instanceOf(Unavailable);
    expect(shown(error)).to.match(/status 400, invalid_request_error, amount_too_small, line_items\[0\], req_1/);
    expect(shown(error)).to.not.match(/c4n4ry|ada@example/);
  });

  it('sends no telemetry', async () => {
    await using stripe = await start();
    const { paymentId } = await stripe.paid();
    await stripe.read(paymentId);
    expect(stripe.calls.map(({ headers }) => headers['x-stripe-client-telemetry'])).to.deep.equal(
      stripe.calls.map(() => undefined),
    );
  });
});
