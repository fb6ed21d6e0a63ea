import { createMemoryRateLimiter } from '../../adapters/limits/memory.ts';
import type { ManualClock } from '../../adapters/node/manual-clock.ts';
import type { BundledProduct } from '../../core/marketplace/bundle.ts';
import type { Product } from '../../core/marketplace/product.ts';
import { createCheckout } from '../../core/purchases/checkout.ts';
import type { Order } from '../../core/purchases/order.ts';
import { createSettleOrder } from '../../core/purchases/settle.ts';
import type { PaymentSettings } from '../../core/purchases/ways-to-pay.ts';
import { createOrderList } from '../../core/selling/order-list.ts';
import { createOrders } from '../../core/selling/orders.ts';
import type { Stores } from './backends.ts';
import { operator } from './by.ts';
import { good } from './good.ts';
import { addForSale, type Bank, orderPorts } from './orders.ts';

type OpenStores = Pick<Stores, 'orders' | 'accounts' | 'products' | 'coupons' | 'auditLog'>;

const addresses = () => ({ done: 'https://a.example/done', cancelled: 'https://a.example/cancelled' });

/** Adds products for sale at these prices, and a bundle of them, which contains them in the reverse order. */
export async function addBundle(
  stores: Pick<Stores, 'products'>,
  prices: readonly number[],
  fields: Partial<Product> = {},
): Promise<{ readonly bundle: Product; readonly inside: readonly Product[] }> {
  const inside: Product[] = [];
  const { slug = 'bundle', ownerId = null } = fields;
  for (const [index, price] of prices.entries()) {
    const title = `Part ${index + 1}`;
    inside.unshift(await addForSale(stores, { slug: `${slug}-${index + 1}`, title, price, ownerId }));
  }
  const items: BundledProduct[] = inside.map(({ id }) => ({ productId: id, offer: null }));
  const own = { title: 'All of it', price: 1_000, zip: null, version: null, bundle: items };
  return { bundle: await addForSale(stores, { ...own, slug, ...fields }), inside };
}

/** What buyers and sellers do with bundles, on the stores of a test. */
export function createBundleShop(
  stores: OpenStores,
  clock: ManualClock,
  bank: Bank,
  settings: Partial<PaymentSettings> = { provider: bank },
) {
  const ports = orderPorts(stores, bank, clock);
  const settle = createSettleOrder(ports);
  const mayRecord = async () => true;
  const writeSheet = () => {
    throw new Error('It writes no sheet.');
  };
  const { products, coupons, auditLog: log } = stores;
  const list = createOrderList({ store: ports.store, products, log, writeSheet, mayRecord });
  const all = { manual: undefined, test: undefined, provider: undefined, takesProvider: true, ...settings };
  const limiter = createMemoryRateLimiter(clock);
  const checkout = createCheckout({ ...ports, products, coupons, settings: all, settle, limiter });
  const orders = createOrders({ ...ports, settings: all, list, settle, mayRecord });
  const seller = { actor: operator, mode: 'live' } as const;
  return {
    checkout,
    orders,
    list,
    settle,
    seller,
    begin: async (product: Product, email = 'zoe@example.com') => {
      const wish = { product: product.slug, email, name: 'Zoë', client: '192.0.2.7' };
      return good(await checkout.begin(wish, undefined, addresses)).order;
    },
    /** Pays an order at the bank, and looks at it. */
    async pay(order: Order, facts: Partial<Order['payment']> = {}): Promise<Order> {
      bank.set(order, { status: 'paid', ...facts });
      return (await settle(order.id)) ?? order;
    },
    partsOf: async ({ id }: Pick<Order, 'id'>) => await stores.orders.partsOf([id]),
    refundParts: (order: Order, parts: readonly Order[]) =>
      orders.refundParts(
        String(order.id),
        parts.map(({ id }) => id),
        seller,
      ),
  };
}
