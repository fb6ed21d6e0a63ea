import { type Actor, byOf, may } from '../accounts/role.ts';
import type { By } from '../events/event.ts';
import { findProduct } from '../marketplace/find-product.ts';
import { type OfferedAs, offeredAs, pricesOf } from '../marketplace/offers.ts';
import type { Product } from '../marketplace/product.ts';
import type { ReturnAddresses } from '../ports/payments.ts';
import type { ProductStore } from '../ports/product-store.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { createSendLetterAgain } from './letter-again.ts';
import { buyerOf, newOrder } from './new-order.ts';
import type { Buyer, Order, Provider } from './order.ts';
import { countLetter, countLook, countOrder } from './order-limits.ts';
import { newOrderToken } from './order-token.ts';
import { type Begun, createPlacing } from './placing.ts';
import { serves } from './served.ts';
import type { OrderPorts, SettleOrder } from './settle.ts';
import { isForSale, leastPrice, type PaymentSettings, waysToPay } from './ways-to-pay.ts';

/** A product with the price and terms of an offer, and with the ways to pay for it. None: nobody can buy it at the moment. */
export interface Offered extends OfferedAs<Product> {
  readonly ways: readonly Provider[];
}

/** A buyer's request for a new order. */
export interface Wish {
  /** Id or slug. */
  readonly product: string;
  /** The slug of an offer. `undefined`: see `offeredAs`. */
  readonly offer?: string | undefined;
  /** In lower case. Only of guests: members get the one of their account. */
  readonly email: string;
  readonly name: string | null;
  /** `undefined`: the usual way. */
  readonly way?: Provider | undefined;
  /** The network address that the order comes from. */
  readonly client: string;
  /** The token of the order that this browser made before. See `isPaidInstead`: it is cancelled then. */
  readonly earlier?: string | undefined;
}

type NotForSale = 'product_not_found' | 'not_for_sale';

/** A wish that can become an order. */
interface Accepted extends OfferedAs<Product> {
  readonly way: Provider;
  readonly buyer: Buyer;
  readonly by: By;
  readonly earlier: string | undefined;
}

/** Why nobody can buy a product: no way to pay takes its price, its seller is suspended, or the site has no way to pay. */
export type NoSale = 'price' | 'seller' | 'site';

export interface Checkout {
  /** Returns why nobody can pay for a product now. `undefined`: it can be paid. */
  obstacle(product: Product): Promise<NoSale | undefined>;
  /**
   * Returns a product that the visitor can buy, as an offer sells it. `visitor` is `undefined` for guests. Without an offer,
   * see `offeredAs`.
   */
  offer(product: string, visitor: Actor | undefined, offer?: string): Promise<Offered | Refused<NotForSale>>;
  /**
   * Makes an order of what is offered now. A free product is delivered at once: for guests, see `sendFree`. Refuses what
   * the buyer already got for free, and then sends the mail with the license key again. Throws `Unavailable` if the
   * provider cannot be asked: then nothing was paid, and the order is closed.
   */
  begin(
    wish: Wish,
    visitor: Actor | undefined,
    addresses: (order: Order) => ReturnAddresses,
  ): Promise<Begun | Refused<NotForSale | 'already_bought' | 'too_many_attempts'>>;
  /**
   * Gives a guest a free product by mail alone, so that nobody learns from the result whether the address has it already.
   * If it has, it gets the mail of that order again. Few such mails go to one address: then none is sent.
   */
  sendFree(wish: Wish): Promise<'letter_sent' | Refused<NotForSale | 'too_many_attempts'>>;
  /** Returns the provider's page for an order that still waits for its payment. `undefined` if it has no such page. */
  goOn(token: string, addresses: (order: Order) => ReturnAddresses): Promise<string | undefined>;
}

export interface CheckoutPorts extends OrderPorts {
  readonly products: Pick<ProductStore, 'findById' | 'findBySlug'>;
  readonly settings: PaymentSettings;
  readonly settle: SettleOrder;
  readonly limiter: RateLimiter;
}

export function createCheckout(ports: CheckoutPorts): Checkout {
  const { store, products, settings, settle, clock, secrets, within } = ports;
  const placing = createPlacing(ports);
  const sendLetterAgain = createSendLetterAgain(ports);

  async function offer(
    idOrSlug: string,
    visitor: Actor | undefined,
    wanted?: string,
  ): Promise<Offered | Refused<NotForSale>> {
    const product = await findProduct(products, idOrSlug);
    const isManaged = visitor !== undefined && may(visitor, 'products:manage', product?.ownerId ?? undefined);
    if (product === undefined || !isForSale(product, isManaged)) {
      return refuse('product_not_found', 'There is no such product for sale.');
    }
    const offered = offeredAs(product, wanted);
    if (offered === undefined) return refuse('product_not_found', 'The product is not for sale by this offer.');
    return { ...offered, ways: (await isSuspended(product)) ? [] : waysToPay(settings, offered.product) };
  }

  const isSuspended = async ({ ownerId }: Product) => ownerId !== null && (await ports.isSuspended(ownerId));

  return {
    async obstacle(product) {
      if (await isSuspended(product)) return 'seller';
      const canPay = (price: number) => waysToPay(settings, { ...product, price }).length > 0;
      if (pricesOf(product).some(canPay)) return undefined;
      return canPay(leastPrice) ? 'price' : 'site';
    },

    offer,

    async begin(wish, visitor, addresses) {
      const wanted = await accepted(wish, visitor);
      if (isRefused(wanted)) return wanted;
      const order = await added(wanted);
      if (isRefused(order)) return order;
      if (wanted.way === 'free') return { order: (await settle(order.id)) ?? order, payAt: undefined };
      return await placing.askToPay(order, wanted.by, addresses);
    },

    async sendFree(wish) {
      const wanted = await accepted({ ...wish, way: 'free' }, undefined);
      if (isRefused(wanted)) return wanted;
      if (await countLetter(ports, wanted.buyer.email)) return 'letter_sent';
      const order = await added(wanted);
      if (!isRefused(order)) await settle(order.id);
      return 'letter_sent';
    },

    async goOn(token, addresses) {
      const order = await store.findByToken(token);
      const { provider } = settings;
      if (order?.state !== 'open' || !serves(provider, order)) return undefined;
      if (await countLook(ports, order.id)) return undefined;
      return await within(async (until) => {
        const now = await settle(order.id, until);
        if (now?.state !== 'open') return undefined;
        return (await placing.start(now, provider, { actor: now.buyer.email }, addresses, until)).payAt;
      });
    },
  };

  /** Checks and counts a wish. */
  async function accepted(
    { product: idOrSlug, offer: wanted, way, client, earlier, ...typed }: Wish,
    visitor: Actor | undefined,
  ): Promise<Accepted | Refused<NotForSale | 'too_many_attempts'>> {
    const offered = await offer(idOrSlug, visitor, wanted);
    if (isRefused(offered)) return offered;
    const { ways, ...sold } = offered;
    const chosen = way ?? ways[0];
    if (chosen === undefined || !ways.includes(chosen)) {
      return refuse('not_for_sale', 'This product cannot be paid for at the moment.');
    }
    const buyer = buyerOf(typed, visitor);
    const tooMany = await countOrder(ports, { client, email: buyer.email, userId: buyer.userId ?? undefined });
    if (tooMany) return tooMany;
    return { ...sold, way: chosen, buyer, by: visitor ? byOf(visitor) : { actor: buyer.email }, earlier };
  }
  /** Adds the order. If the buyer already got the product for free, sends the mail of that order again instead. */
  async function added({ way, buyer, by, earlier, ...sold }: Accepted): Promise<Order | Refused<'already_bought'>> {
    const made = newOrder(sold, way, buyer, newOrderToken(secrets), clock.now());
    const order = await placing.add(made, by, earlier);
    if (isRefused(order)) {
      const had = await store.findFree(made);
      if (had !== undefined) await sendLetterAgain(had.id);
    }
    return order;
  }
}
