import { expect } from 'chai';
import { t } from '../../apps/wiring/tokens.ts';
import { event } from '../../core/events/event.ts';
import { monthsAfter } from '../../core/licensing/ends.ts';
import type { Offer } from '../../core/marketplace/offers.ts';
import type { Order } from '../../core/purchases/order.ts';
import { day } from '../../core/time.ts';
import { startAccountService } from '../adapters/http/account/account-service.ts';
import { by, operator } from '../support/by.ts';
import { good } from '../support/good.ts';
import { newProduct } from '../support/license-acts.ts';
import { itLong } from '../support/required-service.ts';
import { runs } from '../support/runs.ts';
import type { Delivery } from '../support/stripe-double/events.ts';
import { hearStripe } from '../support/stripe-double/hear.ts';
import { startStripeDouble } from '../support/stripe-double/stripe-double.ts';

const begin = Date.UTC(2026, 0, 1);
const addresses = ({ token }: Order) => ({
  done: 'https://shop.example/done',
  cancelled: `https://shop.example/orders/${token}`,
});
const offer: Offer = {
  ...{ slug: 'monthly', name: 'Monthly', kind: 'subscription' as const, price: 900, maxDomains: 3, duration: null },
  ...{ updatesMonths: null, entitlements: [], isListed: true },
  recurs: { months: 1, graceDays: 7, perpetualAfter: null },
};

/** Starts the whole service with a double of Stripe, and a subscription that was begun there. */
async function start() {
  const clock: { now(): number } = { now: () => begin };
  const stripe = await startStripeDouble({ clock });
  const service = await startAccountService(stripe.settings, { hasWorker: true });
  clock.now = () => service.clock.now();
  service.clock.set(begin);
  const { parts } = service;
  const product = await (await parts.get(t.productStore)).add(
    newProduct({ price: 4_900, isLive: false, archivedAt: null, rejectionReason: null, offers: [offer] }),
    (slug) => event('product.added', slug, by, begin),
  );
  const checkout = await parts.get(t.checkout);
  const store = await parts.get(t.orderStore);
  const wish = { product: String(product.id), email: 'ada@example.com', name: null, client: '192.0.2.7' };
  const { order } = good(await checkout.begin(wish, operator, addresses));
  stripe.account.confirm(order.paymentId ?? '');
  const hear = (how?: Delivery) => hearStripe(service, stripe, how);
  await hear();
  const root = async () => {
    const found = await store.find(order.id);
    if (found?.subscription == null) throw new Error('The subscription has not begun.');
    return found;
  };
  return {
    ...{
      service,
      stripe,
      hear,
      root,
      store,
      billing: stripe.account.billing,
      id: String((await root()).subscription?.id),
    },
    async license() {
      const [row] = await service.rows('licenses');
      return { expires: Number(row?.expires_at), updates: Number(row?.updates_until), standing: row?.standing };
    },
    async [Symbol.asyncDispose]() {
      await service.close();
      await stripe[Symbol.asyncDispose]();
    },
  };
}

describe('a subscription through Stripe, from the checkout on', () => {
  itLong('renews its license with each payment of which Stripe tells', async () => {
    await using shop = await start();
    expect(await shop.license()).to.deep.include({ expires: monthsAfter(1, begin) + 7 * day, standing: 'active' });
    for (const n of [1, 2, 3]) {
      shop.service.clock.set(monthsAfter(n, begin));
      shop.billing.bill(shop.id);
      expect((await shop.hear()).every(({ status }) => status === 200)).to.equal(true);
      const paidTo = monthsAfter(n + 1, begin);
      expect(await shop.license()).to.deep.include({ expires: paidTo + 7 * day, updates: paidTo });
    }
    const cycles = await shop.store.cyclesOf((await shop.root()).id);
    expect(cycles.map(({ number, state }) => [number, state])).to.deep.equal([2, 3, 4].map((n) => [n, 'paid']));
  });

  itLong(
    'gets the events of many invoices at once, each several times and in reverse, and counts each payment once',
    async () => {
      await using shop = await start();
      const many = runs(100);
      shop.service.clock.set(monthsAfter(many, begin));
      const invoices = Array.from({ length: many }, () => shop.billing.bill(shop.id)?.id);
      const delivered = await shop.hear({ times: 2, order: 'reversed' });
      expect(delivered.length).to.be.at.least(4 * many);
      expect(delivered.every(({ status }) => status === 200)).to.equal(true);
      const cycles = await shop.store.cyclesOf((await shop.root()).id);
      expect(cycles.map(({ paymentId }) => paymentId)).to.have.members(invoices);
      // Of two that are settled at the same moment, the later payment may get the earlier number.
      const numbers = cycles.map(({ number }) => Number(number)).sort((one, other) => one - other);
      expect(numbers, 'without gaps').to.deep.equal(invoices.map((_, n) => n + 2));
      expect(await shop.license()).to.deep.include({ expires: monthsAfter(many + 1, begin) + 7 * day });
      const mails = (await shop.service.rows('mails')).filter(({ kind }) => kind === 'order-renewed');
      expect(mails).to.have.length(many);
    },
  );

  itLong('hears nothing for a day, and has everything after its daily look', async () => {
    await using shop = await start();
    shop.service.clock.set(monthsAfter(1, begin));
    const invoice = shop.billing.bill(shop.id);
    // Events that are lost never come again.
    shop.stripe.account.outbox.forget();
    shop.service.clock.advance(day + 1);
    await shop.hear();
    expect((await shop.store.cyclesOf((await shop.root()).id)).map(({ paymentId }) => paymentId)).to.deep.equal([
      invoice?.id,
    ]);
  });

  itLong(
    'keeps its license through a failed card until the end of the grace, and longer if it is paid then',
    async () => {
      await using shop = await start();
      shop.service.clock.set(monthsAfter(1, begin));
      const invoice = shop.billing.bill(shop.id, 'fails');
      await shop.hear();
      expect((await shop.root()).subscription).to.include({ status: 'past_due', payAt: invoice?.hosted_invoice_url });
      expect(await shop.license()).to.deep.include({ expires: monthsAfter(1, begin) + 7 * day });
      shop.service.clock.advance(5 * day);
      shop.billing.pay(String(invoice?.id));
      await shop.hear();
      expect((await shop.root()).subscription).to.include({ status: 'active', payAt: null });
      expect(await shop.license()).to.deep.include({ expires: monthsAfter(2, begin) + 7 * day });
    },
  );

  itLong('follows the refund and the dispute of a later payment, and what is done at Stripe', async () => {
    await using shop = await start();
    shop.service.clock.set(monthsAfter(1, begin));
    const invoice = shop.billing.bill(shop.id);
    await shop.hear();
    const [cycle] = await shop.store.cyclesOf((await shop.root()).id);
    const intent = String(cycle?.intentId);
    const dispute = shop.stripe.account.dispute(intent);
    await shop.hear();
    expect((await shop.license()).standing).to.equal('suspended');
    shop.stripe.account.moveDispute(dispute.id, 'won');
    await shop.hear();
    expect((await shop.license()).standing).to.equal('active');
    shop.stripe.account.refund(intent);
    await shop.hear();
    expect(await shop.license()).to.deep.include({ expires: monthsAfter(1, begin) + 7 * day, standing: 'active' });
    expect(invoice?.status).to.equal('paid');
    shop.billing.end(shop.id, 'cancellation_requested');
    await shop.hear();
    expect((await shop.root()).subscription).to.include({ status: 'ended', isCancelled: true });
    expect(await shop.license()).to.deep.include({ expires: monthsAfter(1, begin) });
  });
});
