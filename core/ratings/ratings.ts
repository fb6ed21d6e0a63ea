import { type Actor, byOf, needing } from '../accounts/role.ts';
import { event } from '../events/event.ts';
import { type ProductId, parseId, toRatingId } from '../id.ts';
import type { LicenseKey } from '../licensing/license-key.ts';
import { administratorsToTell, newsTo } from '../mail/news-to.ts';
import { priceRange } from '../marketplace/offers.ts';
import { isPublic, type Product } from '../marketplace/product.ts';
import { pageOf, parseIdPlace } from '../place.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { LicenseStore } from '../ports/license-store.ts';
import type { WriteLetter } from '../ports/mailer.ts';
import type { OrderStore } from '../ports/order-store.ts';
import type { ProductStore } from '../ports/product-store.ts';
import type { RatingStore } from '../ports/rating-store.ts';
import { isUsable, type Order, wasPaid } from '../purchases/order.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { findProductOf, type Seller } from '../selling/seller.ts';
import { type GivenRating, isShown, type Rating, type RatingState, type StarCounts } from './rating.ts';

/** A page of ratings, newest first. `next` is the place of the next page. */
export interface RatingPage {
  readonly ratings: readonly Rating[];
  readonly next: string | null;
}

/** A rating with its product. */
export interface RatedProduct {
  readonly rating: Rating;
  readonly product: Product;
}

/**
 * Why a buyer cannot rate. `not_for_sale`: the public does not see the product. `not_bought`: the order is not paid, or its
 * license does not work. `own_product`: the buyer sells it. `rated_before`: another order of the same buyer has done so; only
 * its page can change that. For orders that cost nothing, so that nobody makes up buyers: `needs_account`: no account has the
 * order; `not_in_use`: the license is not in use on a site; `was_free`: the product costs money,
 * and nothing was paid for the license.
 */
export type CannotRate =
  | 'not_for_sale'
  | 'not_bought'
  | 'own_product'
  | 'rated_before'
  | 'needs_account'
  | 'not_in_use'
  | 'was_free';

type Unknown = 'forbidden' | 'product_not_found' | 'rating_not_found';

/** What buyers say of products, and what sellers and administrators do about it. */
export interface Ratings {
  /** The ratings that everybody sees. */
  shown(productId: ProductId, after: string | undefined, limit: number): Promise<RatingPage | Refused<'unknown_place'>>;
  /** How many stars each of these products got. Products without ratings are not in it. */
  counts(productIds: readonly ProductId[]): Promise<ReadonlyMap<ProductId, StarCounts>>;
  /** The rating that the order has written, if there is one, and why its buyer cannot write or change it. */
  ofBuyer(order: Order): Promise<{ readonly rating: Rating | undefined; readonly cannot: CannotRate | undefined }>;
  /** Writes the rating, or changes it. The seller gets a notification of a new one. A hidden one stays hidden. */
  rate(order: Order, given: GivenRating): Promise<Rating | Refused<CannotRate>>;
  /** Takes the rating back. Nobody sees it any more, and its text is deleted. */
  withdraw(order: Order): Promise<Rating | Refused<'nothing_to_withdraw'>>;

  /** All ratings of a product but those that were taken back, for its seller. */
  ofProduct(
    product: string,
    after: string | undefined,
    limit: number,
    seller: Seller,
  ): Promise<RatingPage | Refused<'product_not_found' | 'unknown_place'>>;
  find(id: string, seller: Seller): Promise<RatedProduct | Refused<Unknown>>;
  /** Sets the seller's reply, which everybody sees. An empty one takes it away. */
  reply(id: string, text: string, seller: Seller): Promise<Rating | Refused<Unknown>>;
  /**
   * Asks the administrators to look at it. They get a notification. Refuses what they have kept before, unless its buyer has
   * changed it.
   */
  report(id: string, why: string, seller: Seller): Promise<Rating | Refused<Unknown | 'not_shown' | 'decided'>>;

  /** The ratings in one of these states. Needs `products:moderate`, as do the next two. */
  inStates(
    states: readonly RatingState[],
    after: string | undefined,
    limit: number,
    actor: Actor,
  ): Promise<
    { readonly rated: readonly RatedProduct[]; readonly next: string | null } | Refused<'forbidden' | 'unknown_place'>
  >;
  moderated(id: string, actor: Actor): Promise<RatedProduct | Refused<Unknown>>;
  /** Hides it, or keeps it and ends its report. */
  decide(id: string, to: 'shown' | 'hidden', actor: Actor): Promise<Rating | Refused<Unknown | 'withdrawn'>>;
}

interface RatingPorts {
  readonly store: RatingStore;
  readonly products: Pick<ProductStore, 'findById' | 'findBySlug'>;
  readonly licenses: Pick<LicenseStore, 'find'>;
  readonly orders: Pick<OrderStore, 'periodsOf'>;
  readonly accounts: Pick<AccountStore, 'findById' | 'list'>;
  readonly clock: Clock;
  readonly write: WriteLetter;
}

/** Everything but what was taken back. */
const kept: readonly RatingState[] = ['shown', 'reported', 'hidden'];

export function createRatings({ store, products, licenses, orders, accounts, clock, write }: RatingPorts): Ratings {
  async function page(
    states: readonly RatingState[],
    productId: ProductId | undefined,
    after: string | undefined,
    limit: number,
  ): Promise<RatingPage | Refused<'unknown_place'>> {
    const before = parseIdPlace(after, toRatingId);
    if (isRefused(before)) return before;
    const { items: ratings, next } = pageOf(await store.list({ productId, states, before, limit: limit + 1 }), limit);
    return { ratings, next };
  }

  /** Whether the buyer is the seller: the owner of the product, or of the site's own products each administrator. */
  async function isOwn({ ownerId }: Product, { buyer }: Order): Promise<boolean> {
    const person = buyer.userId === null ? undefined : await accounts.findById(buyer.userId);
    if (ownerId === null) return person?.role === 'admin';
    if (ownerId === buyer.userId) return true;
    return (await accounts.findById(ownerId))?.email === buyer.email;
  }

  /** Returns the product that the order may rate. `rating`: what its buyer has written about it. */
  async function rateable(order: Order, rating: Rating | undefined): Promise<Product | Refused<CannotRate>> {
    const { productId, buyer, agreed, provider, licenseKey } = order;
    if (!wasPaid(order) || !isUsable(order) || licenseKey === null) return refuse('not_bought');
    const product = await products.findById(productId);
    if (product === undefined || !isPublic(product)) return refuse('not_for_sale');
    if (await isOwn(product, order)) return refuse('own_product');
    if (rating !== undefined && rating.orderId !== order.id) return refuse('rated_before');
    if (agreed.price === 0 && priceRange(product).highest > 0 && !(await wasPaidLater(licenseKey)))
      return refuse('was_free');
    if (agreed.price === 0 || provider === 'test') {
      if (buyer.userId === null) return refuse('needs_account');
      const record = await licenses.find(licenseKey);
      if (record === undefined || record.domains.length === 0) return refuse('not_in_use');
    }
    return product;
  }
  /** Whether a license that began for nothing was paid later, as a trial that was bought. */
  async function wasPaidLater(key: LicenseKey): Promise<boolean> {
    return (await orders.periodsOf(key)).some(({ standing, worth }) => standing === 'paid' && worth > 0);
  }
  const writtenBy = ({ productId, buyer }: Order) => store.findOf(productId, buyer.email);

  const unknown = (): Refused<'rating_not_found'> => refuse('rating_not_found');
  async function rated(id: string): Promise<RatedProduct | undefined> {
    const known = parseId(id, toRatingId);
    const rating = known === undefined ? undefined : await store.findById(known);
    const product = rating && (await products.findById(rating.productId));
    return rating && product && { rating, product };
  }
  async function find(id: string, seller: Seller): Promise<RatedProduct | Refused<Unknown>> {
    const found = await rated(id);
    if (found === undefined || found.rating.state === 'withdrawn') return unknown();
    const product = await findProductOf(products, String(found.product.id), seller, 'products:manage');
    return isRefused(product) ? product : { ...found, product };
  }
  async function moderated(id: string, actor: Actor): Promise<RatedProduct | Refused<Unknown>> {
    return needing(actor, 'products:moderate') ?? (await rated(id)) ?? unknown();
  }
  const factsOf = ({ id, stars }: Pick<Rating, 'id' | 'stars'>) => ({ rating: id, stars });

  return {
    shown: (productId, after, limit) => page(['shown', 'reported'], productId, after, limit),
    counts: (ids) => store.counts(ids),

    async ofBuyer(order) {
      const written = await writtenBy(order);
      const product = await rateable(order, written);
      const isThere = written?.orderId === order.id && written.state !== 'withdrawn';
      return { rating: isThere ? written : undefined, cannot: isRefused(product) ? product.reason : undefined };
    },

    async rate(order, given) {
      const rating = await writtenBy(order);
      const product = await rateable(order, rating);
      if (isRefused(product)) return product;
      const [by, now] = [{ actor: order.buyer.email }, clock.now()];
      if (rating !== undefined) {
        const changed = await store.change(rating.id, (before) => {
          const state = before.state === 'withdrawn' ? 'shown' : before.state;
          // What administrators have kept can be reported again.
          const report = state === 'shown' ? null : before.report;
          const after = { ...before, ...given, state, report, changedAt: now };
          return { after, event: event('rating.changed', product.slug, by, now, factsOf(after)) };
        });
        if (changed === undefined) throw new Error('Ratings are never deleted.');
        return changed;
      }
      const { id: productId, ownerId, title, isLive } = product;
      const owner = ownerId === null ? undefined : await accounts.findById(ownerId);
      const notice = { kind: 'product_rated', product: productId, title, isLive, stars: given.stars } as const;
      const added = await store.add(
        {
          ...{ ...given, productId, orderId: order.id, buyerEmail: order.buyer.email, state: 'shown' },
          ...{ reply: null, repliedAt: null, report: null, createdAt: now, changedAt: now },
        },
        event('rating.written', product.slug, by, now, { stars: given.stars }),
        newsTo(owner ? [owner] : [], notice, undefined, { write, now }),
      );
      // Another request has written it meanwhile.
      return added ?? refuse('rated_before');
    },

    async withdraw(order) {
      const { id, productId, buyer } = order;
      const [rating, product] = await Promise.all([writtenBy(order), products.findById(productId)]);
      if (rating?.orderId !== id || rating.state === 'withdrawn' || product === undefined) {
        return refuse('nothing_to_withdraw');
      }
      const now = clock.now();
      const withdrawn = await store.change(rating.id, (before) => ({
        // One that was hidden stays hidden if it is written again.
        after: {
          ...before,
          ...{ state: before.state === 'hidden' ? 'hidden' : 'withdrawn', text: '', name: null, changedAt: now },
        },
        event: event('rating.withdrawn', product.slug, { actor: buyer.email }, now, factsOf(before)),
      }));
      return withdrawn ?? refuse('nothing_to_withdraw');
    },

    async ofProduct(idOrSlug, after, limit, seller) {
      const product = await findProductOf(products, idOrSlug, seller, 'products:manage');
      return isRefused(product) ? product : await page(kept, product.id, after, limit);
    },

    find,

    async reply(id, text, seller) {
      const found = await find(id, seller);
      if (isRefused(found)) return found;
      const now = clock.now();
      const changed = await store.change(found.rating.id, (before) => {
        const reply = text === '' ? null : text;
        if (before.reply === reply) return { after: before };
        const after = { ...before, reply, repliedAt: reply === null ? null : now };
        return { after, event: event('rating.replied', found.product.slug, byOf(seller.actor), now, factsOf(before)) };
      });
      return changed ?? unknown();
    },

    async report(id, why, seller) {
      const found = await find(id, seller);
      if (isRefused(found)) return found;
      const { product } = found;
      const now = clock.now();
      const facts = { product: product.id, title: product.title, isLive: product.isLive };
      const told = await administratorsToTell(accounts);
      const news = newsTo(told, { kind: 'rating_reported', ...facts }, undefined, { write, now });
      const changed = await store.change<'not_shown' | 'decided'>(found.rating.id, (before) => {
        if (!isShown(before)) return refuse('not_shown');
        if (before.state === 'shown' && before.report !== null) return refuse('decided');
        const after = { ...before, state: 'reported' as const, report: why };
        const by = byOf(seller.actor);
        const change = { after, event: event('rating.reported', product.slug, by, now, factsOf(before)) };
        return before.state === 'reported' ? change : { ...change, ...news };
      });
      return changed ?? unknown();
    },

    async inStates(states, after, limit, actor) {
      const found = needing(actor, 'products:moderate') ?? (await page(states, undefined, after, limit));
      if (isRefused(found)) return found;
      const rated = await Promise.all(
        found.ratings.map(async (rating) => {
          const product = await products.findById(rating.productId);
          return product === undefined ? [] : [{ rating, product }];
        }),
      );
      return { rated: rated.flat(), next: found.next };
    },

    moderated,

    async decide(id, to, actor) {
      const found = await moderated(id, actor);
      if (isRefused(found)) return found;
      const now = clock.now();
      const changed = await store.change<'withdrawn'>(found.rating.id, (before) => {
        if (before.state === 'withdrawn') return refuse('withdrawn');
        if (before.state === to) return { after: before };
        const after = { ...before, state: to };
        return { after, event: event(`rating.${to}`, found.product.slug, byOf(actor), now, factsOf(before)) };
      });
      return changed ?? unknown();
    },
  };
}
