import type { Instant } from './clock.ts';

// Hashes, addresses, topics and code are texts that begin with `0x` and have hexadecimal digits in lower case.

export interface Block {
  readonly number: number;
  readonly hash: string;
  /** When it was made, as its maker says. */
  readonly at: Instant;
}

/** The newest block that a node knows, and the newest ones that hardly, or never, change again. */
export type BlockTag = 'latest' | 'safe' | 'finalized';

/** What a contract has reported in a transaction. */
export interface Log {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly txHash: string;
  readonly blockNumber: number;
  readonly blockHash: string;
  /** Its number among the logs of the block, from 0. */
  readonly index: number;
}

/** The result of a transaction that is in a block. */
export interface Outcome {
  readonly txHash: string;
  /** False if it was reverted: it is in the block, and changed nothing. */
  readonly succeeded: boolean;
  readonly blockNumber: number;
  readonly blockHash: string;
  /** The address of the contract that the transaction itself created. Not one that another contract created in it. */
  readonly created: string | null;
}

/** The result of a transaction, with what its contracts have reported. */
export interface Receipt extends Outcome {
  readonly logs: readonly Log[];
}

/** The logs of one contract in a range of blocks, both ends included. */
export interface LogFilter {
  readonly address: string;
  /** One entry for each topic from the first on: the topic, several of which any may be, or `null` for any. Later topics are free. */
  readonly topics: readonly (string | readonly string[] | null)[];
  readonly from: number;
  readonly to: number;
}

/** The logs that were found, and the last block that was searched. It is before `from` if there is no such block yet. */
export interface FoundLogs {
  readonly logs: readonly Log[];
  readonly through: number;
}

/**
 * What a chain says now. An answer can change as long as its block is not final.
 *
 * With several RPCs (`hasWitness`), an answer is given only if at least two of them answered, and none of those said
 * something else. What some of them do not know yet is not known. If they contradict each other, the call throws
 * `Unavailable`, and the operator is told. With a single RPC there is nobody to compare with: only what is in a final block
 * may count then.
 *
 * Every call throws `Unavailable` if there is no usable answer in time. The message names no address of an RPC, because it
 * can contain a secret.
 */
export interface Chain {
  readonly hasWitness: boolean;
  /** Returns `undefined` if the transaction is in no block yet. */
  receipt(txHash: string): Promise<Receipt | undefined>;
  /** As `receipt`, without the logs: anybody can make a transaction with a hundred thousand of them. */
  outcome(txHash: string): Promise<Outcome | undefined>;
  /** Returns `undefined` for a block after the newest one. A tag can name an older block than some RPCs know. */
  block(which: number | BlockTag): Promise<Block | undefined>;
  /**
   * Searches up to the newest block, so a range may end, or begin, after it. Each log has the wanted address and topics.
   * They are in the order of the chain, each once. The blocks of the first and the last one are in the chain: strangers can fill
   * many blocks with logs, so whoever believes one of the others looks at its block.
   */
  logs(filter: LogFilter): Promise<FoundLogs>;
  /**
   * Returns the code at an address after a block: `0x` if there is none. Returns `undefined` if the RPCs no longer know the
   * past of this block.
   */
  code(address: string, blockNumber: number): Promise<string | undefined>;
  /** Returns the 32 bytes that a contract keeps in a slot of its storage. Otherwise as `code`. */
  slot(address: string, slot: string, blockNumber: number): Promise<string | undefined>;
  /**
   * Asks a contract something, as it was after a block. Changes nothing. Returns `undefined` if the contract refuses, the RPCs no
   * longer know the past of this block, or their answers differ.
   */
  call(address: string, data: string, blockNumber: number): Promise<string | undefined>;
}

/** The chains that have an RPC. */
export interface Chains {
  readonly ids: readonly number[];
  /** Returns `undefined` if the chain has no RPC. */
  get(chainId: number): Chain | undefined;
}

/** Returns the hash of bytes that contracts use, Keccak-256. */
export type Keccak = (bytes: string) => string;
