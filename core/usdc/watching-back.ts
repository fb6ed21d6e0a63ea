import type { Block, Chain } from '../ports/chain.ts';
import type { ChangedSentBack } from '../ports/usdc-store.ts';
import type { SentBack } from './sent-back.ts';
import { transfersIn } from './transaction-of.ts';
import type { Transfer } from './transfer.ts';

/**
 * Returns what has changed of transfers back, when the chain has made this block final. Those in newer blocks are not asked about:
 * nothing depends on them yet.
 */
export async function lookAtSentBack(
  chain: Chain,
  sentBack: readonly SentBack[],
  final: Block,
): Promise<readonly ChangedSentBack[]> {
  const changed: ChangedSentBack[] = [];
  const blocks = new Map<number, Promise<Block | undefined>>();
  const taken = new Set<string>();
  for (const before of sentBack) {
    const { blockNumber, txHash } = before;
    if (blockNumber > final.number) continue;
    const asked = blocks.get(blockNumber) ?? chain.block(blockNumber);
    blocks.set(blockNumber, asked);
    const block = await asked;
    // An RPC that lags behind. The next look asks again.
    if (block === undefined) continue;
    if (block.hash === before.blockHash) {
      changed.push({ before, after: { ...before, isFinal: true } });
      continue;
    }
    const receipt = await chain.receipt(txHash);
    const isSame = ({ from, to, amount, logIndex }: Transfer) =>
      from === before.from && to === before.to && amount === before.amount && !taken.has(`${txHash} ${logIndex}`);
    const moved = receipt && transfersIn(receipt, before.chainId).find(isSame);
    if (moved) taken.add(`${txHash} ${moved.logIndex}`);
    // The next look says if it is final.
    changed.push({ before, after: moved && { ...before, ...moved } });
  }
  return changed;
}
