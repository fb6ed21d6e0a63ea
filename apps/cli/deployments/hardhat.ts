import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Stop } from '../stop.ts';
import { type Deployment, made, type Read } from './contract.ts';
import { type Json, readJson } from './json.ts';

/** Reads what hardhat-deploy writes: a folder with `.chainId` and one file for each contract, or one of these files. */
export async function readHardhatDeploy(folder: string, file?: string): Promise<Read> {
  const id = await chainOf(folder);
  const files = file === undefined ? (await readdir(folder)).filter((name) => /^[^.].*\.json$/.test(name)) : [file];
  const deployments: Deployment[] = [];
  const leftOut: string[] = [];
  for (const name of files.sort()) {
    const path = join(folder, name);
    const { address, transactionHash, receipt } = await readJson(path);
    const hash = transactionHash ?? receipt?.transactionHash;
    const contract = basename(name, '.json');
    if (hash === undefined && file === undefined) leftOut.push(`${contract}: its file names no transaction.`);
    else if (receipt?.status === 0) leftOut.push(`${contract}: its transaction failed.`);
    else deployments.push(made(path, { id, address, hash, contract }));
  }
  return { deployments, leftOut };
}

async function chainOf(folder: string): Promise<number> {
  const text = await readFile(join(folder, '.chainId'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new Stop(
      'failed',
      `${folder} has no file .chainId.`,
      'Name a file or folder that Foundry, hardhat-deploy or Hardhat Ignition has written.',
    );
  });
  return Number(text);
}

/** Reads a folder of Hardhat Ignition: the addresses, and the transactions in its journal. */
export async function readIgnition(folder: string): Promise<Read> {
  const addresses = Object.entries(await readJson(join(folder, 'deployed_addresses.json')));
  const path = join(folder, 'journal.jsonl');
  const hashes = new Map<unknown, string>();
  let id = Number(/chain-(\d+)$/.exec(basename(folder))?.[1]);
  for (const { type, chainId, futureId, hash, receipt } of await readLines(path)) {
    if (type === 'DEPLOYMENT_INITIALIZE' && chainId !== undefined) id = Number(chainId);
    if (type === 'TRANSACTION_CONFIRM' && receipt?.status !== 'REVERTED') hashes.set(futureId, hash);
  }
  const deployments: Deployment[] = [];
  const leftOut: string[] = [];
  for (const [future, address] of addresses) {
    const contract = future.split('#').at(-1) ?? future;
    const hash = hashes.get(future);
    if (hash === undefined) leftOut.push(`${contract}: the journal names no transaction for it.`);
    else deployments.push(made(path, { id, address, hash, contract }));
  }
  return { deployments, leftOut };
}

async function readLines(path: string): Promise<Json[]> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line.trim() !== '');
  try {
    return lines.map((line) => JSON.parse(line));
  } catch {
    throw new Stop('failed', `${path} has a line that is no JSON.`, 'Is it the journal of Hardhat Ignition?');
  }
}
