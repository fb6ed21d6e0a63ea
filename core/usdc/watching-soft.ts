import type { Block, Chain } from '../ports/chain.ts';
import type { StoredTransfer } from '../ports/usdc-store.ts';
import { Unavailable } from '../unavailable.ts';

/** The most transfers that one look at a chain asks about. */
const mostAtOnce = 100;
/** After so many answers that do not come, the others are asked about at the next look. */
const mostFaults = 3;

/**
 * Returns those of the transfers that have become soft: they are in a block up to `newest`, and the RPCs agree on that block and on the
 * result of the transaction, as they did on the log. With a single RPC there is nobody to agree with, so none is soft. What cannot be
 * asked is not soft now: it must not hold up what is final.
 */
export async function softAmong(
  chain: Chain,
  transfers: readonly StoredTransfer[],
  newest: number,
): Promise<readonly StoredTransfer[]> {
  if (!chain.hasWitness) return [];
  const soft: StoredTransfer[] = [];
  const blocks = new Map<number, Promise<Block | undefined>>();
  let faults = 0;
  const deep = transfers.filter((one) => !one.isFinal && !one.isSoft && one.blockNumber <= newest);
  for (const one of deep.slice(0, mostAtOnce)) {
    const asked = blocks.get(one.blockNumber) ?? chain.block(one.blockNumber);
    blocks.set(one.blockNumber, asked);
    try {
      const block = await asked;
      const outcome = block?.hash === one.blockHash ? await chain.outcome(one.txHash) : undefined;
      if (outcome?.succeeded && outcome.blockHash === one.blockHash) soft.push(one);
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      if (++faults === mostFaults) break;
    }
  }
  return soft;
}
