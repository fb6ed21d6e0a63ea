import type { Accounts } from '../../core/accounts/accounts.ts';
import { plans } from '../../core/accounts/tier.ts';
import { accountSubject, addressSubject } from '../../core/ports/rate-limiter.ts';
import { isRefused } from '../../core/refusal.ts';
import type { ClientAddress } from './client-address.ts';
import type { Surface } from './surface.ts';

/** Finds the account of the API key in the request. */
export function byApiKey(accounts: Accounts): NonNullable<Surface['authenticate']> {
  return async (ctx) => {
    const caller = await accounts.authenticate(ctx.get('X-API-Key') || undefined);
    if (!isRefused(caller)) ctx.state.caller = caller;
  };
}

/**
 * Counts a call against the account and its plan. Without a valid key, counts it against the client address, with the
 * limits of the free plan.
 */
export function byPlan(clientAddress: ClientAddress): Surface['quotaOf'] {
  return ({ request, caller }) =>
    caller
      ? { subject: accountSubject(caller.user.id), allowances: plans[caller.user.tier].allowances }
      : { subject: addressSubject(clientAddress(request)), allowances: plans.free.allowances };
}
