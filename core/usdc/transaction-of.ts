import { knownChains } from '../deployments/chains.ts';
import type { Chain, Chains, Receipt } from '../ports/chain.ts';
import { type Transfer, toTransfer } from './transfer.ts';
import type { UsdcQuote } from './usdc-quote.ts';

/** The most characters of a hash, which can be part of the address of an explorer, and of an address that somebody types. */
export const longest = { transaction: 300, address: 100 } as const;

/** Returns the hash of a transaction as people type it, or copy it with the address of an explorer. `undefined`: there is none. */
export function hashIn(typed: string): string | undefined {
  return /0x[0-9a-f]{64}$/.exec(typed.trim().toLowerCase())?.[0];
}

/** A transaction in a block of a chain, with the transfers of USDC in it. Of one that has failed, there are none. */
export interface ChainTransaction {
  readonly chainId: number;
  readonly chain: Chain;
  readonly receipt: Receipt;
  readonly transfers: readonly Transfer[];
}

/** Looks for a transaction on some chains. Returns `undefined` if it is in no block of them. */
export async function transactionOn(
  chains: Pick<Chains, 'get'>,
  chainIds: readonly number[],
  hash: string,
): Promise<ChainTransaction | undefined> {
  for (const chainId of new Set(chainIds)) {
    const chain = chains.get(chainId);
    const receipt = await chain?.receipt(hash);
    if (chain !== undefined && receipt !== undefined)
      return { chainId, chain, receipt, transfers: transfersIn(receipt, chainId) };
  }
  return undefined;
}

/** A transaction with its transfers to the address of an order. */
export interface MovedTo extends ChainTransaction {
  readonly moved: readonly Transfer[];
}

/** Looks for a transaction on the chains on which an order can be paid. Returns what it has moved to the address there, or why it has not. */
export async function movedTo(
  chains: Pick<Chains, 'get'>,
  quotes: readonly Pick<UsdcQuote, 'chainId' | 'address'>[],
  hash: string,
): Promise<MovedTo | 'not_found' | 'failed' | 'no_transfer'> {
  const chainIds = quotes.map(({ chainId }) => chainId);
  const found = await transactionOn(chains, chainIds, hash);
  if (found === undefined) return 'not_found';
  if (!found.receipt.succeeded) return 'failed';
  const address = quotes.find(({ chainId }) => chainId === found.chainId)?.address;
  const moved = found.transfers.filter(({ to }) => to === address);
  return moved.length === 0 ? 'no_transfer' : { ...found, moved };
}

/** The transfers of USDC in a transaction. */
export function transfersIn({ succeeded, logs }: Receipt, chainId: number): readonly Transfer[] {
  const token = knownChains.get(chainId)?.usdc.toLowerCase();
  return succeeded ? logs.filter(({ address }) => address === token).flatMap((log) => toTransfer(log) ?? []) : [];
}
