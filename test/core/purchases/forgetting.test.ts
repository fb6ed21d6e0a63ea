import { expect } from 'chai';
import { wasNeverPaid } from '../../../core/purchases/forgetting.ts';
import type { Order } from '../../../core/purchases/order.ts';
import { paymentStatuses, unpaid } from '../../../core/purchases/payment.ts';
import { stripeOrder } from '../../support/stripe-order.ts';

describe('an order that was never paid', () => {
  const order = (payment: Partial<Order['payment']>, fields: Partial<Order> = {}): Order =>
    stripeOrder(1_000, { payment: { ...unpaid(4_900, 'usd'), status: 'expired', ...payment }, ...fields });

  it('is one whose payment ended without money', () => {
    const ended = paymentStatuses.filter((status) => wasNeverPaid(order({ status })));
    expect(ended).to.have.members(['failed', 'expired', 'cancelled']);
  });

  it('is none if anything was ever paid, refunded, disputed, numbered or delivered for it', () => {
    for (const one of [
      order({ refunded: 1 }),
      order({ refundsPending: 1 }),
      order({ dispute: 'won' }),
      order({}, { paidAt: 1 }),
      order({}, { number: 1 }),
      order({}, { licenseKey: 'LIC-AAAA-BBBB-CCCC-DDDD' as Order['licenseKey'] }),
    ]) {
      expect(wasNeverPaid(one)).to.equal(false);
    }
  });
});
