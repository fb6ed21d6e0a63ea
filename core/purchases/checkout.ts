import { type Actor, byOf, may } from '../accounts/role.ts';
import { baseCurrency, shownCode } from '../currency.ts';
import type { By } from '../events/event.ts';
import type { BillingDetails } from '../invoices/billing-details.ts';
import { createFindContents } from '../marketplace/bundles.ts';
import { findProduct } from '../marketplace/find-product.ts';
import { inCurrency, offeredAs } from '../marketplace/offers.ts';
import type { Product } from '../marketplace/product.ts';
import type { CouponStore } from '../ports/coupon-store.ts';
import type { ReturnAddresses } from '../ports/payments.ts';
import type { ProductStore } from '../ports/product-store.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { refusingLiveSale } from '../sandbox/sandbox.ts';
import { offeredAt, pricedAt } from './chosen-price.ts';
import { type CouponRefusal, codeOf, type Discount, discountOf } from './coupon.ts';
import { discounted, pricesWith } from './discounted.ts';
import { isTooLateToBegin } from './lapse.ts';
import { createSendLetterAgain } from './letter-again.ts';
import { buyerOf, newOrder, type Sold } from './new-order.ts';
import { type NoSale, obstacleTo } from './obstacle.ts';
import { type Buyer, isOutside, isPaidHere, type Order, type Provider } from './order.ts';
import { countCoupon, countCouponOrder, countLetter, countLetterTo, countLook, countOrder } from './order-limits.ts';
import { newOrderToken } from './order-token.ts';
import { type Begun, createPlacing } from './placing.ts';
import { serves } from './served.ts';
import type { OrderPorts, SettleOrder } from './settle.ts';
import type { UsdcWay } from './usdc-way.ts';
import { isForSale, type PaymentSettings, waysToPay, waysToSubscribe } from './ways-to-pay.ts';
import type { Wish } from './wish.ts';

/** A product with the price and terms of an offer, and with the ways to pay for it. None: nobody can buy it at the moment. */
export interface Offered extends Sold {
  /** What a coupon takes off the price. */
  readonly discount: Discount | undefined;
  readonly ways: readonly Provider[];
  /** Whether the seller takes USDC for it. */
  readonly takesUsdc: boolean;
}

type CouponRefused = Refused<CouponRefusal | 'coupon_leaves_too_little' | 'too_many_attempts'>;

type NotForSale = 'forbidden' | 'product_not_found' | 'not_for_sale' | 'currency_not_offered' | 'amount_not_possible';

/** A wish that can become an order. */
interface Accepted extends Sold, Pick<Offered, 'discount'> {
  readonly way: Provider;
  readonly buyer: Buyer;
  readonly billing: BillingDetails | null;
  readonly by: By;
  readonly earlier: string | undefined;
}

export interface Checkout {
  /** Returns why nobody can pay for a product now. `undefined`: it can be paid. */
  obstacle(product: Product): Promise<NoSale | undefined>;
  /**
   * Returns a product that the visitor can buy, as an offer sells it. An account of the sandbox can buy test products only. `visitor` is `undefined` for guests. Without an offer,
   * see `offeredAs`; without a currency, in the base currency. `amount` is what the buyer has chosen to pay; without it, what
   * is suggested. Refuses an amount that is less than the least one, or that no way to pay takes.
   */
  offer(
    product: string,
    visitor: Actor | undefined,
    offer?: string,
    currency?: string,
    amount?: number,
  ): Promise<Offered | Refused<NotForSale>>;
  /**
   * Returns what is offered at the amount that its buyer has chosen, before a coupon. Refuses an amount that is less than the
   * least one, or that no way to pay takes.
   */
  atAmount(offered: Offered, amount: number): Offered | Refused<'amount_not_possible'>;
  /** Whether there are coupons that could make this cheaper. Then pages ask for a code. */
  takesCoupons(offered: Offered): Promise<boolean>;
  /**
   * Returns what is offered with what a coupon takes off. Each code counts against the network address `client` and the account, so
   * that nobody guesses codes. How often a buyer has used the coupon is counted only when the order is made.
   */
  withCoupon(
    offered: Offered,
    code: string,
    visitor: Actor | undefined,
    client: string,
  ): Promise<Offered | CouponRefused>;
  /**
   * Makes an order of what is offered now. A free product is delivered at once: for guests, see `sendFree`. Refuses what
   * the buyer already got for free, and then sends the mail with the license key again. Throws `Unavailable` if the
   * provider cannot be asked: then nothing was paid, and the order is closed.
   */
  begin(
    wish: Wish,
    visitor: Actor | undefined,
    addresses: (order: Order) => ReturnAddresses,
  ): Promise<Begun | Refused<NotForSale | 'already_bought'> | CouponRefused>;
  /**
   * Gives a guest, by mail alone, a free product or a subscription whose first payment is free. So nobody learns from the result
   * whether the address has a free product already. If it has, it gets the mail of that order again. Few such mails go to one
   * address: then none is sent.
   */
  sendFree(wish: Wish): Promise<'letter_sent' | Refused<NotForSale> | CouponRefused>;
  /** Returns the provider's page for an order that still waits for its payment. `undefined` if it has no such page. */
  goOn(token: string, addresses: (order: Order) => ReturnAddresses): Promise<string | undefined>;
}

/** Whether nothing is paid now, and no provider outside is asked. */
function isFree({ product, discount, way }: Pick<Accepted, 'product' | 'discount' | 'way'>): boolean {
  return product.price === (discount?.amount ?? 0) && !isOutside(way);
}

export interface CheckoutPorts extends OrderPorts {
  readonly products: Pick<ProductStore, 'findById' | 'findBySlug' | 'findAll'>;
  readonly settings: PaymentSettings;
  readonly coupons: Pick<CouponStore, 'findByCode' | 'hasAny' | 'owns'>;
  readonly settle: SettleOrder;
  readonly usdc: UsdcWay;
}

export function createCheckout(ports: CheckoutPorts): Checkout {
  const { store, products, coupons, settings, settle, clock, secrets, within } = ports;
  const placing = createPlacing(ports);
  const sendLetterAgain = createSendLetterAgain(ports);
  const contentsOf = createFindContents({ store: products });

  async function offer(
    idOrSlug: string,
    visitor: Actor | undefined,
    wanted?: string,
    currency = baseCurrency,
    amount?: number,
  ): Promise<Offered | Refused<NotForSale>> {
    const product = await findProduct(products, idOrSlug);
    const isManaged = visitor !== undefined && may(visitor, 'products:manage', product?.ownerId ?? undefined);
    if (product === undefined || !isForSale(product, isManaged)) {
      return refuse('product_not_found', 'There is no such product for sale.');
    }
    const live = refusingLiveSale(product.isLive, visitor);
    if (live) return live;
    const offered = offeredAs(product, wanted);
    if (offered === undefined) return refuse('product_not_found', 'The product is not for sale by this offer.');
    const contents = await contentsOf(product);
    const listed = inCurrency(offered, currency);
    if (listed === undefined) return refuse('currency_not_offered', `This has no price in ${shownCode(currency)}.`);
    const takesUsdc = await ports.usdc.takes(product);
    const waysFor = (price: number) => waysToPay(settings, { ...product, price, currency, takesUsdc });
    const sold = pricedAt(listed, amount, (price) => waysFor(price).length > 0);
    if (isRefused(sold)) return sold;
    if (isRefused(contents)) return { ...sold, discount: undefined, ways: [], takesUsdc };
    const ways = (await isSuspended(product)) ? [] : waysFor(sold.product.price);
    return { ...sold, ...(contents && { contents }), discount: undefined, ways, takesUsdc };
  }

  async function withCoupon(
    offered: Offered,
    typed: string,
    visitor: Actor | undefined,
    client: string,
  ): Promise<Offered | CouponRefused> {
    const code = codeOf(typed);
    const { product, offer, currency, takesUsdc } = offered;
    const { id: productId, ownerId: sellerId, isLive, price } = product;
    const account = visitor?.kind === 'user' ? visitor.user.id : undefined;
    const tooMany = await countCoupon(ports, { client, userId: account }, [sellerId, code ?? '']);
    if (tooMany) return tooMany;
    const coupon = code === undefined ? undefined : await coupons.findByCode({ sellerId, isLive }, code);
    const ownersOf = coupon?.ownersOf ?? null;
    const isOwner = ownersOf !== null && account !== undefined && (await coupons.owns(account, ownersOf));
    const isMember = account !== undefined;
    const discount = discountOf(coupon, { productId, offer, price, currency, now: clock.now(), isMember, isOwner });
    if (isRefused(discount)) return discount;
    const prices = pricesWith(offered, discount);
    const ways = offer?.recurs
      ? waysToSubscribe(settings, offered.ways, { prices, currency, isLive, takesUsdc })
      : waysToPay(settings, { price: prices[0], currency, isLive, takesUsdc });
    if (offered.ways.length === 0) return offered;
    return ways.length > 0
      ? { ...offered, discount, ways }
      : refuse(
          'coupon_leaves_too_little',
          'With this coupon, so little would be left to pay that nobody can collect it.',
        );
  }

  const isSuspended = async ({ ownerId }: Product) => ownerId !== null && (await ports.isSuspended(ownerId));

  return {
    async obstacle(product) {
      if (await isSuspended(product)) return 'seller';
      if (isRefused(await contentsOf(product))) return 'bundle';
      const takesUsdc = await ports.usdc.takes(product);
      return obstacleTo(product, (price, currency) => {
        return waysToPay(settings, { price, currency, isLive: product.isLive, takesUsdc }).length > 0;
      });
    },

    offer,
    atAmount: (offered, amount) => offeredAt(offered, amount, settings),
    withCoupon,

    async takesCoupons({ product: { ownerId: sellerId, isLive, price }, ways }) {
      return price > 0 && ways.length > 0 && (await coupons.hasAny({ sellerId, isLive }));
    },

    async begin(wish, visitor, addresses) {
      const wanted = await accepted(wish, visitor);
      if (isRefused(wanted)) return wanted;
      // The mail with the license goes out at once.
      const tooMany = isFree(wanted) ? await countLetterTo(ports, wanted.buyer) : undefined;
      if (tooMany) return tooMany;
      const order = await added(wanted);
      if (isRefused(order)) return order;
      if (isPaidHere(order)) return { order: (await settle(order.id)) ?? order, payAt: undefined };
      return await placing.askToPay(order, wanted.by, addresses);
    },

    async sendFree(wish) {
      const wanted = await accepted(wish, undefined);
      if (isRefused(wanted)) return wanted;
      if (!isFree(wanted)) return refuse('not_for_sale', 'This is not free.');
      if (await countLetter(ports, wanted.buyer.email)) return 'letter_sent';
      const order = await added(wanted);
      if (!isRefused(order)) await settle(order.id);
      else if (order.reason !== 'already_bought') return { ...order, reason: order.reason };
      return 'letter_sent';
    },

    async goOn(token, addresses) {
      const order = await store.findByToken(token);
      const { provider } = settings;
      if (order?.state !== 'open' || order.partOf !== null || !serves(provider, order)) return undefined;
      if (await countLook(ports, order.id)) return undefined;
      return await within(async (until) => {
        const now = await settle(order.id, until);
        if (now?.state !== 'open') return undefined;
        const by = { actor: now.buyer.email };
        if (isTooLateToBegin(now, clock.now())) {
          await placing.close(now, by);
          return undefined;
        }
        return (await placing.start(now, provider, by, addresses, until)).payAt;
      });
    },
  };

  /** Checks and counts a wish. */
  async function accepted(
    {
      product: idOrSlug,
      offer: wanted,
      currency,
      amount,
      way,
      coupon,
      client,
      earlier,
      billing = null,
      ...typed
    }: Wish,
    visitor: Actor | undefined,
  ): Promise<Accepted | Refused<NotForSale> | CouponRefused> {
    const found = await offer(idOrSlug, visitor, wanted, currency, amount);
    if (isRefused(found)) return found;
    const offered = coupon === undefined ? found : await withCoupon(found, coupon, visitor, client);
    if (isRefused(offered)) return offered;
    const { ways, takesUsdc: _, ...sold } = offered;
    const chosen = way ?? ways[0];
    if (chosen === undefined || !ways.includes(chosen)) {
      return refuse('not_for_sale', 'This product cannot be paid for at the moment.');
    }
    const buyer = buyerOf(typed, visitor);
    const orderer = { client, email: buyer.email, userId: buyer.userId ?? undefined };
    const tooMany =
      (await countOrder(ports, { ...orderer, way: chosen })) ??
      (sold.discount && (await countCouponOrder(ports, orderer, sold.discount.coupon)));
    if (tooMany) return tooMany;
    return { ...sold, way: chosen, buyer, billing, by: visitor ? byOf(visitor) : { actor: buyer.email }, earlier };
  }
  /** Adds the order. If the buyer already got the product for free, sends the mail of that order again instead. */
  async function added({
    way,
    buyer,
    billing,
    by,
    earlier,
    discount,
    ...sold
  }: Accepted): Promise<Order | Refused<'already_bought' | 'coupon_used_up' | 'unknown_coupon'>> {
    const made = discounted(newOrder(sold, way, { buyer, billing }, newOrderToken(secrets), clock.now()), discount);
    const order = await placing.add(made, by, earlier, sold.contents);
    if (isRefused(order) && order.reason === 'already_bought') {
      const had = await store.findFree(made);
      if (had !== undefined) await sendLetterAgain(had.id);
    }
    return order;
  }
}
