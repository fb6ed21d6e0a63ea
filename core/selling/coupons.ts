import { byOf, may } from '../accounts/role.ts';
import { event } from '../events/event.ts';
import { type CouponId, parseId, toCouponId, toOrderId, type UserId } from '../id.ts';
import { findProduct, unknownProduct } from '../marketplace/find-product.ts';
import { changesLicense } from '../marketplace/offers.ts';
import type { Product } from '../marketplace/product.ts';
import { pageOf, parseIdPlace } from '../place.ts';
import type { Clock } from '../ports/clock.ts';
import type { CouponStore } from '../ports/coupon-store.ts';
import type { ProductStore } from '../ports/product-store.ts';
import type { Secrets } from '../ports/secrets.ts';
import {
  type Coupon,
  type CouponState,
  type CouponTarget,
  type CouponTerms,
  checkedTerms,
  codeOf,
  codeRule,
  couponLimits,
  couponStateOf,
  ended,
} from '../purchases/coupon.ts';
import type { Order } from '../purchases/order.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { reachableBy, reaches, type Seller } from './seller.ts';

/** What a seller says about a new coupon. Products are named by id or slug. */
export interface CouponWish extends Omit<CouponTerms, 'code' | 'targets' | 'ownersOf'> {
  /** As it was typed. Empty: a code that nobody guesses is made. */
  readonly code: string;
  readonly targets: readonly { readonly product: string; readonly offer: string | null }[];
  readonly ownersOf: string | null;
  /** Whether it is for the operator's own products. Only for administrators. */
  readonly isOfSite: boolean;
}

type NamedProduct = Pick<Product, 'id' | 'title' | 'slug'>;

/** A coupon with what it names. */
export interface ShownCoupon {
  readonly coupon: Coupon;
  readonly state: CouponState;
  readonly targets: readonly { readonly product: NamedProduct | undefined; readonly offer: string | null }[];
  readonly ownersOf: NamedProduct | undefined;
}

export interface CouponPage {
  readonly coupons: readonly ShownCoupon[];
  /** The place of the next page. `null` after the last page. */
  readonly next: string | null;
}

type Unknown = Refused<'coupon_not_found'>;

/**
 * What sellers do with their coupons, and administrators with all. Each needs `products:manage`, and works only with coupons of the
 * seller's mode. Coupons of others are unknown. An id is in digits.
 */
export interface Coupons {
  /** Newest first. `own`: those of the seller, and for administrators those of the operator's own products, too. */
  list(
    query: { readonly own: boolean; readonly after?: string | undefined; readonly limit: number },
    seller: Seller,
  ): Promise<CouponPage | Refused<'forbidden' | 'unknown_place'>>;
  show(id: string, seller: Seller): Promise<ShownCoupon | Unknown>;
  create(
    wish: CouponWish,
    seller: Seller,
  ): Promise<
    ShownCoupon | Refused<'forbidden' | 'product_not_found' | 'invalid_coupon' | 'coupon_exists' | 'too_many_coupons'>
  >;
  /** Nobody can use it any more. Orders keep their price. Does nothing if it has been ended. */
  end(id: string, seller: Seller): Promise<ShownCoupon | Unknown>;
  /** The orders that use it now, newest first. */
  ordersWith(
    id: string,
    query: { readonly after?: string | undefined; readonly limit: number },
    seller: Seller,
  ): Promise<
    { readonly orders: readonly Order[]; readonly next: string | null } | Refused<'coupon_not_found' | 'unknown_place'>
  >;
}

interface CouponPorts {
  readonly store: CouponStore;
  readonly products: Pick<ProductStore, 'findAll' | 'findById' | 'findBySlug'>;
  readonly secrets: Secrets;
  readonly clock: Clock;
}

export function createCoupons({ store, products, secrets, clock }: CouponPorts): Coupons {
  /** Reads the products that coupons name, few at a time: their texts can be long. */
  async function named(coupons: readonly Coupon[]): Promise<ReadonlyMap<Product['id'], NamedProduct>> {
    const found = new Map<Product['id'], NamedProduct>();
    const ids = coupons.flatMap(({ ownersOf, targets }) => [ownersOf, ...targets.map(({ productId }) => productId)]);
    const left = [...new Set(ids)].filter((id) => id !== null);
    while (left.length > 0) {
      for (const { id, title, slug } of await products.findAll(left.splice(0, 100))) found.set(id, { id, title, slug });
    }
    return found;
  }

  function shownWith(products: ReadonlyMap<Product['id'], NamedProduct>, coupon: Coupon): ShownCoupon {
    const { targets, ownersOf } = coupon;
    return {
      coupon,
      state: couponStateOf(coupon, clock.now()),
      targets: targets.map(({ productId, offer }) => ({ product: products.get(productId), offer })),
      ownersOf: ownersOf === null ? undefined : products.get(ownersOf),
    };
  }

  const shown = async (coupon: Coupon) => shownWith(await named([coupon]), coupon);

  async function find(text: string, seller: Seller): Promise<Coupon | Unknown> {
    const id = parseId(text, toCouponId);
    const coupon = id === undefined ? undefined : await store.find(id);
    const isReached = coupon && reaches(seller, 'products:manage', { ownerId: coupon.sellerId, isLive: coupon.isLive });
    return isReached ? coupon : unknown(text);
  }

  /** Finds a product of the seller of a coupon. */
  async function productOf(
    idOrSlug: string,
    { sellerId, isLive }: Pick<Coupon, 'sellerId' | 'isLive'>,
  ): Promise<Product | Refused<'product_not_found'>> {
    const product = await findProduct(products, idOrSlug);
    return product?.ownerId === sellerId && product.isLive === isLive ? product : unknownProduct(idOrSlug);
  }

  async function targetsOf(
    { targets }: CouponWish,
    of: Pick<Coupon, 'sellerId' | 'isLive'>,
  ): Promise<readonly CouponTarget[] | Refused<'product_not_found' | 'invalid_coupon'>> {
    const found: CouponTarget[] = [];
    if (targets.length > couponLimits.targets) return tooManyTargets();
    for (const { product: idOrSlug, offer } of targets) {
      const product = await productOf(idOrSlug, of);
      if (isRefused(product)) return product;
      const sold = product.offers.find(({ slug }) => slug === offer);
      if (offer !== null && (sold === undefined || changesLicense[sold.kind] || sold.kind === 'trial')) {
        return refuse('invalid_coupon', `${product.title} is not sold by an offer ${offer}.`);
      }
      found.push({ productId: product.id, offer });
    }
    return found;
  }

  /** The seller of a new coupon. */
  function sellerOf({ isOfSite }: CouponWish, { actor }: Seller): UserId | null | Refused<'forbidden'> {
    const own = actor.kind === 'operator' || isOfSite ? null : actor.user.id;
    return may(actor, 'products:manage', own ?? undefined)
      ? own
      : refuse('forbidden', "Only administrators make coupons for the site's own products.");
  }

  return {
    async list({ own, after, limit }, seller) {
      const reachable = reachableBy(seller, 'products:manage');
      if (reachable === undefined) return refuse('forbidden', 'This needs the right products:manage.');
      const before = parseIdPlace<CouponId>(after, toCouponId);
      if (isRefused(before)) return before;
      const { isLive, ownerId } = reachable;
      const { actor } = seller;
      const sellers =
        ownerId !== undefined ? [ownerId] : own ? [null, ...(actor.kind === 'user' ? [actor.user.id] : [])] : undefined;
      const found = await store.list({ isLive, sellers, before, limit: limit + 1 });
      const { items, next } = pageOf(found, limit);
      const products = await named(items);
      return { coupons: items.map((coupon) => shownWith(products, coupon)), next };
    },

    async show(id, seller) {
      const coupon = await find(id, seller);
      return isRefused(coupon) ? coupon : await shown(coupon);
    },

    async create(wish, seller) {
      const sellerId = sellerOf(wish, seller);
      if (sellerId !== null && typeof sellerId === 'object') return sellerId;
      const of = { sellerId, isLive: seller.mode === 'live' };
      const code = wish.code.trim() === '' ? newCode(secrets) : codeOf(wish.code);
      if (code === undefined) return refuse('invalid_coupon', codeRule);
      const targets = await targetsOf(wish, of);
      if (isRefused(targets)) return targets;
      const owned = wish.ownersOf === null ? null : await productOf(wish.ownersOf, of);
      if (owned !== null && isRefused(owned)) return owned;
      const { takesOff, payments, startsAt, endsAt, mostUses, mostPerBuyer } = wish;
      const terms = checkedTerms({
        ...{ code, takesOff, targets, payments, startsAt, endsAt, mostUses, mostPerBuyer },
        ownersOf: owned?.id ?? null,
      });
      if (isRefused(terms)) return terms;
      const now = clock.now();
      if (endsAt !== null && endsAt <= now) return refuse('invalid_coupon', 'The end of the coupon is over already.');
      const made = { ...terms, ...of, createdAt: now, endedAt: null };
      const added = await store.add(made, event('coupon.added', code, byOf(seller.actor), now, { mode: seller.mode }));
      return isRefused(added) ? added : await shown(added);
    },

    async end(id, seller) {
      const coupon = await find(id, seller);
      if (isRefused(coupon)) return coupon;
      const told = event('coupon.ended', coupon.code, byOf(seller.actor), clock.now(), { id: coupon.id });
      const after = await store.change(coupon.id, (before) => ended(before, told));
      return after === undefined || isRefused(after) ? unknown(id) : await shown(after);
    },

    async ordersWith(id, { after, limit }, seller) {
      const coupon = await find(id, seller);
      if (isRefused(coupon)) return coupon;
      const before = parseIdPlace(after, toOrderId);
      if (isRefused(before)) return before;
      const { items, next } = pageOf(await store.ordersWith(coupon.id, before, limit + 1), limit);
      return { orders: items, next };
    },
  };
}

const alphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

/** Returns a code that nobody guesses: 50 bits, without characters that look alike. */
function newCode(secrets: Secrets): string {
  return Array.from(secrets.bytes(10), (byte) => alphabet[byte & 31]).join('');
}

function tooManyTargets(): Refused<'invalid_coupon'> {
  return refuse('invalid_coupon', `A coupon is for at most ${couponLimits.targets} products and offers, or for all.`);
}

function unknown(id: string): Unknown {
  return refuse('coupon_not_found', `No coupon has the id ${id}.`);
}
