import { expect } from 'chai';
import fc from 'fast-check';
import { creditedOf } from '../../../core/invoices/credit-note.ts';
import { sumOf } from '../../../core/invoices/tax-line.ts';
import type { Order } from '../../../core/purchases/order.ts';
import { addCoupon } from '../../support/coupons.ts';
import { good } from '../../support/good.ts';
import { openStoresInMemory } from '../../support/in-memory.ts';
import { must } from '../../support/license-acts.ts';
import { addForSale, createBank } from '../../support/orders.ts';
import { runs } from '../../support/runs.ts';
import { startStripeSubscriptions, subscribedAt } from '../../support/stripe-subscriptions.ts';
import { createShop } from '../../support/subscriptions.ts';

const addresses = () => ({ done: 'https://a.example/done', cancelled: 'https://a.example/cancelled' });
const currencies = ['usd', 'eur', 'jpy', 'kwd'] as const;

const refund = fc.record({ refund: fc.double({ min: 0.01, max: 1, noNaN: true }), arrives: fc.boolean() });
const sale = fc.record({
  currency: fc.constantFrom(...currencies),
  coupon: fc.constantFrom(undefined, 'PART', 'SUM'),
  taxes: fc.array(fc.record({ percent: fc.integer({ min: 1, max: 12 }), isIncluded: fc.boolean() }), { maxLength: 3 }),
  refunds: fc.array(refund, { maxLength: 4 }),
  dispute: fc.constantFrom(undefined, 'needs_response', 'won', 'lost', 'warning_needs_response' as const),
});

describe('the money that was kept', () => {
  it('is the same on the revenue page, on invoices without credit notes, and at Stripe, in each currency', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(sale, { minLength: 3, maxLength: 6 }), async (sales) => {
        await using stripe = await startStripeSubscriptions({}, 'sk_live_kept');
        const stores = await openStoresInMemory();
        try {
          const shop = createShop(stores, stripe.clock, createBank(), { provider: stripe.provider });
          const prices = { eur: 4_500, jpy: 7_000, kwd: 15_000 };
          const { slug } = await addForSale(stores, { price: 5_000, prices });
          const from = { createdAt: subscribedAt };
          await addCoupon(stores, { ...from, code: 'PART', takesOff: { percent: 33 } });
          await addCoupon(stores, { ...from, code: 'SUM', takesOff: { amount: 777, currency: 'usd' } });
          /** In each currency, what is left at Stripe. */
          const atStripe = new Map<string, number>();
          const orders: Order[] = [];
          for (const [n, { currency, taxes, refunds, dispute, coupon }] of sales.entries()) {
            const buyer = { email: `b${n}@example.com`, name: null, client: `192.0.2.${n}` };
            const isUsable = coupon === 'PART' || currency === 'usd';
            const wish = { product: slug, currency, coupon: isUsable ? coupon : undefined };
            const { order } = good(
              await shop.checkout.begin({ ...wish, way: 'stripe', ...buyer }, undefined, addresses),
            );
            const intent = stripe.account.confirm(must(order.paymentId ?? undefined), { taxes });
            await shop.look(order);
            const { amount } = must(stripe.account.intents.get(intent));
            let refunded = 0;
            let isLost = false;
            for (const one of refunds) {
              const wanted = Math.floor(amount * one.refund);
              if (wanted < 1 || wanted > amount - refunded) continue;
              stripe.account.refundsStart('pending');
              const { id } = stripe.account.refund(intent, wanted);
              await shop.look(order);
              stripe.account.moveRefund(id, one.arrives ? 'succeeded' : 'failed');
              if (one.arrives) refunded += wanted;
            }
            if (dispute !== undefined) {
              const { id } = stripe.account.dispute(intent, dispute.startsWith('warning') ? dispute : 'needs_response');
              await shop.look(order);
              stripe.account.moveDispute(id, dispute);
              isLost = dispute === 'lost';
            }
            const after = await shop.look(order);
            expect(after.payment.currency, 'the currency never changes').to.equal(order.agreed.currency);
            expect(after.agreed.currency).to.equal(currency);
            orders.push(after);
            atStripe.set(currency, (atStripe.get(currency) ?? 0) + (isLost ? 0 : amount - refunded));
            const notes = after.creditNotes.reduce((sum, note) => sum + sumOf(note.taxes), 0);
            expect(notes).to.be.at.least(0);
          }
          const revenue = await stores.orders.revenue({ isLive: true, from: 0 });
          const kept = (code: string) => revenue.filter((one) => one.currency === code);
          for (const [code, left] of atStripe) {
            const sum = kept(code).reduce((all, { paid, refunded }) => all + paid - refunded, 0);
            const own = orders.filter(({ payment }) => payment.currency === code);
            const invoiced = own.reduce((all, one) => all + one.payment.total - creditedOf(one), 0);
            expect([sum, invoiced], code).to.deep.equal([left, left]);
          }
        } finally {
          await stores.close();
        }
      }),
      { numRuns: runs(20) },
    );
  });
});
