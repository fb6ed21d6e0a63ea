import { toOrderId, toProductId } from '../../core/id.ts';
import { defaultTerms } from '../../core/marketplace/product-terms.ts';
import type { Order } from '../../core/purchases/order.ts';
import { unpaid } from '../../core/purchases/payment.ts';

/** An open order in test mode, for 49 dollars at Stripe. */
export function stripeOrder(createdAt: number, more: Partial<Order> = {}): Order {
  return {
    id: toOrderId(7),
    token: '0123456789abcdefghjkmnpq',
    provider: 'stripe',
    paymentId: null,
    intentId: null,
    isLive: false,
    productId: toProductId(3),
    sellerId: null,
    buyer: { userId: null, email: 'ada@example.com', name: null },
    billing: null,
    agreed: {
      title: 'Token Kit',
      slug: 'token-kit',
      price: 4_900,
      currency: 'usd',
      terms: defaultTerms,
      offer: null,
      version: null,
      templateId: null,
      sellerName: null,
    },
    payment: unpaid(4_900, 'usd'),
    state: 'open',
    isAccepted: false,
    licenseKey: null,
    renews: null,
    subscription: null,
    cycleOf: null,
    partOf: null,
    number: null,
    invoice: null,
    creditNotes: [],
    createdAt,
    paidAt: null,
    updatedAt: createdAt,
    revision: 1,
    ...more,
  };
}
