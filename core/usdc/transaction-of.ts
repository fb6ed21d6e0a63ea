import { knownChains } from '../deployments/chains.ts';
import type { Chain, Chains, Receipt } from '../ports/chain.ts';
import { type Transfer, toTransfer } from './transfer.ts';

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

/** The transfers of USDC in a transaction. */
export function transfersIn({ succeeded, logs }: Receipt, chainId: number): readonly Transfer[] {
  const token = knownChains.get(chainId)?.usdc.toLowerCase();
  return succeeded ? logs.filter(({ address }) => address === token).flatMap((log) => toTransfer(log) ?? []) : [];
}
