import type { Log } from '../ports/chain.ts';
import type { EvmAddress } from './evm-address.ts';

/** The event `Transfer(address,address,uint256)` of tokens. */
export const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** USDC that moved from one address to another, as a log of the chain says. */
export interface Transfer {
  readonly txHash: string;
  /** Its number among the logs of the block. One transaction can have several transfers. */
  readonly logIndex: number;
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly from: EvmAddress;
  readonly to: EvmAddress;
  readonly amount: number;
}

/** Less than this says nothing, and pays for nothing: everybody can send it to everybody. */
const leastAmount = 10_000;

/** The topic that stands for an address. */
export function topicOf(address: EvmAddress): string {
  return `0x${'0'.repeat(24)}${address.slice(2)}`;
}

/** Returns the data of a call of the contract that moves an amount to an address: `transfer(address,uint256)`. */
export function transferCall(to: EvmAddress, amount: number): string {
  return `0xa9059cbb${topicOf(to).slice(2)}${amount.toString(16).padStart(64, '0')}`;
}

/**
 * Returns the transfer in a log of the contract of USDC. Returns `undefined` for another event, for dust, and for what
 * somebody has sent to the same address.
 */
export function toTransfer({ topics, data, txHash, index, blockNumber, blockHash }: Log): Transfer | undefined {
  const [topic, from, to] = topics;
  if (topic !== transferTopic || from === undefined || to === undefined || from === to) return undefined;
  if (!/^0x[0-9a-f]{64}$/.test(data)) return undefined;
  const exact = BigInt(data);
  const amount = exact > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(exact);
  if (amount < leastAmount) return undefined;
  return { txHash, logIndex: index, blockNumber, blockHash, from: addressIn(from), to: addressIn(to), amount };
}

function addressIn(topic: string): EvmAddress {
  return `0x${topic.slice(26)}`;
}
