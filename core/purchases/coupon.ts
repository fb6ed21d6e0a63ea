import { payable } from '../currency.ts';
import type { Event } from '../events/event.ts';
import type { CouponId, ProductId, UserId } from '../id.ts';
import { plainAddress } from '../mail/mailbox.ts';
import type { OfferKind } from '../marketplace/offers.ts';
import type { Instant } from '../ports/clock.ts';
import { type Refused, refuse } from '../refusal.ts';
import type { Buyer, Order, OrderState } from './order.ts';

/** What a coupon takes off a price: a part of it in percent, or an amount in the smallest unit of one currency. */
export type TakesOff =
  | { readonly percent: number }
  | { readonly amount: number /** A lower-case code of ISO 4217. */; readonly currency: string };

/** The payments of a subscription that a coupon makes cheaper: the first one, so many from the first one on, or every one. */
export type CouponPayments = 'first' | 'every' | number;

/** A product that a coupon is for, or only one of its offers. */
export interface CouponTarget {
  readonly productId: ProductId;
  /** The slug of an offer. `null`: the product by any offer. */
  readonly offer: string | null;
}

/** What a seller decides about a coupon. It never changes, so that all who were told of the coupon get the same. */
export interface CouponTerms {
  /** As `codeOf` returns it. Unique among the coupons of the seller, in one mode, that have not been ended. */
  readonly code: string;
  readonly takesOff: TakesOff;
  /** None: all products of the seller. */
  readonly targets: readonly CouponTarget[];
  readonly payments: CouponPayments;
  readonly startsAt: Instant | null;
  /** From then on it is not valid. */
  readonly endsAt: Instant | null;
  readonly mostUses: number | null;
  /** For one account, or one verified address without its plus part. Guests cannot use it. */
  readonly mostPerBuyer: number | null;
  /** Only accounts that have bought this product can use it. */
  readonly ownersOf: ProductId | null;
}

export interface Coupon extends CouponTerms {
  readonly id: CouponId;
  readonly isLive: boolean;
  /** `null`: of the operator's own products. */
  readonly sellerId: UserId | null;
  /** The orders that use it now. */
  readonly uses: number;
  readonly createdAt: Instant;
  /** When its seller ended it. */
  readonly endedAt: Instant | null;
}

/** What a coupon has taken off the price of an order. */
export interface Discount {
  readonly coupon: CouponId;
  readonly code: string;
  /** What was taken off, in the smallest unit of the currency of the order. Later payments that have it get the same. */
  readonly amount: number;
  /** `null`: an amount was taken off. */
  readonly percent: number | null;
  readonly payments: CouponPayments;
}

/** `active`: the most coupons of a seller in one mode that have not been ended. */
export const couponLimits = {
  code: { least: 3, most: 40 },
  amount: 99_999_999,
  targets: 20,
  payments: 120,
  uses: 1_000_000,
  active: 500,
} as const;

/** What a code may contain. */
export const codeRule = `A code has ${couponLimits.code.least} to ${couponLimits.code.most} letters from A to Z, digits, - and _. It begins and ends with a letter or a digit.`;

/** Returns a code in the form in which it is stored and shown. `undefined` if no coupon can have it. */
export function codeOf(typed: string): string | undefined {
  const code = typed.trim().toUpperCase();
  const { least, most } = couponLimits.code;
  return code.length >= least && code.length <= most && /^[A-Z0-9](?:[A-Z0-9_-]*[A-Z0-9])?$/.test(code)
    ? code
    : undefined;
}

/** Returns what is taken off a price: never more than the price. What remains is rounded down to what can be paid, for the buyer. */
export function takenOff(takesOff: TakesOff, price: number, currency: string): number {
  const left =
    'amount' in takesOff ? Math.max(price - takesOff.amount, 0) : Math.floor((price * (100 - takesOff.percent)) / 100);
  return price - payable(left, currency);
}

/** What a buyer wants to buy with a coupon. */
export interface CouponUse {
  readonly productId: ProductId;
  readonly offer: { readonly slug: string; readonly kind: OfferKind } | null;
  /** Without the coupon, in the smallest unit of the currency. */
  readonly price: number;
  readonly currency: string;
  readonly now: Instant;
  /** Whether the visitor is signed in. */
  readonly isMember: boolean;
  /** Whether the visitor's account has bought the product of `ownersOf`. */
  readonly isOwner: boolean;
}

export type CouponRefusal =
  | 'unknown_coupon'
  | 'coupon_not_for_this'
  | 'coupon_for_owners'
  | 'coupon_for_accounts'
  | 'coupon_used_up';

/**
 * Returns the discount that a coupon gives now. Codes that are unknown, not valid yet or not valid any more look alike, so that
 * nobody learns of a coupon before its time.
 */
export function discountOf(coupon: Coupon | undefined, use: CouponUse): Discount | Refused<CouponRefusal> {
  if (coupon === undefined || !isValidAt(coupon, use.now)) return unknownCoupon();
  const { takesOff, targets, ownersOf, mostUses, mostPerBuyer, uses } = coupon;
  const isTarget = ({ productId, offer }: CouponTarget) =>
    productId === use.productId && (offer === null || offer === use.offer?.slug);
  if (targets.length > 0 && !targets.some(isTarget)) return notForThis('The coupon is not for this product.');
  if ('amount' in takesOff && takesOff.currency !== use.currency) {
    return notForThis('The coupon is for prices in another currency.');
  }
  if (use.price === 0) return notForThis('This is free already.');
  if (ownersOf !== null && !use.isOwner) {
    return refuse(
      'coupon_for_owners',
      'The coupon is for people who have bought another product. Sign in with the account that has it.',
    );
  }
  // Else the answer would tell a guest who has used it, and a stranger could use up the uses of an address.
  if (mostPerBuyer !== null && !use.isMember) {
    return refuse(
      'coupon_for_accounts',
      'Each buyer can use this coupon only so often, so it needs an account. Sign in first.',
    );
  }
  if (mostUses !== null && uses >= mostUses) return usedUp();
  return {
    coupon: coupon.id,
    code: coupon.code,
    amount: takenOff(takesOff, use.price, use.currency),
    percent: 'percent' in takesOff ? takesOff.percent : null,
    payments: coupon.payments,
  };
}

/** Whether a coupon can be used at a time. */
export function isValidAt(
  { startsAt, endsAt, endedAt }: Pick<Coupon, 'startsAt' | 'endsAt' | 'endedAt'>,
  now: Instant,
) {
  return endedAt === null && (startsAt === null || startsAt <= now) && (endsAt === null || now < endsAt);
}

/** How a coupon stands, for its seller. */
export const couponStates = ['valid', 'planned', 'used_up', 'over', 'ended'] as const;
export type CouponState = (typeof couponStates)[number];

export function couponStateOf(coupon: Coupon, now: Instant): CouponState {
  if (coupon.endedAt !== null) return 'ended';
  if (coupon.endsAt !== null && coupon.endsAt <= now) return 'over';
  if (coupon.mostUses !== null && coupon.uses >= coupon.mostUses) return 'used_up';
  return isValidAt(coupon, now) ? 'valid' : 'planned';
}

export function unknownCoupon(): Refused<'unknown_coupon'> {
  return refuse('unknown_coupon', 'There is no such coupon, or it is not valid now.');
}

export function usedUp(): Refused<'coupon_used_up'> {
  return refuse('coupon_used_up', 'The coupon cannot be used any more.');
}

function notForThis(detail: string): Refused<'coupon_not_for_this'> {
  return refuse('coupon_not_for_this', detail);
}

/**
 * Whether an order in this state uses its coupon. An order that nobody has paid holds its use for a time (see `couponHold`). An order
 * that lapsed gives the use back, and so does one that was refunded in full. If an order is paid after that, it keeps its price and
 * uses the coupon again, even if others have used it up meanwhile.
 */
const usesInState = {
  open: 'held',
  processing: true,
  soft: true,
  failed: false,
  expired: false,
  cancelled: false,
  held: true,
  paid: true,
  partly_refunded: true,
  refunding: true,
  refunded: false,
  disputed: true,
  charged_back: true,
} as const satisfies Record<OrderState, boolean | 'held'>;

/** Returns the coupon that an order uses now. A later payment of a subscription uses none: the first one did for all. */
export function couponUsedBy({
  agreed,
  cycleOf,
  state,
}: Pick<Order, 'agreed' | 'cycleOf' | 'state'>): CouponId | undefined {
  return cycleOf === null && usesInState[state] !== false ? agreed.discount?.coupon : undefined;
}

/** Whether an order in this state only holds the use of its coupon. */
export function isCouponHeld({ state }: Pick<Order, 'state'>): boolean {
  return usesInState[state] === 'held';
}

/**
 * Who uses a coupon. Orders with the same account, or with the same address, are of the same buyer. The address of an account that
 * has not proved it is nobody's: the account stands in its place.
 */
export function couponUser(
  { userId, email }: Pick<Buyer, 'userId' | 'email'>,
  isProved: boolean,
): { readonly userId: UserId | null; readonly address: string } {
  return { userId, address: userId === null || isProved ? plainAddress(email.toLowerCase()) : `account ${userId}` };
}

/** Ends a coupon. What was ordered with it keeps its price. */
export function ended(before: Coupon, endEvent: Event): { readonly after: Coupon; readonly event?: Event } {
  return before.endedAt === null ? { after: { ...before, endedAt: endEvent.at }, event: endEvent } : { after: before };
}

/** Returns terms that a coupon can have, or a refusal that says what is wrong. The code is as `codeOf` returns it. */
export function checkedTerms(terms: CouponTerms): CouponTerms | Refused<'invalid_coupon'> {
  const { takesOff, startsAt, endsAt, mostUses, mostPerBuyer } = terms;
  const wrong = (detail: string) => refuse('invalid_coupon', detail);
  if ('percent' in takesOff && !isWithin(takesOff.percent, 100))
    return wrong('The percentage must be a whole number from 1 to 100.');
  if ('amount' in takesOff && !isWithin(takesOff.amount, couponLimits.amount))
    return wrong('The amount must be greater than 0.');
  if (typeof terms.payments === 'number' && (terms.payments < 2 || !isWithin(terms.payments, couponLimits.payments))) {
    return wrong(`The number of payments must be from 2 to ${couponLimits.payments}.`);
  }
  if (startsAt !== null && endsAt !== null && endsAt <= startsAt) return wrong('The coupon must end after it starts.');
  if (terms.targets.length > couponLimits.targets)
    return wrong(`A coupon is for at most ${couponLimits.targets} products and offers, or for all.`);
  if (mostUses !== null && !isWithin(mostUses, couponLimits.uses))
    return wrong('The number of uses must be greater than 0.');
  if (mostPerBuyer !== null && !isWithin(mostPerBuyer, couponLimits.uses))
    return wrong('The uses of one buyer must be greater than 0.');
  return terms;
}

function isWithin(number: number, most: number): boolean {
  return Number.isInteger(number) && number >= 1 && number <= most;
}
