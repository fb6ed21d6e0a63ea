import { expect } from 'chai';
import fc from 'fast-check';
import { toOrderId, toProductId } from '../../../core/id.ts';
import { isOutside, type Order, providers } from '../../../core/purchases/order.ts';
import { orderAllows } from '../../../core/purchases/order-acts.ts';
import { disputeStates, paymentStatuses, refundable } from '../../../core/purchases/payment.ts';
import { type RecordedAct, recorded } from '../../../core/purchases/recorded.ts';
import { isRefused } from '../../../core/refusal.ts';
import { newProduct } from '../../support/license-acts.ts';
import { justAdded, newOrder } from '../../support/orders.ts';

const price = 4990;
const order: fc.Arbitrary<Order> = fc
  .record({
    provider: fc.constantFrom(...providers),
    status: fc.constantFrom(...paymentStatuses),
    refunded: fc.constantFrom(0, 1, price),
    dispute: fc.constantFrom(null, ...disputeStates),
  })
  .map(({ provider, ...payment }) => {
    const made = newOrder({ ...newProduct(), id: toProductId(7) });
    const facts = { ...made.payment, total: price, subtotal: price, ...payment };
    return { ...made, provider, payment: facts, id: toOrderId(3), ...justAdded };
  });

/** What is recorded of an act that its page offers. Others are made by a provider, or have no record of the payment. */
const recordedAs = {
  pay: () => ({ kind: 'pay' }),
  cancel: () => ({ kind: 'cancel' }),
  refund: ({ payment }) => ({ kind: 'refund', amount: refundable(payment) }),
} as const satisfies Record<string, (order: Order) => RecordedAct>;

describe('acts on orders', () => {
  for (const act of ['pay', 'cancel', 'refund'] as const) {
    it(`are offered only if they can be recorded: ${act}`, () => {
      let offered = 0;
      fc.assert(
        fc.property(order, (one) => {
          if (!orderAllows[act](one) || isOutside(one.provider)) return;
          // A free order has nothing to refund, because nothing of it was paid.
          if (one.provider === 'free') return;
          offered += 1;
          expect(isRefused(recorded(one, recordedAs[act](one)))).to.equal(false);
        }),
        // Never fewer: only a few random orders allow a refund.
        { numRuns: 1_000 },
      );
      expect(offered).to.be.greaterThan(0);
    });
  }
});
