import type { Actor } from '../accounts/role.ts';
import { isOfSandbox } from '../accounts/user.ts';
import type { Allowance } from '../ports/rate-limiter.ts';
import { type Refused, refuse } from '../refusal.ts';
import { day, inSeconds, minute } from '../time.ts';

/** How long an account of the sandbox lives, in milliseconds. */
export const sandboxLife = day;

/** The time between its end and its deletion, in milliseconds. A request that was let in before has ended by then. */
export const sandboxGrace = 15 * minute;

/** The most accounts of the sandbox at the same time, counting those that wait for their deletion. */
export const mostSandboxes = 500;

/** The most licenses that an account of the sandbox can have. */
export const mostLicensesInSandbox = 1_000;

/** How many accounts can be made from one IPv4 /24 or IPv6 /48, which can have one owner. */
export const sandboxLimitsOfNetwork = [{ limit: 40, seconds: inSeconds.day }] as const satisfies readonly Allowance[];

/** How many accounts a process fills at the same time, and how many more can wait for it. */
export const sandboxesFilled = { atOnce: 2, waiting: 10 } as const;

/** How many accounts can be made from one address. */
export const sandboxLimits = [
  { limit: 5, seconds: inSeconds.hour },
  { limit: 10, seconds: inSeconds.day },
] as const satisfies readonly Allowance[];

/** Whether somebody of the sandbox acts. */
export function actsInSandbox(visitor: Actor | undefined): boolean {
  return visitor?.kind === 'user' && isOfSandbox(visitor.user);
}

/** Refuses to sell a live product to an account of the sandbox. */
export function refusingLiveSale(isLive: boolean, visitor: Actor | undefined): undefined | Refused<'forbidden'> {
  if (!isLive || !actsInSandbox(visitor)) return undefined;
  return refuse('forbidden', 'An account of the sandbox buys test products only. Sign out to buy this product.');
}
