import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Stop } from './stop.ts';

/** A contract on a chain, as the API records it. */
export interface Deployment {
  readonly chain: string;
  readonly chain_id: number;
  readonly address: string;
  readonly tx_hash: string;
  readonly contract: string;
}

const chains: Readonly<Record<number, string>> = {
  1: 'ethereum',
  10: 'optimism',
  137: 'polygon',
  8453: 'base',
  42161: 'arbitrum',
  11155111: 'sepolia',
  31337: 'local',
};

export function chainName(id: number): string {
  return chains[id] ?? `chain-${id}`;
}

// biome-ignore lint/suspicious/noExplicitAny: files of other programs. What is missing is noticed below.
type Json = any;

/** Returns the contracts that a broadcast of Foundry created: `broadcast/<script>/<chain id>/run-latest.json`. */
export async function readFoundry(path: string): Promise<Deployment[]> {
  const { transactions = [], receipts = [], chain } = await readJson(path);
  const id = Number(chain ?? basename(dirname(path)));
  const failed = new Set(
    receipts.filter(({ status }: Json) => Number(status) === 0).map((one: Json) => one.transactionHash),
  );
  return transactions
    .filter(({ transactionType, hash }: Json) => /^CREATE2?$/.test(transactionType) && hash && !failed.has(hash))
    .map((one: Json) => made(id, one.contractAddress, one.hash, one.contractName ?? ''));
}

/**
 * Returns the contracts of Hardhat: a file of hardhat-deploy (`deployments/<network>/<name>.json`, beside `.chainId`), or
 * the folder of Ignition (`ignition/deployments/chain-<id>`).
 */
export async function readHardhat(path: string): Promise<Deployment[]> {
  if (!path.endsWith('.json')) return await readIgnition(path);
  const { address, transactionHash, receipt } = await readJson(path);
  const id = Number(await readFile(join(dirname(path), '.chainId'), 'utf8'));
  return [made(id, address, transactionHash ?? receipt?.transactionHash, basename(path, '.json'))];
}

async function readIgnition(folder: string): Promise<Deployment[]> {
  const id = Number(/chain-(\d+)$/.exec(folder.replace(/\/$/, ''))?.[1]);
  const addresses = await readJson(join(folder, 'deployed_addresses.json'));
  const lines = (await readFile(join(folder, 'journal.jsonl'), 'utf8'))
    .split('\n')
    .filter((line) => line.trim() !== '');
  const hashes = new Map<string, string>();
  for (const line of lines) {
    const { type, futureId, hash, receipt }: Json = JSON.parse(line);
    if (type === 'TRANSACTION_CONFIRM' && receipt?.contractAddress) hashes.set(futureId, hash);
  }
  return Object.entries<string>(addresses).flatMap(([future, address]) => {
    const hash = hashes.get(future);
    return hash === undefined ? [] : [made(id, address, hash, future.split('#').at(-1) ?? future)];
  });
}

function made(id: number, address: unknown, hash: unknown, contract: string): Deployment {
  if (!Number.isInteger(id) || id < 1 || typeof address !== 'string' || typeof hash !== 'string') {
    throw new Stop('failed', 'The file does not name the chain, the address or the transaction of a contract.');
  }
  return { chain: chainName(id), chain_id: id, address, tx_hash: hash, contract };
}

async function readJson(path: string): Promise<Json> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) throw new Stop('failed', `${path} is no JSON.`);
    throw error;
  }
}

/** Finds the only broadcast of Foundry below this folder for a chain. */
export async function findBroadcast(folder: string): Promise<string> {
  const all = await readdir(folder, { recursive: true }).catch(() => []);
  const found = all.filter((path) => /\d+[\\/]run-latest\.json$/.test(path) && !/dry-run/.test(path));
  const [only] = found;
  if (only !== undefined && found.length === 1) return join(folder, only);
  throw new Stop(
    'wrongUsage',
    found.length === 0
      ? `There is no run-latest.json below ${folder}.`
      : `There are ${found.length} broadcasts below ${folder}.`,
    'Name the file: latchkey deploy register --from foundry broadcast/<script>/<chain id>/run-latest.json',
  );
}
