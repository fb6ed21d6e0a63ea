import type { Event } from '../events/event.ts';
import type { OrderId } from '../id.ts';
import type { Order } from '../purchases/order.ts';
import type { Refused } from '../refusal.ts';
import type { HeldQuote } from '../usdc/matching.ts';
import type { SentBack } from '../usdc/sent-back.ts';
import type { Transfer } from '../usdc/transfer.ts';
import type { NewUsdcQuote, UsdcQuote } from '../usdc/usdc-quote.ts';
import type { Instant } from './clock.ts';

/** A transfer that pays a quote. One that is not final can still be taken back by its chain. */
export interface StoredTransfer extends Transfer {
  readonly quoteId: number;
  readonly isFinal: boolean;
  /** Whether so many blocks follow it that it hardly ever goes away. Stays so when it is final. */
  readonly isSoft: boolean;
}

/** What is known of a chain before a look at it. */
export interface Watch {
  /** Grows with each look. */
  readonly revision: number;
  /** The last block whose transfers are all known and final. `undefined`: nobody has looked yet. */
  readonly cursor: number | undefined;
  /** The quotes that keep their amount for themselves. */
  readonly held: readonly HeldQuote[];
  /** The transfers that are not final. */
  readonly pending: readonly StoredTransfer[];
  /** The oldest of what was sent back and is not final. */
  readonly sentBack: readonly SentBack[];
}

/** What has come for an order, and what was sent back. */
export interface UsdcOfOrder {
  /** Oldest first. */
  readonly quotes: readonly UsdcQuote[];
  /** All that pay the quotes, in the order of their chains. */
  readonly transfers: readonly StoredTransfer[];
  /** In the order of their chains. */
  readonly sentBack: readonly SentBack[];
}

/** A transfer back that was not final, and what is known of it now. Without `after`, it is not in the chain any more. */
export interface ChangedSentBack {
  readonly before: SentBack;
  readonly after: SentBack | undefined;
}

/** What a look at a chain has found. */
export interface Looked {
  readonly cursor: number;
  /** The transfers that were stored as not final, and are not in the chain any more. */
  readonly gone: readonly StoredTransfer[];
  readonly added: readonly StoredTransfer[];
  /** The pending transfers that are final now. */
  readonly settled: readonly StoredTransfer[];
  /** The pending transfers that are soft now. */
  readonly softened?: readonly StoredTransfer[];
  readonly sentBack?: readonly ChangedSentBack[];
}

/** A quote whose order does not know yet what has come for it. */
export interface Untold {
  readonly quoteId: number;
  readonly orderId: OrderId;
  /** How often its transfers have changed. */
  readonly changes: number;
}

/** Quotes in USDC, and the transfers that pay them. */
export interface UsdcStore {
  /**
   * Adds a quote, with the work of watching its chain. Returns the one that the order has on this chain already, if there is
   * one. Returns `amount_taken` if another quote for this address keeps this amount: see `release`.
   */
  open(quote: NewUsdcQuote): Promise<UsdcQuote | 'amount_taken'>;
  ofOrder(id: OrderId): Promise<UsdcOfOrder>;
  /**
   * Adds a transfer back, with its event and the work of watching its chain until it is final. `decide` gets the order and what is known of it; nothing else adds one to it in between. Returns `counted` if the transfer was added before, for this order or another one.
   */
  sendBack<R extends string>(
    id: OrderId,
    at: Instant,
    decide: (known: UsdcOfOrder, order: Order) => { readonly sentBack: SentBack; readonly event?: Event } | Refused<R>,
  ): Promise<SentBack | 'counted' | Refused<R>>;
  /**
   * Removes the transfers back of a transaction that are not final, with an event, and counts the others of the order again: see
   * `refundsAgain`. Returns `final` if all of it is final, `needed` if what is final depends on it (`isNeeded`), and `undefined` if the order
   * has none.
   */
  undoSentBack(id: OrderId, txHash: string, event: Event): Promise<'undone' | 'final' | 'needed' | undefined>;
  watch(chainId: number): Promise<Watch>;
  /**
   * Saves what a look has found. Returns false, and writes nothing, if the watch has another revision by now: another
   * process has looked meanwhile. A transfer is stored once. If a transfer back has gone, the others of its order count again.
   */
  save(chainId: number, revision: number, looked: Looked): Promise<boolean>;
  /** Gives the amounts of quotes free that ended before a time. If no quote is left, the cursor is forgotten. */
  release(chainId: number, endedBefore: Instant): Promise<void>;
  /** Quotes whose transfers have changed since `tell`. */
  untold(chainId: number): Promise<readonly Untold[]>;
  tell(untold: Untold): Promise<void>;
}
