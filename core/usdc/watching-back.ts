import type { Block, Chain } from '../ports/chain.ts';
import type { ChangedSentBack } from '../ports/usdc-store.ts';
import type { SentBack } from './sent-back.ts';
import { transfersIn } from './transaction-of.ts';

/** Returns what has changed of transfers back that were not final, when the chain has made this block final. */
export async function lookAtSentBack(
  chain: Chain,
  sentBack: readonly SentBack[],
  final: Block,
): Promise<readonly ChangedSentBack[]> {
  const changed: ChangedSentBack[] = [];
  for (const before of sentBack) {
    const isFinal = before.blockNumber <= final.number;
    const block = await chain.block(before.blockNumber);
    // The same block has the same transactions, also if the RPC has forgotten them.
    if (block?.hash === before.blockHash) {
      if (isFinal) changed.push({ before, after: { ...before, isFinal } });
      continue;
    }
    const receipt = await chain.receipt(before.txHash);
    if (receipt === undefined) {
      // It can come back in another block as long as its own is not final.
      if (isFinal) changed.push({ before, after: undefined });
      continue;
    }
    const moved = transfersIn(receipt, before.chainId).find(
      ({ from, to, amount }) => from === before.from && to === before.to && amount === before.amount,
    );
    // The next look says if it is final.
    changed.push({ before, after: moved && { ...before, ...moved } });
  }
  return changed;
}
