import type { Accounts } from '../../core/accounts/accounts.ts';
import { plans } from '../../core/accounts/tier.ts';
import { isRefused } from '../../core/refusal.ts';
import type { ClientAddress } from './client-address.ts';
import type { Quota } from './rate-limit.ts';
import type { Context } from './state.ts';

/**
 * Looks whose key a call of the account API carries, notes it in the state, and answers what the call is counted against: the
 * caller's plan, or without a good key the client's address at the numbers of the free one.
 */
export function createAccountQuota(accounts: Accounts, clientAddress: ClientAddress): (ctx: Context) => Promise<Quota> {
  return async (ctx) => {
    const key = ctx.get('X-API-Key');
    const caller = await accounts.authenticate(key === '' ? undefined : key);
    if (isRefused(caller)) {
      return { subject: `account:address:${clientAddress(ctx.req)}`, allowances: plans.free.allowances };
    }
    ctx.state.caller = caller;
    return { subject: `account:user:${caller.user.id}`, allowances: plans[caller.user.tier].allowances };
  };
}
