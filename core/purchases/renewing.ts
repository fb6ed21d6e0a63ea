import { type Actor, byOf } from '../accounts/role.ts';
import { renewedNow, upgradedNow } from '../licensing/folded-periods.ts';
import { type License, ownStatusOf } from '../licensing/license.ts';
import {
  creditOf,
  type Grant,
  grantOf,
  offerOf,
  type Period,
  startPeriod,
  termsCauseOf,
  withHandSet,
} from '../licensing/periods.ts';
import { changesLicense, listedOffers, type Offer, type OfferedAs, soldBy } from '../marketplace/offers.ts';
import type { Product } from '../marketplace/product.ts';
import type { Instant } from '../ports/clock.ts';
import type { LicenseStore } from '../ports/license-store.ts';
import type { ReturnAddresses } from '../ports/payments.ts';
import type { ProductStore } from '../ports/product-store.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { newOrder } from './new-order.ts';
import type { Agreed, Order, Provider } from './order.ts';
import { countOrder } from './order-limits.ts';
import { newOrderToken } from './order-token.ts';
import { type Begun, createPlacing, type PlacingPorts } from './placing.ts';
import { causeOf, startFactsOf } from './settled.ts';
import { agreedNow, isAskedHere, isRunning } from './subscription.ts';
import { isForSale, type PaymentSettings, waysToPay } from './ways-to-pay.ts';

/** What a buyer can pay for a license now. The price of the product is what is to be paid. */
export interface Quote extends OfferedAs<Product> {
  /** `upgrade`: the license gets the terms of the offer from now on. A trial that is bought is upgraded. */
  readonly kind: 'renewal' | 'upgrade';
  /** The unused part of what was paid. It is taken off already. */
  readonly credit: number;
  readonly builtOn: readonly string[];
  /** See `AgreedOffer`. */
  readonly of: string | undefined;
  /** When the change is made, if that is only at the next payment. Then nothing is paid now. */
  readonly at: Instant | undefined;
  /** What the license gives if it is paid now, or after the change. */
  readonly after: Grant;
  readonly ways: readonly Provider[];
}

/** A buyer's request to renew or upgrade the license of an order. */
export interface RenewalWish {
  /** The slug of the offer. `undefined`: the product with its own price and terms, after a trial. */
  readonly offer: string | undefined;
  readonly way?: Provider | undefined;
  /** The network address that the request comes from. */
  readonly client: string;
  /** As in `Wish`. */
  readonly earlier?: string | undefined;
}

/** How buyers renew and upgrade the license of an order. */
export interface Renewing {
  /** What the buyer is offered now: the listed offers that change something, and can be paid. */
  list(order: Order): Promise<readonly Quote[]>;
  /** Returns also an offer that is not listed. */
  quote(order: Order, offer: string | undefined): Promise<Quote | Refused<'offer_not_found'>>;
  /** Makes an order that renews or upgrades the license when it is paid. See `Checkout.begin`. */
  begin(
    order: Order,
    wish: RenewalWish,
    visitor: Actor | undefined,
    addresses: (order: Order) => ReturnAddresses,
  ): Promise<Begun | Refused<'offer_not_found' | 'not_for_sale' | 'too_many_attempts'>>;
}

export interface RenewingPorts extends PlacingPorts {
  readonly settings: PaymentSettings;
  readonly products: Pick<ProductStore, 'findById'>;
  readonly licenses: Pick<LicenseStore, 'find'>;
}

/** A license that can be paid for, with its product. */
interface Renewable {
  readonly product: Product;
  readonly license: License;
  readonly periods: readonly Period[];
  /** The offer by which it was sold last, and whether that was a trial. */
  readonly soldBy: string | null;
  readonly isTrial: boolean;
  /** The order whose subscription the license has, or had last. */
  readonly subscribed: Order | undefined;
  readonly now: Instant;
}

export function createRenewing(ports: RenewingPorts): Renewing {
  const { store, products, licenses, settings, clock, secrets } = ports;
  const placing = createPlacing(ports);

  async function renewableOf(
    order: Order,
    mayBeOffered: (product: Product) => boolean = () => true,
  ): Promise<Renewable | undefined> {
    const key = order.licenseKey;
    const product = key === null ? undefined : await products.findById(order.productId);
    if (key === null || product === undefined || !isForSale(product, true) || !mayBeOffered(product)) return undefined;
    const [record, stored, last] = await Promise.all([
      licenses.find(key),
      store.periodsOf(key),
      sellsSubscriptions(product) ? store.findSubscription(key) : undefined,
    ]);
    if (record === undefined) return undefined;
    if (product.ownerId !== null && (await ports.isSuspended(product.ownerId))) return undefined;
    const { license } = record;
    const now = clock.now();
    const status = ownStatusOf(license, now);
    // While a payment stops the license, nobody pays for it. One that has not started has no end to move.
    const canChange = license.ownStanding === null && (status === 'active' || status === 'expired');
    if (!canChange || license.daysFromActivation !== null) return undefined;
    const before = stored.length > 0 ? stored : [startPeriod(license, startFactsOf(order))];
    const periods = withHandSet(license, before);
    const upgradedTo = offerOf(periods);
    const subscribed = last && termsCauseOf(periods) === causeOf(last) ? last : undefined;
    const sold = order.agreed.offer;
    return {
      product,
      license,
      periods,
      soldBy: upgradedTo === undefined ? (sold?.slug ?? null) : upgradedTo,
      isTrial: upgradedTo === undefined && sold?.kind === 'trial',
      subscribed,
      now,
    };
  }

  /** Returns `undefined` if the license cannot be paid by this offer, or it would change nothing. */
  function quoteOf(
    { product, license, periods, soldBy: from, isTrial, subscribed, now }: Renewable,
    offer: Offer | null,
  ): Quote | undefined {
    if (offer !== null && offer.fromOffer != null && offer.fromOffer !== from) return undefined;
    // A renewal often costs less than a license. Nothing was paid for a trial yet.
    if (isTrial && offer?.kind === 'renewal' && offer.fromOffer == null) return undefined;
    const goesOn = subscribed !== undefined && isRunning(subscribed);
    // The payments of a subscription renew its license.
    if (goesOn && offer?.kind === 'renewal') return undefined;
    const buysTrial = isTrial && (offer === null || !changesLicense[offer.kind]);
    const subscribes = subscribed !== undefined && offer?.kind === 'subscription';
    const changes = offer !== null && (subscribes || changesLicense[offer.kind]);
    // One that was cancelled can be taken up again until it has ended.
    const isSame = offer?.slug === from && !(subscribes && subscribed.subscription?.status === 'ended');
    const { next = null } = subscribed?.subscription ?? {};
    if (goesOn && next !== null && subscribes) {
      if (next.offer?.slug === offer.slug && next.price === offer.price) return undefined;
      const now = agreedNow(subscribed);
      // What was chosen for the next payment is taken back.
      if (now.offer?.slug === offer.slug) {
        const { price, terms } = now;
        return atNextPayment(subscribed, { ...product, price, terms }, { ...offer, ...now.offer }, periods, license);
      }
    }
    if (!buysTrial && (!changes || isSame)) return undefined;
    const sold = offer === null ? { product, offer } : soldBy(product, offer);
    const { price, terms } = sold.product;
    const time = { days: terms.duration?.days ?? null, months: offer?.updatesMonths ?? null };
    const before = grantOf(periods);
    const isRenewal = offer?.kind === 'renewal';
    const after = isRenewal
      ? renewedNow(periods, time, now)
      : upgradedNow(
          periods,
          {
            ...time,
            offer: offer?.slug ?? null,
            maxDomains: terms.maxDomains,
            entitlements: offer?.entitlements ?? [],
            ...(offer?.recurs && { recurs: offer.recurs }),
          },
          now,
        );
    const isUseless = after.expiresAt === before.expiresAt && after.updatesUntil === before.updatesUntil;
    const { credit, builtOn } = isRenewal ? { credit: 0, builtOn: [] } : creditOf(periods, now);
    const toPay = price - credit;
    const isLater = goesOn && offer?.recurs && (toPay <= 0 || isCheaperThan(agreedNow(subscribed), offer));
    if (isRenewal ? isUseless : !isLater && after.maxDomains < license.domainsUsed) return undefined;
    if (isLater) {
      // A payment that is being tried is for what was chosen before.
      const isCollected = subscribed.subscription?.status === 'active' || isAskedHere(subscribed);
      return isCollected ? atNextPayment(subscribed, sold.product, offer, periods, license) : undefined;
    }
    if (toPay <= 0) return undefined;
    const asked = { ...sold.product, price: toPay };
    return {
      product: asked,
      offer,
      kind: isRenewal ? 'renewal' : 'upgrade',
      at: undefined,
      credit,
      builtOn,
      // Else a cheap renewal that is opened now could be paid after an upgrade, for time with its terms.
      of: isRenewal && offer.fromOffer != null ? termsCauseOf(periods) : undefined,
      after,
      ways: waysToPay(settings, asked),
    };
  }

  async function quote(order: Order, slug: string | undefined): Promise<Quote | Refused<'offer_not_found'>> {
    const found = await renewableOf(order);
    const offer = slug === undefined ? null : found?.product.offers.find((one) => one.slug === slug);
    const made = found && offer !== undefined ? quoteOf(found, offer) : undefined;
    return made ?? refuse('offer_not_found', 'The license cannot be renewed or changed in this way at the moment.');
  }

  return {
    quote,

    async list(order) {
      // Most products have nothing of the kind. Then the license is not read.
      const wasTrial = order.agreed.offer?.kind === 'trial';
      const mayOffer = (product: Product) => changingOf(product).length > 0 || sellsSubscriptions(product);
      const found = await renewableOf(order, (product) => wasTrial || mayOffer(product));
      if (found === undefined) return [];
      const { product, isTrial, subscribed } = found;
      const listed = listedOffers(product);
      const sale: readonly (Offer | null)[] = isTrial ? listed : subscribed ? listed.filter(isSubscription) : [];
      const own = isTrial && sale.length === 0 ? [null] : sale;
      const quotes = [...own, ...changingOf(product)].flatMap((offer) => quoteOf(found, offer) ?? []);
      return quotes.filter(({ ways, at }) => ways.length > 0 || at !== undefined);
    },

    async begin(order, { offer: slug, way, client, earlier }, visitor, addresses) {
      const quoted = await quote(order, slug);
      if (isRefused(quoted)) return quoted;
      const { ways, credit, builtOn, of, at, ...sold } = quoted;
      if (at !== undefined) return refuse('not_for_sale', 'Nothing is to be paid for this change now.');
      const chosen = way ?? ways[0];
      if (chosen === undefined || !ways.includes(chosen)) {
        return refuse('not_for_sale', 'This cannot be paid for at the moment.');
      }
      const { buyer } = order;
      // Whoever else has the link counts as a guest, so that nobody uses up the allowance of the member who has the order.
      const userId = visitor?.kind === 'user' && visitor.user.id === buyer.userId ? buyer.userId : undefined;
      const tooMany = await countOrder(ports, { client, email: buyer.email, userId });
      if (tooMany) return tooMany;
      const made = newOrder(sold, chosen, buyer, newOrderToken(secrets), clock.now());
      const offer = made.agreed.offer && { ...made.agreed.offer, credit, builtOn, ...(of !== undefined && { of }) };
      const by = visitor ? byOf(visitor) : { actor: buyer.email };
      const agreed = { ...made.agreed, offer, version: null, templateId: null };
      const added = await placing.add({ ...made, agreed, renews: order.licenseKey }, by, earlier);
      // Only what is free is refused.
      if (isRefused(added)) return refuse('not_for_sale', added.detail);
      return await placing.askToPay(added, by, addresses);
    },
  };
}

/**
 * A cheaper subscription begins with the next payment: nothing is to be paid now, and nothing is paid back. The domains that are
 * in use then stay.
 */
function atNextPayment(
  { subscription }: Order,
  product: Product,
  offer: Offer,
  periods: readonly Period[],
  { domainsUsed }: License,
): Quote {
  const maxDomains = Math.max(offer.maxDomains, domainsUsed);
  const after = { ...grantOf(periods), maxDomains, entitlements: offer.entitlements };
  const at = subscription?.paidTo;
  return { product, offer, kind: 'upgrade', credit: 0, builtOn: [], of: undefined, at, after, ways: [] };
}

function isCheaperThan({ price, offer }: Agreed, other: Offer): boolean {
  const yearly = (price: number, { recurs }: Pick<Offer, 'recurs'>) => (price * 12) / (recurs?.months ?? 12);
  return other.recurs != null && offer !== null && yearly(other.price, other) < yearly(price, offer);
}

const isSubscription = ({ kind }: Offer) => kind === 'subscription';

function sellsSubscriptions({ offers }: Product): boolean {
  return offers.some(isSubscription);
}

/** The listed offers that change a license. */
function changingOf({ offers }: Product): readonly Offer[] {
  return offers.filter(({ kind, isListed }) => isListed && changesLicense[kind]);
}
