import { createMemoryRateLimiter } from '../../adapters/limits/memory.ts';
import { createManualClock, type ManualClock } from '../../adapters/node/manual-clock.ts';
import { systemSecrets } from '../../adapters/node/secrets.ts';
import { createWithin } from '../../adapters/within.ts';
import { event } from '../../core/events/event.ts';
import type { Product } from '../../core/marketplace/product.ts';
import type { NewOrder } from '../../core/ports/order-store.ts';
import type { KnownPayment, PaymentProvider } from '../../core/ports/payments.ts';
import type { KnownSubscription, SubscriptionFacts, SubscriptionPayment } from '../../core/ports/subscriptions.ts';
import type { Order } from '../../core/purchases/order.ts';
import { productsInOrder } from '../../core/purchases/parts.ts';
import { unpaid } from '../../core/purchases/payment.ts';
import { createSettleOrder, type OrderPorts, type SettleOrder } from '../../core/purchases/settle.ts';
import type { UsdcWay } from '../../core/purchases/usdc-way.ts';
import type { Rating } from '../../core/ratings/rating.ts';
import { isRefused, refuse } from '../../core/refusal.ts';
import type { Stores } from './backends.ts';
import { by } from './by.ts';
import { writeLetter } from './letters.ts';
import { newProduct, issuedAt as now } from './license-acts.ts';

type OpenStores = Omit<Stores, 'close'>;

/** Adds a product that can be bought. */
export function addForSale({ products }: Pick<Stores, 'products'>, fields: Partial<Product> = {}): Promise<Product> {
  const product = newProduct({ archivedAt: null, rejectionReason: null, isLive: true, ...fields });
  return products.add(product, (slug) => event('product.added', slug, by, now));
}

let tokens = 0;

/** Returns a new order of a product. All its fields have different values, so that mixed-up fields are noticed. */
export function newOrder(product: Product, fields: Partial<NewOrder> = {}): NewOrder {
  const { title, slug, price, terms, version, templateId, sellerName } = product;
  const token = `token-${++tokens}`;
  return {
    token,
    provider: price === 0 ? 'free' : 'stripe',
    paymentId: price === 0 ? null : `pay-${token}`,
    intentId: null,
    isLive: product.isLive,
    productId: product.id,
    sellerId: product.ownerId,
    buyer: { userId: null, email: 'zoe@example.com', name: 'Zoë "Z" Łuk' },
    billing: null,
    agreed: { title, slug, price, currency: 'usd', terms, offer: null, version, templateId, sellerName },
    payment: unpaid(price, 'usd'),
    state: 'open',
    isAccepted: false,
    licenseKey: null,
    renews: null,
    subscription: null,
    cycleOf: null,
    partOf: null,
    createdAt: now,
    paidAt: null,
    updatedAt: now + 1,
    ...fields,
  };
}

/** What the store sets of an order that was just added. */
export const justAdded = { number: null, invoice: null, creditNotes: [], revision: 0 } as const;

export async function addOrder(
  { orders }: Pick<Stores, 'orders'>,
  product: Product,
  fields: Partial<NewOrder> = {},
): Promise<Order> {
  const made = newOrder(product, fields);
  const order = await orders.add(made, event('order.added', product.slug, by, made.createdAt), made.createdAt + 5);
  if (isRefused(order)) throw new Error(order.detail);
  return order;
}

/** A rating of what was ordered, which everybody sees. */
export function newRating(
  { id, productId }: Pick<Order, 'id' | 'productId'>,
  fields: Partial<Rating> = {},
): Omit<Rating, 'id'> {
  return {
    ...{ productId, orderId: id, buyerEmail: 'ada@example.com', stars: 4, name: 'Ada é', text: 'Good 😀' },
    ...{ state: 'shown', reply: null, repliedAt: null, report: null, createdAt: now, changedAt: now },
    ...fields,
  };
}

/** A payment provider with a truth of its own. */
export interface Bank extends PaymentProvider {
  /** The facts of a payment. `undefined`: the bank does not know it. */
  truthOf(order: Pick<Order, 'paymentId'>): KnownPayment;
  set(order: Pick<Order, 'paymentId' | 'id' | 'payment'>, facts: Partial<KnownPayment>): void;
  /** How many turns of the event loop the next answers take. Each answer has the state from when it was asked. */
  delays: (() => number) | undefined;
  /** Throws from `read`, if it is set. */
  outage: Error | undefined;
  /** Begins a subscription with the payment of an order. */
  subscribe(order: Pick<Order, 'paymentId' | 'id' | 'payment'>): string;
  /** Changes a subscription. */
  turn(id: string, facts: Partial<SubscriptionFacts>): void;
  /** Collects a payment of a subscription. Returns its id. */
  collect(id: string, payment: Omit<SubscriptionPayment, 'paymentId' | 'currency'>): string;
  /** A subscription as the bank knows it, with the price of its next payment, if that was changed. */
  known(id: string): KnownSubscription & { readonly price: number | undefined };
  /** What was asked of a subscription. */
  asked: readonly string[];
  /** The number of answers. */
  reads: number;
}

export function createBank(): Bank {
  const truth = new Map<string, KnownPayment>();
  const known = (paymentId: string | null): KnownPayment => {
    const found = truth.get(paymentId ?? '');
    if (found === undefined) throw new Error(`The bank knows no payment ${paymentId}.`);
    return found;
  };
  const refundedBy = new Set<string>();
  const subscriptions = new Map<string, KnownSubscription>();
  const subscribed = (id: string): KnownSubscription => {
    const found = subscriptions.get(id);
    if (found === undefined) throw new Error(`The bank knows no subscription ${id}.`);
    return found;
  };
  const asked: string[] = [];
  const prices = new Map<string, number>();
  const bank: Bank = {
    subscribe(order) {
      const id = `sub-${order.id}`;
      subscriptions.set(id, { status: 'active', isCancelled: false, payAt: null, payments: [] });
      bank.set(order, { status: 'paid', subscriptionId: id });
      return id;
    },
    turn: (id, facts) => subscriptions.set(id, { ...subscribed(id), ...facts }),
    collect(id, { price, from, to }) {
      const before = subscribed(id);
      const paymentId = `in-${id}-${before.payments.length + 1}`;
      const payment = { ...unpaid(price, 'usd'), status: 'paid' } as const;
      const buyer = { email: null, name: null };
      const others = { intentId: `intent-${paymentId}`, subscriptionId: null, buyer, billing: null };
      truth.set(paymentId, { ...payment, ...others });
      bank.turn(id, { payments: [...before.payments, { paymentId, from, to, price, currency: 'usd' }] } as object);
      return paymentId;
    },
    known: (id) => ({ ...subscribed(id), price: prices.get(id) }),
    asked,
    takes: (amount) => amount >= 50,
    subscriptions: {
      async read(id) {
        if (bank.outage) throw bank.outage;
        return subscribed(id);
      },
      async cancel(id, when) {
        if (bank.outage) throw bank.outage;
        asked.push(`cancel ${id} ${when}`);
        if (subscribed(id).status === 'ended') return;
        bank.turn(id, { isCancelled: true, ...(when === 'now' && { status: 'ended' }) });
      },
      async resume(id) {
        if (bank.outage) throw bank.outage;
        asked.push(`resume ${id}`);
        if (subscribed(id).status === 'ended') return refuse('subscription_ended');
        bank.turn(id, { isCancelled: false });
        return undefined;
      },
      async reprice(id, { price, months }) {
        if (bank.outage) throw bank.outage;
        asked.push(`reprice ${id} ${price} ${months}`);
        if (subscribed(id).status === 'ended') return refuse('subscription_ended');
        prices.set(id, price);
        return undefined;
      },
      manage: async (id, returnTo) => `https://bank.example/manage/${id}?back=${returnTo}`,
    },
    name: 'stripe',
    isLive: true,
    delays: undefined,
    outage: undefined,
    reads: 0,
    truthOf: ({ paymentId }) => known(paymentId),
    set({ paymentId, id, payment }, facts) {
      const before = truth.get(paymentId ?? '') ?? {
        ...payment,
        intentId: `intent-${id}`,
        subscriptionId: null,
        buyer: { email: 'z@bank.example', name: 'Z' },
        billing: null,
      };
      truth.set(paymentId ?? '', { ...before, ...facts });
    },
    find: async (order) => (truth.has(`pay-${order.id}`) ? `pay-${order.id}` : undefined),
    start: async ({ id }) => ({ paymentId: `pay-${id}`, payAt: `https://bank.example/pay/${id}` }),
    async read(paymentId) {
      bank.reads++;
      if (bank.outage) throw bank.outage;
      const answer = known(paymentId);
      for (let turn = bank.delays?.() ?? 0; turn > 0; turn--) await new Promise((resolve) => setImmediate(resolve));
      return answer;
    },
    async refund({ paymentId }, amount, { key, request, product }) {
      if (product === undefined && request !== undefined && refundedBy.has(request)) return undefined;
      if (request !== undefined) refundedBy.add(request);
      const before = known(paymentId);
      const refunded = before.refunded + amount;
      if (product === undefined) {
        truth.set(paymentId ?? '', { ...before, refunded });
      } else if (!refundedBy.has(key)) {
        refundedBy.add(key);
        const refundedParts = productsInOrder([...(before.refundedParts ?? []), product]);
        truth.set(paymentId ?? '', { ...before, refunded, refundedParts });
      }
      return undefined;
    },
    hasRefunded: async (_, request) => refundedBy.has(request),
    receive: async () => undefined,
    test: async () => undefined,
    paymentOf: async () => undefined,
  };
  return bank;
}

/** Returns the dependencies of the changes of orders, on the stores of a test. The stores may be opened later. */
export function orderPorts(
  stores: Pick<OpenStores, 'orders' | 'accounts'>,
  bank: PaymentProvider | undefined,
  clock: ManualClock = createManualClock(now + 10),
): OrderPorts & { readonly usdc: UsdcWay } {
  return {
    get store() {
      return stores.orders;
    },
    settings: { provider: bank, manual: undefined },
    within: createWithin(10_000),
    clock,
    secrets: systemSecrets,
    limiter: createMemoryRateLimiter(clock),
    write: writeLetter,
    administrators: () => stores.accounts.administrators(),
    recorders: async () => (await stores.accounts.list({ role: 'admin', limit: 9 })).map(({ user }) => user),
    usdc: { begin: async () => undefined, takes: async () => false },
    isProved: async ({ userId }) => userId !== null,
    isSuspended: async (seller) => (await stores.accounts.findById(seller))?.suspendedAt != null,
  };
}

export function settleOn(stores: Pick<OpenStores, 'orders' | 'accounts'>, bank: PaymentProvider): SettleOrder {
  return async (id) => {
    const isLive = (await stores.orders.find(id))?.isLive ?? bank.isLive;
    return await createSettleOrder(orderPorts(stores, { ...bank, isLive }))(id);
  };
}
