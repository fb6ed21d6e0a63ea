import type { Block, Chain, Log, Outcome, Receipt } from '../../core/ports/chain.ts';
import { Unavailable } from '../../core/unavailable.ts';
import { topicOf, transferTopic } from '../../core/usdc/transfer.ts';

/** Money that moves in a transaction of the model. */
export interface Move {
  readonly token: string;
  readonly from: `0x${string}`;
  readonly to: `0x${string}`;
  readonly amount: number;
}

interface Transaction {
  readonly hash: string;
  readonly moves: readonly Move[];
}

interface ModelBlock extends Block {
  readonly transactions: readonly Transaction[];
}

/** A chain in memory that knows the truth. The port `chain` sees it with all faults of RPCs. */
export interface ModelChain {
  readonly chain: Chain;
  /** The moves in the chain now: all, or those up to a block. */
  moves(through?: number | 'final'): readonly Move[];
  /** The hashes of the transactions in the chain now. */
  hashes(): readonly string[];
  /** The number of the newest block. */
  head(): number;
  /** Makes a block with these transactions, each with its moves. Returns their hashes. */
  mine(at: number, ...transactions: readonly (readonly Move[])[]): readonly string[];
  /** Replaces blocks that are not final. `isKept` says which transactions come back, in the first of the new blocks. */
  reorganize(depth: number, at: number, isKept: (index: number) => boolean): void;
  /** Makes all blocks final but the newest ones. */
  finalize(open: number): void;
  /** How the RPC answers from now on. `lag`: how many of the newest blocks it does not know yet. */
  rpc(how: { readonly isDown?: boolean; readonly lag?: number }): void;
  /** Whether several RPCs agree on what it says. So it is at first. */
  witness(isThere: boolean): void;
}

// No two chains of a test have a hash in common.
let serial = 0;

export function createModelChain(start: number): ModelChain {
  const hashOf = (kind: string) => `0x${kind}${String(++serial).padStart(62, '0')}`;
  const block = (number: number, at: number, transactions: readonly Transaction[]): ModelBlock => ({
    ...{ number, at, transactions, hash: hashOf('bb') },
  });
  let blocks: ModelBlock[] = [block(0, start, [])];
  let final = 0;
  let [isDown, lag, hasWitness] = [false, 0, true];

  const known = () => {
    if (isDown) throw new Unavailable('The RPC is down.');
    return blocks.slice(0, Math.max(1, blocks.length - lag));
  };
  const logsOf = ({ transactions, number, hash }: ModelBlock): Log[] =>
    transactions
      .flatMap((transaction) => transaction.moves.map((move) => ({ ...move, txHash: transaction.hash })))
      .map(({ token, from, to, amount, txHash }, index) => ({
        ...{ address: token, txHash, blockNumber: number, blockHash: hash, index },
        topics: [transferTopic, topicOf(from), topicOf(to)],
        data: `0x${amount.toString(16).padStart(64, '0')}`,
      }));

  const outcomeOf = (txHash: string): Outcome | undefined => {
    const block = known().find(({ transactions }) => transactions.some(({ hash }) => hash === txHash));
    return block && { txHash, succeeded: true, blockNumber: block.number, blockHash: block.hash, created: null };
  };

  return {
    chain: {
      get hasWitness() {
        return hasWitness;
      },
      outcome: async (txHash) => outcomeOf(txHash),
      async receipt(txHash): Promise<Receipt | undefined> {
        const outcome = outcomeOf(txHash);
        const logs = known().flatMap(logsOf);
        return outcome && { ...outcome, logs: logs.filter((log) => log.txHash === txHash) };
      },
      code: async () => undefined,
      slot: async () => undefined,
      call: async () => undefined,
      async block(which) {
        const all = known();
        const number = typeof which === 'number' ? which : which === 'latest' ? all.length - 1 : final;
        const found = all[Math.min(number, which === 'finalized' ? all.length - 1 : number)];
        return found && { number: found.number, hash: found.hash, at: found.at };
      },
      async logs({ address, topics, from, to }) {
        const all = known();
        const through = Math.min(to, all.length - 1);
        if (through < from) return { logs: [], through: from - 1 };
        const logs = all
          .slice(from, through + 1)
          .flatMap(logsOf)
          .filter((log) => log.address === address)
          .filter((log) => topics.every((topic, n) => topic === null || [topic].flat().includes(log.topics[n] ?? '')));
        return { logs, through };
      },
    },
    hashes: () => blocks.flatMap(({ transactions }) => transactions.map(({ hash }) => hash)),
    head: () => blocks.length - 1,
    moves: (through = blocks.length) =>
      blocks
        .filter(({ number }) => number <= (through === 'final' ? final : through))
        .flatMap(({ transactions }) => transactions.flatMap(({ moves }) => moves)),
    mine(at, ...transactions) {
      const made = transactions.map((moves) => ({ hash: hashOf('cc'), moves }));
      blocks.push(block(blocks.length, at, made));
      return made.map(({ hash }) => hash);
    },
    reorganize(depth, at, isKept) {
      const from = Math.max(final + 1, blocks.length - depth);
      const gone = blocks.slice(from);
      if (gone.length === 0) return;
      const kept = gone.flatMap(({ transactions }) => transactions).filter((_, index) => isKept(index));
      blocks = blocks.slice(0, from);
      for (const [index] of gone.entries()) blocks.push(block(blocks.length, at, index === 0 ? kept : []));
    },
    finalize(open) {
      final = Math.max(final, blocks.length - 1 - open);
    },
    witness(isThere) {
      hasWitness = isThere;
    },
    rpc(how) {
      isDown = how.isDown ?? false;
      lag = how.lag ?? 0;
    },
  };
}
