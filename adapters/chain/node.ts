import type { z } from 'zod';
import type { Block, BlockTag, Log, LogFilter, Outcome, Receipt } from '../../core/ports/chain.ts';
import { Unavailable } from '../../core/unavailable.ts';
import { block, bytes, hash, logs, outcome, receipt } from './answers.ts';
import { type Rpc, RpcRefused } from './rpc.ts';

/** A chain as one RPC knows it. The methods are those of the port `Chain`. */
export interface ChainNode {
  receipt(txHash: string): Promise<Receipt | undefined>;
  outcome(txHash: string): Promise<Outcome | undefined>;
  block(which: number | BlockTag): Promise<Block | undefined>;
  /** The range must end at the newest block at the latest. */
  logs(filter: LogFilter): Promise<readonly Log[]>;
  code(address: string, blockNumber: number): Promise<string | undefined>;
  slot(address: string, slot: string, blockNumber: number): Promise<string | undefined>;
  call(address: string, data: string, blockNumber: number): Promise<string | undefined>;
}

/** The most bytes of a receipt. */
const longestReceipt = 1024 * 1024;

const quantityOf = (number: number) => `0x${number.toString(16)}`;

/** Whether a refusal means that the node does not know the block. Other nodes return `null` then. */
const isUnknownBlock = ({ said: { code, text } }: RpcRefused) =>
  code === -39_001 || /unknown block|(?:header|block) not found|not found: block/i.test(text);

/** Whether a refusal means that the node has deleted the state of an old block: only archive nodes keep it. Each program has its own message. */
const isLostPast = (refused: RpcRefused) =>
  refused.said.code === 4_444 ||
  /missing trie node|prun|histor|archive|state .*available|distance to target/i.test(refused.said.text) ||
  isUnknownBlock(refused);

export function createChainNode({ call }: Pick<Rpc, 'call'>): ChainNode {
  const blockBy = async (which: string) =>
    (await unless(isUnknownBlock, () => call('eth_getBlockByNumber', [which, false], block))) ?? undefined;

  async function searched(filter: LogFilter): Promise<Log[]> {
    const { address, topics, from, to } = filter;
    const range = { address, topics, fromBlock: quantityOf(from), toBlock: quantityOf(to) };
    try {
      return checked(filter, await call('eth_getLogs', [range], logs));
    } catch (error) {
      if (!(error instanceof RpcRefused) || from >= to) throw error;
      // One half after the other: an RPC that refuses everything is asked only a few times more.
      const middle = Math.floor((from + to) / 2);
      return [...(await searched({ ...filter, to: middle })), ...(await searched({ ...filter, from: middle + 1 }))];
    }
  }

  return {
    receipt: (txHash) => resultOf(txHash, receipt),
    outcome: (txHash) => resultOf(txHash, outcome),
    async block(which) {
      const found = await blockBy(typeof which === 'number' ? quantityOf(which) : which);
      if (found !== undefined && typeof which === 'number' && found.number !== which)
        throw new Unavailable('An RPC answered with another block.');
      return found;
    },
    async logs(filter) {
      const found = await searched(filter);
      const ends = new Map([found[0], found.at(-1)].flatMap((log) => (log ? [[log.blockNumber, log.blockHash]] : [])));
      for (const [number, hash] of ends) {
        if ((await blockBy(quantityOf(number)))?.hash !== hash)
          throw new Unavailable('An RPC answered with logs of a block that is not in its chain.');
      }
      return found;
    },
    code: (address, blockNumber) => past(bytes, 'eth_getCode', [address, quantityOf(blockNumber)]),
    // A call that the contract refuses is an error too, with a different message from each program.
    call: (address, data, blockNumber) =>
      unless(
        () => true,
        () => call('eth_call', [{ to: address, data }, quantityOf(blockNumber)], bytes),
      ),
    slot: (address, slot, blockNumber) => past(hash, 'eth_getStorageAt', [address, slot, quantityOf(blockNumber)]),
  };

  async function resultOf<Result extends Outcome>(
    txHash: string,
    result: z.ZodType<Result | null>,
  ): Promise<Result | undefined> {
    const found = (await call('eth_getTransactionReceipt', [txHash], result, longestReceipt)) ?? undefined;
    if (found !== undefined && found.txHash !== txHash)
      throw new Unavailable('An RPC answered with the receipt of another transaction.');
    return found;
  }

  function past(result: z.ZodType<string>, method: string, params: readonly unknown[]): Promise<string | undefined> {
    return unless(isLostPast, () => call(method, params, result));
  }
}

function isWantedTopic(wanted: LogFilter['topics'][number], topic: string | undefined): boolean {
  if (topic === undefined) return false;
  if (wanted === null) return true;
  return typeof wanted === 'string' ? wanted === topic : wanted.includes(topic);
}

/** Returns the logs, sorted, if they are all what was asked for, and each is there once. */
function checked({ address, topics, from, to }: LogFilter, found: readonly Log[]): Log[] {
  const isWanted = (log: Log) =>
    log.address === address &&
    log.blockNumber >= from &&
    log.blockNumber <= to &&
    topics.every((topic, n) => isWantedTopic(topic, log.topics[n]));
  if (!found.every(isWanted)) throw new Unavailable('An RPC answered with logs that nobody asked for.');
  if (new Set(found.map(({ blockNumber, index }) => `${blockNumber} ${index}`)).size < found.length)
    throw new Unavailable('An RPC answered twice with the same log.');
  return found.toSorted((one, other) => one.blockNumber - other.blockNumber || one.index - other.index);
}

/** Returns `undefined` if the RPC says no for one of the expected reasons. */
async function unless<T>(isExpected: (refused: RpcRefused) => boolean, ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof RpcRefused && isExpected(error)) return undefined;
    throw error;
  }
}
