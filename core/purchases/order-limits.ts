import { countAgainst } from '../accounts/sign-in-limits.ts';
import type { CouponId, OrderId, UserId } from '../id.ts';
import type { Clock } from '../ports/clock.ts';
import type { Allowance, RateLimiter } from '../ports/rate-limiter.ts';
import type { Refused } from '../refusal.ts';
import { inSeconds } from '../time.ts';
import { couponHold } from './lapse.ts';
import type { Buyer, Provider } from './order.ts';

/**
 * How often orders can be made. A guest can name the address of a stranger, who then gets the mails of the order: so the
 * orders for one address are few, from one client and from all together.
 */
export const orderLimits = {
  byClient: [{ limit: 30, seconds: inSeconds.hour }],
  byMember: [{ limit: 60, seconds: inSeconds.day }],
  /** Orders to pay in USDC. Each holds one of 9,999 amounts of its price for eight days, so nobody can hold most of them. */
  usdcByClient: [{ limit: 20, seconds: inSeconds.day }],
  byEmailFromClient: [{ limit: 10, seconds: inSeconds.hour }],
  byEmail: [{ limit: 30, seconds: inSeconds.day }],
  /** Mails that strangers can cause: how to pay, the key of a free product, and a key again. */
  lettersByEmail: [
    { limit: 6, seconds: inSeconds.hour },
    { limit: 20, seconds: inSeconds.day },
  ],
  /** Mails to those who record payments by hand, or to one seller about claimed ones. Each is a notification all the same. */
  recorderLetters: [
    { limit: 10, seconds: inSeconds.hour },
    { limit: 50, seconds: inSeconds.day },
  ],
  /** More often than a page without scripts loads itself again. */
  looksByOrder: [{ limit: 60, seconds: 300 }],
  /** Transactions that a seller enters. Each asks the chain. */
  looksBySeller: [{ limit: 60, seconds: 300 }],
  /**
   * Codes of coupons that one client or member tries. Right ones count, too: else the count would tell them from wrong ones. The
   * same code again is counted once an hour, because whoever buys sends it with each page.
   */
  coupons: [
    { limit: 120, seconds: inSeconds.hour },
    { limit: 400, seconds: inSeconds.day },
  ],
  sameCoupon: [{ limit: 1, seconds: inSeconds.hour }],
  /** Orders with one coupon. Each holds a use, so nobody can use up a coupon with orders that are never paid. See `couponHold`. */
  couponOrdersByClient: [{ limit: 10, seconds: couponHold / 1_000 }],
  couponOrdersByBuyer: [{ limit: 5, seconds: couponHold / 1_000 }],
  /** A subscription that goes on again, or gets other terms. Each causes mails and events, also when it is cancelled again. */
  changesByOrder: [
    { limit: 10, seconds: inSeconds.hour },
    { limit: 30, seconds: inSeconds.day },
  ],
} as const satisfies Record<string, readonly Allowance[]>;

/** Who orders. `userId` is `undefined` for a guest. `client` is the network address that the order comes from. */
interface Orderer {
  readonly client: string;
  readonly email: string;
  readonly userId: UserId | undefined;
}

/** The address of a buyer, with the account if there is one. */
export type AddressOfBuyer = Pick<Buyer, 'userId' | 'email'>;

/** Counts an order. Refuses it if an allowance is used up. Guests cannot use up the allowance of a member. */
export async function countOrder(
  { limiter, clock }: { readonly limiter: RateLimiter; readonly clock: Clock },
  { client, email, userId, way }: Orderer & { readonly way: Provider },
): Promise<Refused<'too_many_attempts'> | undefined> {
  const subjects: readonly (readonly [readonly unknown[], readonly Allowance[]])[] = [
    [[client], orderLimits.byClient],
    ...(userId === undefined
      ? ([
          [[client, email], orderLimits.byEmailFromClient],
          [['all', email], orderLimits.byEmail],
        ] as const)
      : ([[['member', userId], orderLimits.byMember]] as const)),
    ...(way === 'usdc' ? ([[['usdc', client], orderLimits.usdcByClient]] as const) : []),
  ];
  for (const [subject, allowances] of subjects) {
    const refused = await countAgainst(limiter, clock, `order:${JSON.stringify(subject)}`, allowances);
    if (refused) return refused;
  }
  return undefined;
}

/**
 * Counts a mail about an order that anybody can cause, to one address from all clients together. Refuses it if an
 * allowance is used up. Whoever orders for the address of a stranger also has the token to ask for a mail again.
 */
export async function countLetter(
  { limiter, clock }: { readonly limiter: RateLimiter; readonly clock: Clock },
  email: string,
): Promise<Refused<'too_many_attempts'> | undefined> {
  return await countAgainst(limiter, clock, `order:${JSON.stringify(['letter', email])}`, orderLimits.lettersByEmail);
}

/** The same for the buyer of an order. Mails to an address that its account has proved are not counted. */
export async function countLetterTo(
  ports: { readonly limiter: RateLimiter; readonly clock: Clock; isProved(buyer: AddressOfBuyer): Promise<boolean> },
  buyer: AddressOfBuyer,
): Promise<Refused<'too_many_attempts'> | undefined> {
  return (await ports.isProved(buyer)) ? undefined : await countLetter(ports, buyer.email);
}

/** Counts a mail about a new order to those who record payments. Refuses it if an allowance is used up. */
export async function countRecorderLetter({
  limiter,
  clock,
}: {
  readonly limiter: RateLimiter;
  readonly clock: Clock;
}): Promise<Refused<'too_many_attempts'> | undefined> {
  return await countAgainst(limiter, clock, 'order:["recorders"]', orderLimits.recorderLetters);
}

/** Counts a mail about a claimed payment to a seller, or to the administrators (`null`). Refuses it if an allowance is used up. */
export async function countClaimLetter(
  { limiter, clock }: { readonly limiter: RateLimiter; readonly clock: Clock },
  sellerId: UserId | null,
): Promise<Refused<'too_many_attempts'> | undefined> {
  const subject = `order:${JSON.stringify(['claimed', sellerId])}`;
  return await countAgainst(limiter, clock, subject, orderLimits.recorderLetters);
}

/**
 * Counts a look at a payment that a buyer causes. The provider answers only so many requests in all: nobody may use them
 * up by loading a page again and again.
 */
export async function countLook(
  { limiter, clock }: { readonly limiter: RateLimiter; readonly clock: Clock },
  id: OrderId,
): Promise<Refused<'too_many_attempts'> | undefined> {
  return await countAgainst(limiter, clock, `order:${JSON.stringify(['look', id])}`, orderLimits.looksByOrder);
}

/** Counts a look at a chain that a seller causes. `actor` is the account. */
export async function countLookBy(
  { limiter, clock }: { readonly limiter: RateLimiter; readonly clock: Clock },
  actor: string,
): Promise<Refused<'too_many_attempts'> | undefined> {
  return await countAgainst(limiter, clock, `order:${JSON.stringify(['look-by', actor])}`, orderLimits.looksBySeller);
}

/** Counts a code of a coupon that somebody tries at a seller. Refuses it if an allowance is used up. */
export async function countCoupon(
  { limiter, clock }: { readonly limiter: RateLimiter; readonly clock: Clock },
  { client, userId }: Omit<Orderer, 'email'>,
  code: readonly [seller: UserId | null, typed: string],
): Promise<Refused<'too_many_attempts'> | undefined> {
  const subjectOf = (...subject: readonly unknown[]) => `order:${JSON.stringify(['coupon', ...subject])}`;
  const same = subjectOf('same', client, userId, ...code);
  if (!(await limiter.count(same, orderLimits.sameCoupon, { peek: true })).allowed) return undefined;
  for (const subject of [[client], ...(userId === undefined ? [] : [['member', userId]])]) {
    const refused = await countAgainst(limiter, clock, subjectOf(...subject), orderLimits.coupons);
    if (refused) return refused;
  }
  await limiter.count(same, orderLimits.sameCoupon);
  return undefined;
}

/** Counts an order with a coupon. Refuses it if an allowance is used up. Guests cannot use up the allowance of a member. */
export async function countCouponOrder(
  { limiter, clock }: { readonly limiter: RateLimiter; readonly clock: Clock },
  { client, email, userId }: Orderer,
  coupon: CouponId,
): Promise<Refused<'too_many_attempts'> | undefined> {
  const buyer = userId === undefined ? ['guest', email] : ['member', userId];
  for (const [subject, allowances] of [
    [[client], orderLimits.couponOrdersByClient],
    [buyer, orderLimits.couponOrdersByBuyer],
  ] as const) {
    const name = `order:${JSON.stringify(['with-coupon', coupon, ...subject])}`;
    const refused = await countAgainst(limiter, clock, name, allowances);
    if (refused) return refused;
  }
  return undefined;
}

/** Counts a change of a subscription that its buyer wants. Cancelling is not counted: nobody is kept from it. */
export async function countChange(
  { limiter, clock }: { readonly limiter: RateLimiter; readonly clock: Clock },
  id: OrderId,
): Promise<Refused<'too_many_attempts'> | undefined> {
  return await countAgainst(limiter, clock, `order:${JSON.stringify(['change', id])}`, orderLimits.changesByOrder);
}
