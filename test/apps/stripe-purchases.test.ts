import { expect } from 'chai';
import fc from 'fast-check';
import { t } from '../../apps/wiring/tokens.ts';
import { event } from '../../core/events/event.ts';
import { creditedOf } from '../../core/invoices/credit-note.ts';
import type { Order } from '../../core/purchases/order.ts';
import { Unavailable } from '../../core/unavailable.ts';
import { startAccountService } from '../adapters/http/account/account-service.ts';
import { by, operator } from '../support/by.ts';
import { errorOf } from '../support/error-of.ts';
import { good } from '../support/good.ts';
import { newProduct } from '../support/license-acts.ts';
import { itLong } from '../support/required-service.ts';
import { runs } from '../support/runs.ts';
import type { Delivery } from '../support/stripe-double/events.ts';
import { hearStripe } from '../support/stripe-double/hear.ts';
import { startStripeDouble } from '../support/stripe-double/stripe-double.ts';

const price = 4_900;
const seller = { actor: operator, mode: 'test' } as const;
const addresses = ({ token }: Order) => ({
  done: 'https://shop.example/done',
  cancelled: `https://shop.example/orders/${token}`,
});

/** Starts the whole service with a double of Stripe, a product in test mode, and an order on its way to Stripe. */
async function start(settings: Record<string, string> = {}, chosen: { readonly amount?: number } = {}) {
  const clock = { now: () => Date.UTC(2026, 0, 1) };
  const stripe = await startStripeDouble({ clock });
  const service = await startAccountService({ ...stripe.settings, ...settings }, { hasWorker: true });
  const { parts } = service;
  const product = await (await parts.get(t.productStore)).add(
    newProduct({
      price,
      leastPrices: { eur: 100, jpy: 100, usd: 500 },
      isLive: false,
      archivedAt: null,
      rejectionReason: null,
    }),
    (slug) => event('product.added', slug, by, clock.now()),
  );
  const checkout = await parts.get(t.checkout);
  const [orders, list] = [await parts.get(t.orders), await parts.get(t.orderList)];
  const wish = { product: String(product.id), email: 'ada@example.com', name: null, client: '192.0.2.7', ...chosen };
  const begun = good(await checkout.begin(wish, operator, addresses));
  const id = String(begun.order.id);
  return {
    ...{ stripe, service, product, orders, id, begun, sessionId: begun.order.paymentId ?? '' },
    find: async (): Promise<Order> => good(await list.find(id, seller)),
    hear: (how?: Delivery) => hearStripe(service, stripe, how),
    async [Symbol.asyncDispose]() {
      await service.close();
      await stripe[Symbol.asyncDispose]();
    },
  };
}

describe('a purchase through Stripe, from the checkout to the license', () => {
  itLong('begins on the page of Stripe, and is paid there', async () => {
    await using shop = await start();
    const page = await fetch(shop.begun.payAt ?? '');
    expect(await page.text()).to.include('4900 usd for ada@example.com');
    expect(await shop.find()).to.include({ state: 'open', provider: 'stripe', licenseKey: null });
    const pay = { method: 'POST', body: new URLSearchParams({ act: 'pay' }), redirect: 'manual' } as const;
    const paid = await fetch(shop.begun.payAt ?? '', pay);
    expect(paid.headers.get('location')).to.equal('https://shop.example/done');
    expect(await shop.find()).to.include({ state: 'open' });
    expect((await shop.hear()).every(({ status }) => status === 200)).to.equal(true);
    const order = await shop.find();
    expect(order).to.include({ state: 'paid', number: 1 });
    expect(order.licenseKey).to.match(/^LIC-/);
    expect(await shop.service.rows('licenses')).to.have.length(1);
  });

  it('asks for the amount that the buyer has chosen, and for no other', async () => {
    await using shop = await start({}, { amount: 777 });
    expect(await (await fetch(shop.begun.payAt ?? '')).text()).to.include('777 usd for ada@example.com');
    shop.stripe.account.confirm(shop.sessionId);
    await shop.hear();
    expect(await shop.find()).to.deep.include({ state: 'paid' });
    expect((await shop.find()).payment).to.include({ subtotal: 777, currency: 'usd' });
  });

  it('follows refunds and disputes, whoever makes them', async () => {
    await using shop = await start();
    const { account } = shop.stripe;
    const intent = account.confirm(shop.sessionId);
    const states: string[] = [];
    const heard = async () => {
      await shop.hear();
      const [license] = await shop.service.rows('licenses');
      states.push(`${(await shop.find()).state} ${license?.standing}`);
    };
    await heard();
    good(await shop.orders.refund(shop.id, 900, seller));
    await heard();
    const dispute = account.dispute(intent);
    await heard();
    account.moveDispute(dispute.id, 'won');
    await heard();
    account.refundsStart('pending');
    const refund = account.refund(intent);
    await heard();
    account.moveRefund(refund.id, 'failed');
    await heard();
    account.moveRefund(account.refund(intent).id, 'succeeded');
    await heard();
    expect(states).to.deep.equal([
      'paid active',
      'partly_refunded active',
      'disputed suspended',
      'partly_refunded active',
      'refunding suspended',
      'partly_refunded active',
      'refunded revoked',
    ]);
  });

  itLong(
    'gives each product of a bundle a license, and refunds one of them once, whether the refund arrives, waits or fails',
    async () => {
      await using shop = await start();
      const { account } = shop.stripe;
      const { parts } = shop.service;
      const products = await parts.get(t.productStore);
      const { id: _, ...listed } = shop.product;
      const add = (slug: string, more: Partial<typeof listed>) =>
        products.add({ ...listed, leastPrices: null, slug, ...more }, (given) => event('product.added', given, by, 0));
      const inside = [await add('one', { price: 3_000 }), await add('two', { price: 1_000 })];
      const bundle = inside.map(({ id }) => ({ productId: id, offer: null }));
      const all = await add('all', { price: 2_000, zip: null, version: null, bundle });
      const checkout = await parts.get(t.checkout);
      const wish = { product: String(all.id), email: 'ada@example.com', name: null, client: '192.0.2.8' };
      const begun = good(await checkout.begin(wish, operator, addresses)).order;
      const intent = account.confirm(begun.paymentId ?? '');
      const [store, list] = [await parts.get(t.orderStore), await parts.get(t.orderList)];
      const heard = async () => {
        await shop.hear();
        const order = good(await list.find(String(begun.id), seller));
        const states = (await store.partsOf([begun.id])).map(({ state }) => state);
        const licenses = (await shop.service.rows('licenses')).map(({ standing }) => standing);
        const kept = order.invoice === null ? undefined : order.payment.total - creditedOf(order);
        return [order.state, ...states, ...licenses, order.payment.refunded, kept];
      };
      expect(await heard()).to.deep.equal(['paid', 'paid', 'paid', 'active', 'active', 0, 2_000]);
      const [first, second] = (await store.partsOf([begun.id])).map(({ id }) => id);
      const refund = (...ids: (typeof first)[]) =>
        shop.orders.refundParts(
          String(begun.id),
          ids.flatMap((id) => id ?? []),
          seller,
        );

      account.refundsStart('pending');
      good(await refund(first));
      expect(await heard()).to.deep.equal(['paid', 'refunding', 'paid', 'suspended', 'active', 0, 2_000]);
      expect(await refund(first)).to.include({ reason: 'refund_not_possible' });
      const [waiting] = [...account.refunds.values()];
      expect([account.refunds.size, waiting?.amount]).to.deep.equal([1, 1_500]);
      account.moveRefund(waiting?.id ?? '', 'succeeded');
      expect(await heard()).to.deep.equal(['partly_refunded', 'refunded', 'paid', 'revoked', 'active', 1_500, 500]);

      // A part of the rest, by hand at Stripe: it is not a refund of any product.
      account.refundsStart('succeeded');
      account.refund(intent, 200);
      expect(await heard()).to.deep.equal([
        'partly_refunded',
        'refunded',
        'partly_refunded',
        'revoked',
        'active',
        1_700,
        300,
      ]);
      account.refundsStart('pending');
      good(await refund(second));
      const rest = [...account.refunds.values()].at(-1);
      expect(rest?.amount).to.equal(300);
      expect((await heard())[4]).to.equal('suspended');
      account.moveRefund(rest?.id ?? '', 'failed');
      expect(await heard()).to.deep.equal([
        'partly_refunded',
        'refunded',
        'partly_refunded',
        'revoked',
        'active',
        1_700,
        300,
      ]);
      account.moveDispute(account.dispute(intent).id, 'lost');
      expect((await heard()).slice(3)).to.deep.equal(['revoked', 'revoked', 1_700, 0]);
    },
  );

  it('is held if another amount or currency was paid', async () => {
    for (const wrong of [{ amount_subtotal: price - 1 }, { currency: 'eur' }]) {
      await using shop = await start();
      shop.stripe.account.confirm(shop.sessionId);
      Object.assign(shop.stripe.account.session(shop.sessionId), wrong);
      await shop.hear();
      expect(await shop.find()).to.include({ state: 'held', licenseKey: null });
    }
  });

  itLong('is held if a discount was given at Stripe, also one that tax makes up for', async () => {
    const prices: readonly (readonly [settings: Record<string, string>, discount: number, total: number])[] = [
      [{}, 1, price - 1],
      [{}, price, 0],
      [{ STRIPE_AUTOMATIC_TAX: 'true' }, 400, (price - 400) * 1.2],
    ];
    for (const [settings, discount, total] of prices) {
      await using shop = await start(settings);
      shop.stripe.account.confirm(shop.sessionId, { discount });
      await shop.hear();
      const held = await shop.find();
      expect(held).to.include({ state: 'held', licenseKey: null });
      expect(held.payment).to.include({ subtotal: price - discount, total });
      expect(good(await shop.orders.accept(shop.id, seller))).to.include({ state: 'paid' });
    }
  });

  itLong('takes tax that is added to the price', async () => {
    await using shop = await start({ STRIPE_AUTOMATIC_TAX: 'true' });
    shop.stripe.account.confirm(shop.sessionId);
    await shop.hear();
    const order = await shop.find();
    expect(order).to.include({ state: 'paid' });
    expect(order.payment).to.include({ subtotal: price, total: price * 1.2 });
  });

  itLong('is looked at again if Stripe cannot be reached', async () => {
    await using shop = await start();
    shop.stripe.account.confirm(shop.sessionId);
    shop.stripe.failNext('GET /v1/checkout/sessions/', 'busy');
    await shop.hear();
    expect(await shop.find()).to.include({ state: 'open' });
    shop.service.clock.advance(31_000);
    await shop.hear();
    expect(await shop.find()).to.include({ state: 'paid' });
  });

  itLong('is closed if the answer to its start is lost, and found if it is paid all the same', async () => {
    await using shop = await start();
    const { stripe, service, product } = shop;
    // The session is made, but the connection breaks. The SDK tries again once.
    stripe.failNext('POST /v1/checkout/sessions', 'cut');
    stripe.failNext('POST /v1/checkout/sessions', 'busy');
    const checkout = await service.parts.get(t.checkout);
    const wish = { product: String(product.id), email: 'bob@example.com', name: null, client: '192.0.2.7' };
    expect(await errorOf(checkout.begin(wish, operator, addresses))).to.be.instanceOf(Unavailable);
    const lost = async () => (await service.rows('orders')).at(-1);
    expect(await lost()).to.include({ email: 'bob@example.com', state: 'expired', payment_id: null });
    const sessions = [...stripe.account.sessions.keys()];
    expect(sessions).to.have.length(2);
    stripe.account.confirm(sessions.at(-1) ?? '');
    await shop.hear();
    expect(await lost()).to.include({ state: 'expired' });
    service.clock.advance(60_000);
    await shop.hear();
    expect(await lost()).to.include({ state: 'paid', payment_id: sessions.at(-1), number: 1 });
    expect(await service.rows('licenses')).to.have.length(1);
  });

  itLong('ends as Stripe says, whatever happens and however events come', async () => {
    const act = fc.constantFrom('refund', 'slow refund', 'arrive', 'fail', 'dispute', 'question', 'win', 'lose');
    const hear = fc.record({ times: fc.constantFrom(1, 2), order: fc.constantFrom('as made', 'reversed') });
    const step = fc.oneof(act, hear);
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.array(step, { maxLength: 12 }), async (isSlow, steps) => {
        await using shop = await start();
        const { account } = shop.stripe;
        const intent = account.confirm(shop.sessionId, { isSlow });
        if (isSlow) account.finish(shop.sessionId, true);
        for (const one of steps) {
          if (typeof one !== 'string') await shop.hear(one);
          else play(account, intent, one);
        }
        await shop.hear({ times: 2, order: 'reversed' });
        const order = await shop.find();
        const all = [...account.refunds.values()];
        const sum = (wanted: string) =>
          all.reduce((total, { status, amount }) => total + (status === wanted ? amount : 0), 0);
        const disputes = [...account.disputes.values()].map(({ status }) => status);
        const dispute = disputes.includes('lost')
          ? 'lost'
          : disputes.includes('needs_response')
            ? 'open'
            : disputes.includes('won')
              ? 'won'
              : null;
        expect(order.payment).to.deep.include({
          ...{ status: 'paid', subtotal: price, total: price, dispute },
          ...{ refunded: sum('succeeded'), refundsPending: sum('pending') },
        });
        expect(await shop.service.rows('licenses')).to.have.length(1);
      }),
      { numRuns: runs(60) },
    );
  });
});

type Account = Awaited<ReturnType<typeof startStripeDouble>>['account'];

/** Does something at Stripe, if it is possible there. */
function play(account: Account, intent: string, act: string): void {
  const refund = [...account.refunds.values()].find(({ status }) => status === 'pending');
  const dispute = [...account.disputes.values()].find(({ status }) => status === 'needs_response');
  try {
    if (act === 'refund' || act === 'slow refund') {
      account.refundsStart(act === 'refund' ? 'succeeded' : 'pending');
      account.refund(intent, 1_000);
    }
    if (act === 'dispute' && !dispute) account.dispute(intent);
    if (act === 'question') account.dispute(intent, 'warning_needs_response');
  } catch (error) {
    if (!(error instanceof Error && 'status' in error)) throw error;
  }
  if (refund && act === 'arrive') account.moveRefund(refund.id, 'succeeded');
  if (refund && act === 'fail') account.moveRefund(refund.id, 'failed');
  if (dispute && (act === 'win' || act === 'lose')) account.moveDispute(dispute.id, act === 'win' ? 'won' : 'lost');
}
