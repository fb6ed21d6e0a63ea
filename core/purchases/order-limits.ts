import { countAgainst } from '../accounts/sign-in-limits.ts';
import type { OrderId, UserId } from '../id.ts';
import type { Clock } from '../ports/clock.ts';
import type { Allowance, RateLimiter } from '../ports/rate-limiter.ts';
import type { Refused } from '../refusal.ts';
import { inSeconds } from '../time.ts';

/**
 * How often orders can be made. A guest can name the address of a stranger, who then gets the mails of the order: so the
 * orders for one address are few, from one client and from all together.
 */
export const orderLimits = {
  byClient: [{ limit: 30, seconds: inSeconds.hour }],
  byMember: [{ limit: 60, seconds: inSeconds.day }],
  byEmailFromClient: [{ limit: 10, seconds: inSeconds.hour }],
  byEmail: [{ limit: 30, seconds: inSeconds.day }],
  /** Mails that strangers can cause: how to pay, the key of a free product, and a key again. */
  lettersByEmail: [
    { limit: 6, seconds: inSeconds.hour },
    { limit: 20, seconds: inSeconds.day },
  ],
  /** Mails to those who record payments by hand. Each order is a notification all the same. */
  recorderLetters: [
    { limit: 10, seconds: inSeconds.hour },
    { limit: 50, seconds: inSeconds.day },
  ],
  /** More often than a page without scripts loads itself again. */
  looksByOrder: [{ limit: 60, seconds: 300 }],
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

/** Counts an order. Refuses it if an allowance is used up. Guests cannot use up the allowance of a member. */
export async function countOrder(
  { limiter, clock }: { readonly limiter: RateLimiter; readonly clock: Clock },
  { client, email, userId }: Orderer,
): Promise<Refused<'too_many_attempts'> | undefined> {
  const subjects: readonly (readonly [readonly unknown[], readonly Allowance[]])[] = [
    [[client], orderLimits.byClient],
    ...(userId === undefined
      ? ([
          [[client, email], orderLimits.byEmailFromClient],
          [['all', email], orderLimits.byEmail],
        ] as const)
      : ([[['member', userId], orderLimits.byMember]] as const)),
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

/** Counts a change of a subscription that its buyer wants. Cancelling is not counted: nobody is kept from it. */
export async function countChange(
  { limiter, clock }: { readonly limiter: RateLimiter; readonly clock: Clock },
  id: OrderId,
): Promise<Refused<'too_many_attempts'> | undefined> {
  return await countAgainst(limiter, clock, `order:${JSON.stringify(['change', id])}`, orderLimits.changesByOrder);
}
