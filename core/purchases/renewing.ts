import { type Actor, byOf } from '../accounts/role.ts';
import { ownStatusOf } from '../licensing/license.ts';
import { offerOf, paidIn, startPeriod, termsCauseOf, withHandSet } from '../licensing/periods.ts';
import { changesLicense, listedOffers, type Offer } from '../marketplace/offers.ts';
import { priceIn } from '../marketplace/price-list.ts';
import type { Product } from '../marketplace/product.ts';
import type { LicenseStore } from '../ports/license-store.ts';
import type { ReturnAddresses } from '../ports/payments.ts';
import type { ProductStore } from '../ports/product-store.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { refusingLiveSale } from '../sandbox/sandbox.ts';
import { newOrder } from './new-order.ts';
import { type Order, type Provider, wasPaid } from './order.ts';
import { countOrder } from './order-limits.ts';
import { newOrderToken } from './order-token.ts';
import { type Begun, createPlacing, type PlacingPorts } from './placing.ts';
import { currencyOf, notIn, type Quote, quoteOf, type Renewable } from './quote.ts';
import { causeOf, startFactsOf } from './settled.ts';
import { agreedNow, isRunning } from './subscription.ts';
import type { UsdcWay } from './usdc-way.ts';
import { isForSale, type PaymentSettings } from './ways-to-pay.ts';

/** A buyer's request to renew or upgrade the license of an order. */
export interface RenewalWish {
  /** The slug of the offer. `undefined`: the product with its own price and terms, after a trial. */
  readonly offer: string | undefined;
  /** Only if nothing was paid for the license yet, as with a trial. Others stay in the currency in which they were paid. */
  readonly currency?: string | undefined;
  /** As in `Wish`: before what is taken off for the unused part. */
  readonly amount?: number | undefined;
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
  /** Returns also an offer that is not listed. For `currency` and `amount`, see `RenewalWish`. */
  quote(order: Order, offer: string | undefined, currency?: string, amount?: number): Promise<Quote | NotQuoted>;
  /** Makes an order that renews or upgrades the license when it is paid. See `Checkout.begin`. */
  begin(
    order: Order,
    wish: RenewalWish,
    visitor: Actor | undefined,
    addresses: (order: Order) => ReturnAddresses,
  ): Promise<Begun | NotQuoted | Refused<'forbidden' | 'not_for_sale' | 'too_many_attempts'>>;
}

type NotQuoted = Refused<'offer_not_found' | 'currency_not_offered' | 'amount_not_possible'>;

export interface RenewingPorts extends PlacingPorts {
  readonly settings: PaymentSettings;
  readonly products: Pick<ProductStore, 'findById'>;
  readonly licenses: Pick<LicenseStore, 'find'>;
  readonly usdc: UsdcWay;
}

export function createRenewing(ports: RenewingPorts): Renewing {
  const { store, products, licenses, settings, clock, secrets } = ports;
  const placing = createPlacing(ports);

  async function renewableOf(
    order: Order,
    mayBeOffered: (product: Product) => boolean = () => true,
  ): Promise<Renewable | undefined> {
    const key = wasPaid(order) ? order.licenseKey : null;
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
      currency: subscribed && isRunning(subscribed) ? agreedNow(subscribed).currency : paidIn(periods),
      seen: order.agreed.currency,
      subscribed,
      now,
      takesUsdc: await ports.usdc.takes(product),
    };
  }

  async function quote(
    order: Order,
    slug: string | undefined,
    wanted?: string,
    amount?: number,
  ): Promise<Quote | NotQuoted> {
    const found = await renewableOf(order);
    const offer = slug === undefined ? null : found?.product.offers.find((one) => one.slug === slug);
    if (found !== undefined && offer !== undefined) {
      const currency = currencyOf(found, offer, wanted);
      const made = quoteOf(found, offer, currency, settings, amount);
      if (made) return made;
      if (priceIn(offer ?? found.product, currency) === undefined) return notIn(currency, found);
    }
    return refuse('offer_not_found', 'The license cannot be renewed or changed in this way at the moment.');
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
      const quotes = [...own, ...changingOf(product)].flatMap((offer) => {
        const made = quoteOf(found, offer, currencyOf(found, offer, undefined), settings);
        return made === undefined || isRefused(made) ? [] : made;
      });
      return quotes.filter(({ ways, at }) => ways.length > 0 || at !== undefined);
    },

    async begin(order, { offer: slug, currency, amount, way, client, earlier }, visitor, addresses) {
      const quoted = await quote(order, slug, currency, amount);
      if (isRefused(quoted)) return quoted;
      const live = refusingLiveSale(quoted.product.isLive, visitor);
      if (live) return live;
      const { ways, credit, builtOn, of, at, ...sold } = quoted;
      if (at !== undefined) return refuse('not_for_sale', 'Nothing is to be paid for this change now.');
      const chosen = way ?? ways[0];
      if (chosen === undefined || !ways.includes(chosen)) {
        return refuse('not_for_sale', 'This cannot be paid for at the moment.');
      }
      const { buyer } = order;
      // Whoever else has the link counts as a guest, so that nobody uses up the allowance of the member who has the order.
      const userId = visitor?.kind === 'user' && visitor.user.id === buyer.userId ? buyer.userId : undefined;
      const tooMany = await countOrder(ports, { client, email: buyer.email, userId, way: chosen });
      if (tooMany) return tooMany;
      const made = newOrder(sold, chosen, order, newOrderToken(secrets), clock.now());
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

const isSubscription = ({ kind }: Offer) => kind === 'subscription';

function sellsSubscriptions({ offers }: Product): boolean {
  return offers.some(isSubscription);
}

/** The listed offers that change a license. */
function changingOf({ offers }: Product): readonly Offer[] {
  return offers.filter(({ kind, isListed }) => isListed && changesLicense[kind]);
}
