import type { OrderId, ProductId, TemplateId, UserId } from '../id.ts';
import type { BillingDetails } from '../invoices/billing-details.ts';
import type { CreditNote } from '../invoices/credit-note.ts';
import type { InvoiceFacts } from '../invoices/invoice.ts';
import type { LicenseKey } from '../licensing/license-key.ts';
import type { Offer } from '../marketplace/offers.ts';
import type { ProductTerms } from '../marketplace/product-terms.ts';
import type { Instant } from '../ports/clock.ts';
import type { Discount } from './coupon.ts';
import { type PaymentFacts, refundOf } from './payment.ts';
import type { Subscription } from './subscription.ts';

/**
 * Who takes the money. Free orders need nobody. People record `manual` payments, and a local page those of `test`. The
 * payments of `usdc` are seen on their chain.
 */
export const providers = ['free', 'manual', 'test', 'stripe', 'usdc'] as const;
export type Provider = (typeof providers)[number];

/**
 * Whether the money is taken outside of this service. Then only the provider knows the state of a payment, and refunds
 * it.
 */
const isTakenOutside = { free: false, manual: false, test: false, stripe: true, usdc: false } as const satisfies Record<
  Provider,
  boolean
>;

export function isOutside(provider: Provider): boolean {
  return isTakenOutside[provider];
}

/** Whether nothing has to be paid for an order, and no provider outside has to be asked. It is paid as soon as somebody looks. */
export function isPaidHere({ provider, agreed, partOf }: Pick<Order, 'provider' | 'agreed' | 'partOf'>): boolean {
  return provider === 'free' || (agreed.price === 0 && partOf === null && !isOutside(provider));
}

/** The effect of an order on its license. `none`: the order has no license. One that it has all the same is suspended: see `effectOf`. */
export type LicenseEffect = 'none' | 'works' | 'suspended' | 'revoked';

/**
 * Each state of an order, with its effect on the license. An order that was paid once has a license, and never becomes
 * unpaid. `stage`: a `waiting` order is not paid yet, and nobody expects a `lapsed` one to be paid any more. `kept`: the
 * effect if the product keeps licenses after a refund.
 */
export const orderTable = {
  /** The buyer has not paid. */
  open: { stage: 'waiting', license: 'none', kept: 'none' },
  /** The buyer has paid by a slow method, and the money is on its way. */
  processing: { stage: 'waiting', license: 'none', kept: 'none' },
  /** Not paid yet, but the payment hardly ever goes away: the license is issued already. */
  soft: { stage: 'waiting', license: 'works', kept: 'works' },
  failed: { stage: 'lapsed', license: 'none', kept: 'none' },
  expired: { stage: 'lapsed', license: 'none', kept: 'none' },
  cancelled: { stage: 'lapsed', license: 'none', kept: 'none' },
  /** Another amount or currency was paid than agreed. An administrator accepts it, or it is refunded. */
  held: { stage: 'waiting', license: 'none', kept: 'none' },
  paid: { stage: 'paid', license: 'works', kept: 'works' },
  partly_refunded: { stage: 'paid', license: 'works', kept: 'works' },
  /** A full refund is on its way. */
  refunding: { stage: 'paid', license: 'suspended', kept: 'works' },
  refunded: { stage: 'paid', license: 'revoked', kept: 'works' },
  disputed: { stage: 'paid', license: 'suspended', kept: 'suspended' },
  /** A dispute was lost. */
  charged_back: { stage: 'paid', license: 'revoked', kept: 'revoked' },
} as const satisfies Record<
  string,
  { readonly stage: 'waiting' | 'lapsed' | 'paid'; readonly license: LicenseEffect; readonly kept: LicenseEffect }
>;
export type OrderState = keyof typeof orderTable;
export const orderStates = Object.keys(orderTable) as [OrderState, ...OrderState[]];

/** An offer as it was at the time of the order. Its price and its other terms are those of the order. */
export interface AgreedOffer
  extends Pick<Offer, 'slug' | 'name' | 'kind' | 'updatesMonths' | 'entitlements' | 'recurs'> {
  /** What the license is worth that the order upgrades. It was taken off the price. See `Period`. */
  readonly credit?: number;
  readonly builtOn?: readonly string[];
  /** Only of a renewal whose offer is for licenses of one offer: see `Gives`. */
  readonly of?: string;
  /** Only of a payment of a subscription: the time that it pays, if the provider says so. */
  readonly span?: { readonly from: Instant; readonly to: Instant };
  /** Only of a payment of a subscription: whether its terms are other ones than those that the subscription began with. */
  readonly isChange?: boolean;
}

/** The terms of the sale at the time of the order. Later changes of the product do not change them. */
export interface Agreed {
  readonly title: string;
  readonly slug: string;
  /** What the buyer pays before tax, in the smallest unit of the currency. 0 is free. */
  readonly price: number;
  /** Only if the buyer chose the price, before a coupon: the one that was suggested. */
  readonly suggested?: number;
  /** What a coupon has taken off the price. */
  readonly discount?: Discount;
  /** A lower-case code of ISO 4217. */
  readonly currency: string;
  readonly terms: ProductTerms;
  /** What else was agreed, if it was sold by an offer. */
  readonly offer: AgreedOffer | null;
  /** The version that was newest. `null` if the product had no zip. */
  readonly version: string | null;
  /** The template whose download is sold with it. */
  readonly templateId: TemplateId | null;
  readonly sellerName: string | null;
  /** Only of a bundle: what it contains, in its order. */
  readonly bundle?: readonly AgreedPart[];
}

/** A product of a bundle at the time of the order. */
export interface AgreedPart {
  readonly productId: ProductId;
  readonly title: string;
  readonly slug: string;
  /** The name of its offer, or `null`. */
  readonly offer: string | null;
  /** Its share of the price of the order. The shares of all parts together are that price. */
  readonly price: number;
}

/** The license that an order has sold, or that it renews or upgrades. `null`: it has none yet. */
export function licenseOf({ licenseKey, renews }: Pick<Order, 'licenseKey' | 'renews'>): LicenseKey | null {
  return licenseKey ?? renews;
}

/** Whether an order has parts. */
export function isBundle({ agreed }: { readonly agreed: Pick<Agreed, 'bundle'> }): boolean {
  return agreed.bundle !== undefined;
}

/**
 * Whether an order was made without any payment. Then perhaps a stranger entered the address of the buyer. A provider outside
 * wants a card for a subscription whose first payment is free.
 */
export function isGift({ provider, agreed }: Pick<Order, 'provider' | 'agreed'>): boolean {
  return provider === 'free' || (agreed.price === 0 && !isOutside(provider));
}

/** What was bought, for buyers and for the provider: the product, and the offer if there was one. */
export function titleOf({ title, offer }: Pick<Agreed, 'title' | 'offer'>): string {
  return offer === null ? title : `${title}: ${offer.name}`;
}

/** Who gets what was bought. `userId` is `null` for a guest, until the account with this verified address claims the order. */
export interface Buyer {
  readonly userId: UserId | null;
  /** In lower case. */
  readonly email: string;
  readonly name: string | null;
}

/** The fields of an order that say who pays. */
export type PayerField = 'buyer' | 'billing';

/** One product for one buyer: a bundle has one order, and a part for each product in it. */
export interface Order {
  readonly id: OrderId;
  /** Unguessable. Whoever has it sees the license key and the downloads: it is in the links of mails to the buyer. */
  readonly token: string;
  readonly provider: Provider;
  /** The provider's id of the payment, unique for the provider. `null` until the provider has been asked. */
  readonly paymentId: string | null;
  /** Another id of the provider, by which it names the payment in refunds and disputes. */
  readonly intentId: string | null;
  readonly isLive: boolean;
  readonly productId: ProductId;
  /** `null` for the operator's own products. */
  readonly sellerId: UserId | null;
  readonly buyer: Buyer;
  /** The company or person on the invoice. `null`: only what `buyer` says. */
  readonly billing: BillingDetails | null;
  readonly agreed: Agreed;
  readonly payment: PaymentFacts;
  readonly state: OrderState;
  /** An administrator took what was paid instead of the agreed price. */
  readonly isAccepted: boolean;
  /** The license that was issued for the order: from the first payment on, also if that is only soft. */
  readonly licenseKey: LicenseKey | null;
  /** The license that the order renews or upgrades. It was issued before, so `licenseKey` is `null`. */
  readonly renews: LicenseKey | null;
  /** The subscription that the order began with its payment. */
  readonly subscription: Subscription | null;
  /** The order whose subscription goes on when this one is paid. */
  readonly cycleOf: OrderId | null;
  /**
   * The order of the bundle to which this one belongs. Such a part has the license of one product. Its payment is what the
   * payment of that order means for it, so it counts in no sum, has no number and no provider of its own.
   */
  readonly partOf: OrderId | null;
  /** The number of the invoice: 1, 2, 3 … per seller and mode, without gaps. `null` if it was never paid, or is free. */
  readonly number: number | null;
  /** Comes with the number. `null` for orders that were paid before there were invoices: they have only a receipt. */
  readonly invoice: InvoiceFacts | null;
  /** Oldest first. */
  readonly creditNotes: readonly CreditNote[];
  readonly createdAt: Instant;
  readonly paidAt: Instant | null;
  readonly updatedAt: Instant;
  /** Grows by 1 with each change. */
  readonly revision: number;
}

/**
 * Computes the state of an order from the facts of its payment. It does not depend on the order of events. What was paid
 * is compared with the price until the first payment: later the order keeps its license.
 */
export function stateOf({
  agreed,
  isAccepted,
  paidAt,
  payment,
}: Pick<Order, 'agreed' | 'isAccepted' | 'paidAt' | 'payment'>): OrderState {
  const { status, currency, subtotal, total, refunded, dispute } = payment;
  if (status !== 'paid') return status;
  const isAsAgreed = currency === agreed.currency && subtotal === agreed.price && total >= subtotal;
  const refund = refundOf(payment);
  const isRefunded = refund === 'made';
  if (!isAsAgreed && !isAccepted && paidAt === null) return isRefunded ? 'cancelled' : 'held';
  if (dispute === 'lost') return 'charged_back';
  if (isRefunded) return 'refunded';
  if (dispute === 'open') return 'disputed';
  if (refund === 'underway') return 'refunding';
  return refunded > 0 ? 'partly_refunded' : 'paid';
}

/** Whether an order was paid once. It then never becomes unpaid. */
export function wasPaid({ state }: Pick<Order, 'state'>): boolean {
  return orderTable[state].stage === 'paid';
}

/** Whether the chain of a payment has taken it back, or moved it, after the license was issued for it. */
export function isTakenBack({ state, licenseKey }: Pick<Order, 'state' | 'licenseKey'>): boolean {
  return licenseKey !== null && orderTable[state].license === 'none';
}

/** The same for a bundle with its parts: those have the licenses. */
export function isAnyTakenBack(order: Order, parts: readonly Order[]): boolean {
  return [order, ...parts].some(isTakenBack);
}

/** Returns what the license of an order does in this state. */
export function effectOf(order: Pick<Order, 'state' | 'agreed' | 'licenseKey'>): LicenseEffect {
  if (isTakenBack(order)) return 'suspended';
  return orderTable[order.state][order.agreed.terms.onRefund === 'keep' ? 'kept' : 'license'];
}

/** Whether the buyer may use what was bought. */
export function isUsable(order: Pick<Order, 'state' | 'agreed'>): boolean {
  return usableStates(order.agreed.terms.onRefund).includes(order.state);
}

/** The states in which the buyer may use what was bought. `refunded` and `refunding` only if the product keeps licenses. */
export function usableStates(onRefund: ProductTerms['onRefund']): OrderState[] {
  return orderStates.filter((state) => orderTable[state][onRefund === 'keep' ? 'kept' : 'license'] === 'works');
}

/** The states in which the buyer can use what was bought, or may be able to later: what was agreed must stay. */
export function claimingStates(onRefund: ProductTerms['onRefund']): OrderState[] {
  return orderStates.filter((state) => {
    const { stage, license, kept } = orderTable[state];
    const effect = onRefund === 'keep' ? kept : license;
    return stage === 'waiting' || effect === 'works' || effect === 'suspended';
  });
}

/** Returns the facts that every mail about an order contains. */
export function aboutOrder({ id, token, agreed, payment, buyer }: Order) {
  const { total: amount, currency } = payment;
  return { order: id, token, title: agreed.title, name: buyer.name ?? '', amount, currency };
}
