import { Stop } from '../stop.ts';

/** A contract on a chain, as the API records it. */
export interface Deployment {
  readonly chain: string;
  readonly chain_id: number;
  readonly address: string;
  readonly tx_hash: string;
  readonly contract: string;
}

/** What the files of a tool name: contracts, and what was left out, as sentences. */
export interface Read {
  readonly deployments: readonly Deployment[];
  readonly leftOut: readonly string[];
}

const chains: Readonly<Record<number, string>> = {
  1: 'ethereum',
  10: 'optimism',
  137: 'polygon',
  1337: 'local',
  8453: 'base',
  31337: 'local',
  42161: 'arbitrum',
  80002: 'polygon-amoy',
  84532: 'base-sepolia',
  421614: 'arbitrum-sepolia',
  11155111: 'sepolia',
  11155420: 'optimism-sepolia',
};

/** Returns the name of a chain, or `chain` with its id. */
export function chainName(id: number): string {
  return chains[id] ?? `chain-${id}`;
}

/** A contract as a file names it. Throws `Stop` if the file does not say enough. */
export function made(
  path: string,
  { id, address, hash, contract }: { id: number; address: unknown; hash: unknown; contract: unknown },
): Deployment {
  const name = typeof contract === 'string' ? contract : '';
  const lacking = (what: string) =>
    new Stop(
      'failed',
      `${path} does not name the ${what}${name === '' ? '' : ` of ${name}`}.`,
      'Use --chain-id, --address and --tx-hash for this contract.',
    );
  if (!Number.isSafeInteger(id) || id < 1) throw lacking('chain');
  if (typeof address !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(address)) throw lacking('address');
  if (typeof hash !== 'string' || !/^0x[0-9a-fA-F]{64}$/.test(hash)) throw lacking('transaction');
  return { chain: chainName(id), chain_id: id, address, tx_hash: hash, contract: name };
}
