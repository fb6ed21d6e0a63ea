import { expect } from 'chai';
import { stripeEvents } from '../../../adapters/contracts/stripe-events.ts';
import { kinds } from '../../../adapters/payments/stripe/received.ts';
import { monthsAfter } from '../../../core/licensing/ends.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { errorOf } from '../../support/error-of.ts';
import { itLong } from '../../support/required-service.ts';
import { stripeSignature } from '../../support/stripe-double/events.ts';
import { stripeOrder } from '../../support/stripe-order.ts';
import {
  agreedSubscription as offer,
  returnAddresses,
  startStripeSubscriptions as start,
  subscribedAt,
} from '../../support/stripe-subscriptions.ts';

const begin = subscribedAt;
const addresses = returnAddresses;
const month = (n: number) => monthsAfter(n, begin);

describe('a subscription at Stripe', () => {
  it('begins on the page for a price that is paid again, with the order in the subscription', async () => {
    await using stripe = await start();
    const { paymentId, first, id } = await stripe.subscribed(offer(3));
    const session = stripe.account.session(paymentId);
    expect(session).to.deep.include({ mode: 'subscription', amount_subtotal: 4_900, payment_intent: null });
    expect(stripe.billing.subscription(id).metadata).to.deep.equal({ order: '7' });
    const [item] = stripe.billing.subscription(id).items.data;
    expect(item?.price).to.deep.include({ unit_amount: 4_900, currency: 'usd' });
    expect(item?.price.recurring).to.deep.include({ interval: 'month', interval_count: 3 });
    expect(first).to.deep.include({ status: 'paid', subtotal: 4_900, total: 4_900, subscriptionId: id });
    expect(first.intentId).to.match(/^pi_/);
  });

  it('takes what is unused off the first payment alone, once, also if the start is repeated', async () => {
    await using stripe = await start();
    const { first, order, id } = await stripe.subscribed(offer(1, 1_000), 3_900);
    expect(first).to.deep.include({ status: 'paid', subtotal: 3_900, total: 3_900 });
    await stripe.provider.start({ ...order, paymentId: null }, addresses);
    expect(stripe.billing.coupons.size).to.equal(1);
    stripe.billing.bill(id);
    expect((await stripe.subscriptions.read(id)).payments).to.deep.include({
      ...{ paymentId: [...stripe.billing.invoices.keys()].at(-1), from: month(1), to: month(2) },
      ...{ price: 4_900, currency: 'usd' },
    });
  });

  it('has no subscription before the buyer has paid, and none for a single payment', async () => {
    await using stripe = await start();
    const before = stripeOrder(begin);
    const order = { ...before, agreed: { ...before.agreed, offer: offer() } };
    const { paymentId } = await stripe.provider.start(order, addresses);
    expect(await stripe.read(paymentId)).to.deep.include({ status: 'open', subscriptionId: null, intentId: null });
    const once = await stripe.provider.start(stripeOrder(begin, { token: 'z'.repeat(24) }), addresses);
    stripe.account.confirm(once.paymentId);
    expect(await stripe.read(once.paymentId)).to.deep.include({ status: 'paid', subscriptionId: null });
  });

  it('lists each payment after the first one with the time that it pays, oldest first, without unpaid ones', async () => {
    await using stripe = await start();
    const { id } = await stripe.subscribed();
    expect(await stripe.subscriptions.read(id)).to.deep.equal({
      ...{ status: 'active', isCancelled: false, payAt: null, payments: [] },
    });
    const paid = [stripe.billing.bill(id), stripe.billing.bill(id)].map((one) => one?.id);
    const failed = stripe.billing.bill(id, 'fails');
    const found = await stripe.subscriptions.read(id);
    expect(found).to.deep.include({ status: 'past_due', payAt: failed?.hosted_invoice_url });
    expect(found.payments).to.deep.equal(
      paid.map((paymentId, n) => ({
        ...{ paymentId, from: month(n + 1), to: month(n + 2), price: 4_900, currency: 'usd' },
      })),
    );
    stripe.billing.pay(String(failed?.id));
    const after = await stripe.subscriptions.read(id);
    expect([after.status, after.payAt, after.payments.length]).to.deep.equal(['active', null, 3]);
  });

  itLong('lists more payments than one page of Stripe has', async () => {
    await using stripe = await start();
    const { id } = await stripe.subscribed();
    for (let n = 0; n < 120; n++) stripe.billing.bill(id);
    const { payments } = await stripe.subscriptions.read(id);
    expect([payments.length, payments[0]?.from, payments.at(-1)?.to]).to.deep.equal([120, month(1), month(121)]);
  });

  it('reads an invoice as a payment, with its refunds and disputes', async () => {
    await using stripe = await start();
    const { id, order } = await stripe.subscribed();
    const invoice = String(stripe.billing.bill(id)?.id);
    const paid = await stripe.read(invoice);
    expect(paid).to.deep.include({ status: 'paid', subtotal: 4_900, total: 4_900, refunded: 0, dispute: null });
    expect(paid.buyer).to.deep.equal({ email: 'ada@example.com', name: 'Ada Buyer' });
    const cycle = { ...order, paymentId: invoice, intentId: paid.intentId };
    expect(await stripe.refund(cycle, 900, { key: 'refund-1' })).to.equal(undefined);
    expect(await stripe.read(invoice)).to.include({ refunded: 900 });
    stripe.account.dispute(String(paid.intentId));
    expect(await stripe.read(invoice)).to.include({ dispute: 'open' });
    for (const [status, expected] of [
      ['draft', 'open'],
      ['open', 'open'],
      ['uncollectible', 'failed'],
      ['void', 'cancelled'],
    ] as const) {
      stripe.billing.invoice(invoice).status = status;
      expect((await stripe.read(invoice)).status).to.equal(expected);
    }
  });

  it('counts the price without the tax that is added to it', async () => {
    await using stripe = await start({ tax: { kind: 'automatic', code: undefined } });
    const { first, id } = await stripe.subscribed();
    expect(first).to.deep.include({ status: 'paid', subtotal: 4_900, total: 5_880 });
    const invoice = stripe.billing.bill(id);
    expect((await stripe.subscriptions.read(id)).payments[0]?.price).to.equal(4_900);
    expect(await stripe.read(String(invoice?.id))).to.include({ subtotal: 4_900, total: 5_880 });
  });

  it('says that later payments are a reverse charge too', async () => {
    await using stripe = await start();
    const { id } = await stripe.subscribed(undefined, undefined, { taxes: [{ percent: 0, reason: 'reverse_charge' }] });
    const billed = async () => String(stripe.billing.bill(id)?.id);
    expect(await stripe.read(await billed())).to.include({ isReverseCharge: true });
    const exempt = await billed();
    Object.assign(stripe.billing.invoice(exempt), { customer_tax_exempt: 'exempt', total_taxes: [] });
    expect(await stripe.read(exempt)).to.include({ isReverseCharge: false });
  });

  it('finds the payment of an intent: the session of the first one, the invoice of a later one', async () => {
    await using stripe = await start();
    const { paymentId, first, id } = await stripe.subscribed();
    const invoice = String(stripe.billing.bill(id)?.id);
    const { intentId } = await stripe.read(invoice);
    expect(await stripe.paymentOf(String(first.intentId))).to.equal(paymentId);
    expect(await stripe.paymentOf(String(intentId))).to.equal(invoice);
    expect(await stripe.paymentOf('pi_of_another_program')).to.equal(undefined);
  });

  it('is cancelled at the end of the paid time and goes on again, or ends at once; a repeat changes nothing', async () => {
    await using stripe = await start();
    const { id } = await stripe.subscribed();
    await stripe.subscriptions.cancel(id, 'paid_end');
    await stripe.subscriptions.cancel(id, 'paid_end');
    expect(await stripe.subscriptions.read(id)).to.include({ status: 'active', isCancelled: true });
    expect(await stripe.subscriptions.resume(id)).to.equal(undefined);
    expect(await stripe.subscriptions.read(id)).to.include({ status: 'active', isCancelled: false });
    // A day that was set at Stripe.
    stripe.billing.subscription(id).cancel_at = month(1) / 1_000;
    expect(await stripe.subscriptions.read(id)).to.include({ isCancelled: true });
    expect(await stripe.subscriptions.resume(id)).to.equal(undefined);
    expect(await stripe.subscriptions.read(id)).to.include({ isCancelled: false });
    await stripe.subscriptions.cancel(id, 'now');
    await stripe.subscriptions.cancel(id, 'now');
    await stripe.subscriptions.cancel(id, 'paid_end');
    expect(await stripe.subscriptions.read(id)).to.include({ status: 'ended', isCancelled: true });
    expect(await stripe.subscriptions.resume(id)).to.include({ reason: 'subscription_ended' });
    const next = { price: 1_000, currency: 'usd', months: 1, title: 'Token Kit' };
    expect(await stripe.subscriptions.reprice(id, next)).to.include({ reason: 'subscription_ended' });
  });

  it('ends with the paid time if it was cancelled, and is no cancelled one if nobody paid', async () => {
    await using stripe = await start();
    const { id } = await stripe.subscribed();
    await stripe.subscriptions.cancel(id, 'paid_end');
    expect(stripe.billing.bill(id)).to.equal(undefined);
    expect(await stripe.subscriptions.read(id)).to.include({ status: 'ended', isCancelled: true });
    const other = await start();
    const { id: unpaid } = await other.subscribed();
    other.billing.bill(unpaid, 'fails');
    other.billing.end(unpaid, 'payment_failed');
    expect(await other.subscriptions.read(unpaid)).to.include({ status: 'ended', isCancelled: false });
    await other[Symbol.asyncDispose]();
  });

  it('is paused while its payments are not collected, in each status that Stripe tells', async () => {
    await using stripe = await start();
    const { id } = await stripe.subscribed();
    stripe.billing.pause(id, true);
    expect((await stripe.subscriptions.read(id)).status).to.equal('paused');
    stripe.billing.pause(id, false);
    for (const [told, expected] of [
      ['trialing', 'active'],
      ['active', 'active'],
      ['incomplete', 'past_due'],
      ['past_due', 'past_due'],
      ['unpaid', 'past_due'],
      ['paused', 'paused'],
      ['incomplete_expired', 'ended'],
      ['canceled', 'ended'],
    ] as const) {
      stripe.billing.subscription(id).status = told;
      expect((await stripe.subscriptions.read(id)).status, told).to.equal(expected);
    }
  });

  it('costs another price from the next payment on; with another interval too, nothing is collected before', async () => {
    await using stripe = await start();
    const { id } = await stripe.subscribed();
    const title = 'Token Kit';
    await stripe.subscriptions.reprice(id, { price: 900, currency: 'usd', months: 1, title });
    expect((await stripe.subscriptions.read(id)).payments).to.deep.equal([]);
    stripe.billing.bill(id);
    await stripe.subscriptions.reprice(id, { price: 9_000, currency: 'usd', months: 12, title });
    stripe.billing.bill(id);
    const { payments, status } = await stripe.subscriptions.read(id);
    expect(status).to.equal('active');
    expect(payments.map(({ from, to, price }) => ({ from, to, price }))).to.deep.equal([
      { from: month(1), to: month(2), price: 900 },
      { from: month(2), to: month(14), price: 9_000 },
    ]);
  });

  it('has a page for cards and invoices, which leads back', async () => {
    await using stripe = await start();
    const { id } = await stripe.subscribed();
    const page = await stripe.subscriptions.manage(id, 'https://shop.example/orders/t');
    expect(stripe.billing.portals).to.deep.equal([page]);
    expect(stripe.calls.at(-1)?.form.get('return_url')).to.equal('https://shop.example/orders/t');
  });

  it('is read only in its own mode', async () => {
    await using live = await start({}, 'sk_live_c4n4ry0123456789');
    const { id } = await live.subscribed();
    live.billing.subscription(id).livemode = false;
    for (const call of [
      live.subscriptions.read(id),
      live.subscriptions.cancel(id, 'now'),
      live.subscriptions.manage(id, 'https://shop.example'),
    ]) {
      expect(String(await errorOf(call))).to.include('other mode');
    }
  });

  it('is unavailable, and not changed, while Stripe fails', async () => {
    await using stripe = await start();
    const { id } = await stripe.subscribed();
    for (const [call, act] of [
      ['GET /v1/subscriptions', () => stripe.subscriptions.read(id)],
      ['GET /v1/invoices', () => stripe.subscriptions.read(id)],
      [`POST /v1/subscriptions/${id}`, () => stripe.subscriptions.cancel(id, 'paid_end')],
      ['POST /v1/billing_portal', () => stripe.subscriptions.manage(id, 'https://shop.example')],
    ] as const) {
      stripe.failNext(call, 'before');
      expect(await errorOf(act()), call).to.be.instanceOf(Unavailable);
    }
    expect(await stripe.subscriptions.read(id)).to.include({ isCancelled: false });
  });

  it('is named by each of its events; those of invoices that no subscription made are not ours', async () => {
    await using stripe = await start();
    const { id } = await stripe.subscribed();
    const failed = stripe.billing.bill(id, 'fails');
    stripe.billing.voidInvoice(String(failed?.id));
    stripe.billing.pause(id, true);
    await stripe.subscriptions.cancel(id, 'now');
    const told = stripe.account.outbox.made.filter(({ type }) => kinds.has(type) && !type.startsWith('checkout'));
    const types = new Set<string>();
    const receive = (event: object) => {
      const body = JSON.stringify(event);
      const signature = stripeSignature(body, stripe.webhookSecret, Math.floor(stripe.clock.now() / 1_000));
      return stripe.receive(Buffer.from(body), signature);
    };
    for (const event of told) {
      types.add(event.type);
      expect(await receive(event), event.type).to.deep.equal({ subscriptionId: id });
      if (!event.type.startsWith('invoice')) continue;
      const other = { ...event, data: { object: { ...event.data.object, parent: null } } };
      expect(await receive(other), 'an invoice of another program').to.equal(undefined);
    }
    expect([...types]).to.include.members([
      ...['invoice.paid', 'invoice.payment_failed', 'invoice.voided', 'customer.subscription.updated'],
      'customer.subscription.deleted',
    ]);
    expect([...kinds.keys()]).to.deep.equal([...stripeEvents]);
  });

  it('is not read from fields that Stripe has moved: the double lacks them, as Stripe does', async () => {
    await using stripe = await start();
    const { id } = await stripe.subscribed();
    const invoice = stripe.billing.bill(id);
    for (const field of ['current_period_start', 'current_period_end']) {
      expect(stripe.billing.subscription(id)).to.not.have.property(field);
      expect(stripe.billing.subscription(id).items.data[0]).to.have.property(field);
    }
    for (const field of ['payment_intent', 'charge', 'paid', 'tax']) expect(invoice).to.not.have.property(field);
  });
});
