import type { Chains } from '../ports/chain.ts';
import type { Clock } from '../ports/clock.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';
import type { UsdcStore } from '../ports/usdc-store.ts';
import type { Order } from '../purchases/order.ts';
import { countLook } from '../purchases/order-limits.ts';
import { hashIn, movedTo } from './transaction-of.ts';

/** What a transaction, which a buyer names, does for an order. */
export type FoundTransaction =
  /** `counted`: it is among what has arrived. `not_found`: it is in no block of the chains of the order. */
  | { readonly kind: 'no_hash' | 'too_often' | 'not_found' | 'failed' | 'no_transfer' | 'counted' }
  /** It moved this to the address, and the server has not counted it: not yet, or not for this order. */
  | { readonly kind: 'other'; readonly amount: number };

/** Looks for a transaction by its hash, as typed. Decides nothing: what counts is decided when the chain is watched. */
export type FindTransaction = (order: Order, typed: string) => Promise<FoundTransaction>;

export interface FindPorts {
  readonly store: Pick<UsdcStore, 'ofOrder'>;
  readonly chains: Pick<Chains, 'get'>;
  readonly limiter: RateLimiter;
  readonly clock: Clock;
}

export function createFindTransaction({ store, chains, ...limits }: FindPorts): FindTransaction {
  return async (order, typed) => {
    const hash = hashIn(typed);
    if (hash === undefined) return { kind: 'no_hash' };
    const { quotes, transfers } = await store.ofOrder(order.id);
    if (transfers.some(({ txHash }) => txHash === hash)) return { kind: 'counted' };
    if (await countLook(limits, order.id)) return { kind: 'too_often' };
    const found = await movedTo(chains, quotes, hash);
    if (typeof found === 'string') return { kind: found };
    return { kind: 'other', amount: found.moved.reduce((sum, { amount }) => sum + amount, 0) };
  };
}
