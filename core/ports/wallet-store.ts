import type { UserId } from '../id.ts';
import type { Refused } from '../refusal.ts';
import type { WalletBook } from '../usdc/wallet.ts';
import type { Change } from './change.ts';

/** The wallets of sellers. `null` is the operator, who sells what has no owner. */
export interface WalletStore {
  findOf(seller: UserId | null): Promise<WalletBook>;
  /** Changes the wallets of one seller. Unlike elsewhere, a change without event is saved too: a new text to sign is none. */
  change<R extends string = never>(
    seller: UserId | null,
    decide: (before: WalletBook) => Change<WalletBook> | Refused<R>,
  ): Promise<WalletBook | Refused<R>>;
}
