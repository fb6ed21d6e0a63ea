import type { ClaimId, OrderId, UserId } from '../id.ts';
import type { Order } from '../purchases/order.ts';
import type { Refused } from '../refusal.ts';
import type { ClaimState, NewUsdcClaim, UsdcClaim } from '../usdc/claim.ts';
import type { Change, News } from './change.ts';
import type { Instant } from './clock.ts';

/** A claim with its order. */
export interface ClaimOfOrder {
  readonly claim: UsdcClaim;
  readonly order: Order;
}

export interface ClaimFilter {
  readonly isLive: boolean;
  /** `undefined` means those of all sellers. */
  readonly sellerId?: UserId | undefined;
  readonly state?: ClaimState | undefined;
  /** Only claims with smaller ids, for the next page. */
  readonly before?: ClaimId | undefined;
  readonly limit: number;
}

/** Why a transfer is not claimed: a person has claimed it, or the server counts it, or the watcher of its chain has not seen its block yet. */
export type NotClaimed = 'claimed' | 'counted' | 'not_watched_yet';

/** Transfers in USDC that buyers have claimed for an order. A transfer is claimed for one order at a time, and for each order once. */
export interface UsdcClaims {
  /** Adds an open claim. `decide` gets what was claimed for its order; nothing else adds one to it in between. */
  add<R extends string>(
    claim: NewUsdcClaim,
    decide: (before: readonly UsdcClaim[], order: Order) => Omit<Change<unknown>, 'after'> | Refused<R>,
    news: (added: UsdcClaim) => News,
  ): Promise<UsdcClaim | NotClaimed | Refused<R>>;
  /**
   * The numbers of the logs of a transaction that this order cannot claim: those that were counted for any order, or claimed and not
   * rejected, or claimed for this order before.
   */
  usedLogs(chainId: number, txHash: string, orderId: OrderId): Promise<readonly number[]>;
  /** Oldest first. */
  ofOrder(id: OrderId): Promise<readonly UsdcClaim[]>;
  find(id: ClaimId): Promise<ClaimOfOrder | undefined>;
  /** Newest first. */
  list(filter: ClaimFilter): Promise<readonly ClaimOfOrder[]>;
  /**
   * Changes a claim. One that becomes `taken` adds its transfer to what has come for the order, as final, with the work of watching the
   * chain: that tells the order if this process ends before. Returns `counted`, and changes nothing, if the transfer counts already.
   */
  change<R extends string>(
    id: ClaimId,
    at: Instant,
    decide: (before: UsdcClaim, order: Order) => Change<UsdcClaim> | Refused<R>,
  ): Promise<UsdcClaim | 'counted' | Refused<R> | undefined>;
}
