import { createMemoryRateLimiter } from '../../adapters/limits/memory.ts';
import type { ManualClock } from '../../adapters/node/manual-clock.ts';
import type { Offer } from '../../core/marketplace/offers.ts';
import type { Product } from '../../core/marketplace/product.ts';
import type { OrderStore } from '../../core/ports/order-store.ts';
import type { PaymentProvider } from '../../core/ports/payments.ts';
import { createPurchases } from '../../core/purchases/buying.ts';
import { createCheckout } from '../../core/purchases/checkout.ts';
import type { Order, Provider } from '../../core/purchases/order.ts';
import type { PaymentFacts } from '../../core/purchases/payment.ts';
import { createRenewing } from '../../core/purchases/renewing.ts';
import { createLearn, createSettleOrder } from '../../core/purchases/settle.ts';
import { createSubscribing } from '../../core/purchases/subscribing.ts';
import type { PaymentSettings } from '../../core/purchases/ways-to-pay.ts';
import type { Stores } from './backends.ts';
import { by } from './by.ts';
import { good } from './good.ts';
import { must } from './license-acts.ts';
import { addForSale, type Bank, orderPorts } from './orders.ts';

const addresses = () => ({ done: 'https://a.example/done', cancelled: 'https://a.example/cancelled' });
const client = '192.0.2.7';

export const offerOf = (fields: Partial<Offer> & Pick<Offer, 'slug'>): Offer => ({
  ...{ name: fields.slug, kind: 'subscription', price: 1_000, maxDomains: 3, duration: null, updatesMonths: null },
  ...{ entitlements: [], isListed: true, recurs: { months: 1, graceDays: 7, perpetualAfter: null } },
  ...fields,
});

export const offers = {
  monthly: offerOf({ slug: 'monthly' }),
  small: offerOf({ slug: 'small', price: 400, maxDomains: 1 }),
  team: offerOf({ slug: 'team', price: 5_000, maxDomains: 20, entitlements: ['team'] }),
  kept: offerOf({ slug: 'kept', recurs: { months: 1, graceDays: 3, perpetualAfter: 3 } }),
};

/** What buyers and sellers do with subscriptions, on the stores of a test. The stores and the provider may be wrapped. */
export function createShop(
  stores: Omit<Stores, 'close'>,
  clock: ManualClock,
  bank: Bank,
  { store = stores.orders, provider = bank }: { readonly store?: OrderStore; readonly provider?: PaymentProvider } = {},
) {
  const settings: PaymentSettings = {
    ...{ manual: { instructions: 'To IBAN 1' }, test: 'all products', provider, takesProvider: true },
  };
  const limiter = createMemoryRateLimiter(clock);
  const ports = { ...orderPorts(stores, provider, clock), store, settings, limiter };
  const settle = createSettleOrder(ports);
  const { products, licenses, coupons } = stores;
  const learn = createLearn(ports);
  const parts = {
    ...{ settle, learn, limiter },
    checkout: createCheckout({ ...ports, products, coupons, settle }),
    purchases: createPurchases({ ...ports, claim: async () => 0, settle }),
    renewing: createRenewing({ ...ports, products, licenses }),
    subscribing: createSubscribing({ ...ports, settle }),
  };
  const look = async ({ id }: Pick<Order, 'id'>) => must(await parts.settle(id));
  const learnt = async ({ id }: Pick<Order, 'id'>, facts: Partial<PaymentFacts>) =>
    good(must(await learn(id, ({ payment }) => ({ payment: { ...payment, ...facts } }), by)));
  return {
    ...parts,
    look,
    /** Records something of a payment by hand. */
    learnt,
    pay: async (order: Pick<Order, 'id'>) => {
      await learnt(order, { status: 'paid' });
      return await look(order);
    },
    async order(offer: string, way: Provider, fields: Partial<Product> = {}, email = 'zoe@example.com') {
      const product = await addForSale(stores, { offers: Object.values(offers), ...fields });
      const wish = { product: product.slug, offer, way, email, name: 'Zoë', client };
      return good(await parts.checkout.begin(wish, undefined, addresses)).order;
    },
    /** Opens the order of another offer for the license of an order. */
    async change(order: Order, offer: string, way: Provider) {
      return good(await parts.renewing.begin(order, { offer, way, client }, undefined, addresses)).order;
    },
    cycles: ({ id }: Pick<Order, 'id'>) => stores.orders.cyclesOf(id),
    license: async ({ licenseKey, renews }: Order) =>
      must((await stores.licenses.find(must(licenseKey ?? renews ?? undefined)))?.license),
  };
}
