import { expect } from 'chai';
import { isRefused } from '../../../core/refusal.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { errorOf } from '../../support/error-of.ts';
import { itLong } from '../../support/required-service.ts';
import { stripeSignature } from '../../support/stripe-double/events.ts';
import { agreedSubscription, returnAddresses, startStripeSubscriptions } from '../../support/stripe-subscriptions.ts';

const soldOnce = 'The key works for everything that is sold once.';

describe('what subscriptions need at Stripe', () => {
  itLong('is a key with permissions of its own; without them, the test says that the key sells the rest', async () => {
    await using stripe = await startStripeSubscriptions();
    expect(await stripe.test()).to.equal(undefined);
    for (const [path, name] of [
      ['subscriptions', 'Subscriptions'],
      ['invoices', 'Invoices'],
      ['coupons', 'Coupons'],
      ['billing_portal', 'Customer portal'],
    ] as const) {
      stripe.failNext(`GET /v1/${path}`, 'forbidden');
      expect(await stripe.test()).to.include({
        reason: 'key_refused',
        detail: `${soldOnce} For subscriptions, it has no permission for ${name}.`,
      });
    }
  });

  it('is named apart from what every key needs, all in one answer', async () => {
    await using stripe = await startStripeSubscriptions();
    for (const path of ['disputes', 'invoices', 'subscriptions']) stripe.failNext(`GET /v1/${path}`, 'forbidden');
    const found = await stripe.test();
    expect(isRefused(found) && found.detail).to.equal(
      'The key has no permission for Disputes. For subscriptions, it has no permission for Subscriptions, Invoices.',
    );
  });

  it('is a customer portal; without it the test says so, and the page for cards is unavailable until it is on', async () => {
    await using stripe = await startStripeSubscriptions();
    const { id } = await stripe.subscribed();
    stripe.billing.switchPortal(false);
    expect(await stripe.test()).to.include({
      detail: `${soldOnce} For subscriptions, save the settings of the customer portal at Stripe.`,
    });
    const error = await errorOf(stripe.subscriptions.manage(id, 'https://shop.example'));
    expect(error).to.be.instanceOf(Unavailable);
    expect(String(error)).to.include('customer portal');
    stripe.billing.switchPortal(true);
    expect(await stripe.subscriptions.manage(id, 'https://shop.example')).to.include('/p/session/');
  });

  it('is nothing to a key for single payments: events about payments of other programs are no outage', async () => {
    await using stripe = await startStripeSubscriptions();
    stripe.failNext('GET /v1/invoice_payments', 'forbidden');
    expect(await stripe.paymentOf('pi_of_another_program')).to.equal(undefined);
    stripe.failNext('GET /v1/invoice_payments', 'before');
    expect(await errorOf(stripe.paymentOf('pi_of_another_program'))).to.be.instanceOf(Unavailable);
  });

  it('has no payment for the intent of an invoice that no subscription made', async () => {
    await using stripe = await startStripeSubscriptions();
    const { id } = await stripe.subscribed();
    const invoice = stripe.billing.bill(id);
    const { intentId } = await stripe.read(String(invoice?.id));
    Object.assign(invoice ?? {}, { parent: null, billing_reason: 'manual' });
    expect(await stripe.paymentOf(String(intentId))).to.equal(undefined);
  });

  itLong(
    'begins in spite of a failure that Stripe repeats for the same coupon, before or after its effect',
    async () => {
      for (const mishap of ['before', 'after'] as const) {
        await using stripe = await startStripeSubscriptions();
        const { order } = await stripe.subscribed();
        const agreed = { ...order.agreed, price: 3_900, offer: agreedSubscription(1, 1_000) };
        const other = { ...order, token: 'z'.repeat(24), paymentId: null, agreed };
        stripe.failNext('POST /v1/coupons', mishap);
        expect(await errorOf(stripe.provider.start(other, returnAddresses))).to.be.instanceOf(Unavailable);
        const { paymentId } = await stripe.provider.start(other, returnAddresses);
        expect((await stripe.provider.start(other, returnAddresses)).paymentId).to.equal(paymentId);
        stripe.account.confirm(paymentId);
        expect(await stripe.read(paymentId)).to.include({ subtotal: 3_900, total: 3_900 });
      }
    },
  );

  it('is named by the events of banks that ask, of invoices taken for lost, and of Stripe that halts it', async () => {
    await using stripe = await startStripeSubscriptions();
    const { id } = await stripe.subscribed();
    const asked = stripe.billing.bill(id, 'needs action');
    expect(await stripe.subscriptions.read(id)).to.include({ status: 'past_due', payAt: asked?.hosted_invoice_url });
    stripe.billing.markUncollectible(String(asked?.id));
    expect(await stripe.subscriptions.read(id)).to.include({ payAt: null });
    stripe.billing.halt(id, true);
    expect(await stripe.subscriptions.read(id)).to.include({ status: 'paused' });
    expect(stripe.billing.bill(id)).to.equal(undefined);
    stripe.billing.halt(id, false);
    expect(await stripe.subscriptions.read(id)).to.include({ status: 'active' });
    for (const type of [
      'invoice.payment_action_required',
      'invoice.marked_uncollectible',
      'customer.subscription.paused',
      'customer.subscription.resumed',
    ]) {
      const event = stripe.account.outbox.made.find((one) => one.type === type);
      const body = JSON.stringify(event);
      const signature = stripeSignature(body, stripe.webhookSecret, Math.floor(stripe.clock.now() / 1_000));
      expect(await stripe.receive(Buffer.from(body), signature), type).to.deep.equal({ subscriptionId: id });
    }
  });
});

describe('the pages of the double for subscriptions', () => {
  const press = async (address: string, act?: string) => {
    const body = act === undefined ? undefined : new URLSearchParams({ act });
    const answer = await fetch(address, { ...(body && { method: 'POST', body }) });
    return { status: answer.status, html: await answer.text() };
  };

  it('cancel, resume and change the card, and lead back', async () => {
    await using stripe = await startStripeSubscriptions();
    const { id } = await stripe.subscribed();
    const page = await stripe.subscriptions.manage(id, 'https://shop.example/orders/t');
    expect((await press(page)).html).to.include('href="https://shop.example/orders/t"');
    await press(page, 'cancel');
    expect(await stripe.subscriptions.read(id)).to.include({ isCancelled: true });
    await press(page, 'resume');
    expect(await stripe.subscriptions.read(id)).to.include({ isCancelled: false });
    stripe.billing.breakCard(id);
    expect(stripe.billing.bill(id)?.status).to.equal('open');
    await press(page, 'card');
    expect(stripe.billing.bill(id)?.status).to.equal('paid');
    expect((await press(`${stripe.url}/p/session/bps_unknown`)).status).to.equal(404);
  });

  it('pay an invoice after the card failed, once', async () => {
    await using stripe = await startStripeSubscriptions();
    const { id } = await stripe.subscribed();
    stripe.billing.bill(id, 'fails');
    const { payAt } = await stripe.subscriptions.read(id);
    expect((await press(String(payAt), 'decline')).html).to.include('declined');
    for (let n = 0; n < 2; n++) await press(String(payAt), 'pay');
    const { status, payments } = await stripe.subscriptions.read(id);
    expect([status, payments.length]).to.deep.equal(['active', 1]);
    expect(stripe.account.outbox.made.filter(({ type }) => type === 'invoice.paid')).to.have.length(2);
  });
});
