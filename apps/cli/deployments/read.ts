import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Stop } from '../stop.ts';
import type { Deployment, Read } from './contract.ts';
import { readFoundry } from './foundry.ts';
import { readHardhatDeploy, readIgnition } from './hardhat.ts';
import { readJson } from './json.ts';
import type { Tool } from './tools.ts';

const names: Readonly<Record<Tool, string>> = { foundry: 'Foundry', hardhat: 'Hardhat' };

/** Where the tools put their files, below the folder of the project. */
const usual: Readonly<Record<Tool, readonly string[]>> = {
  foundry: ['broadcast'],
  hardhat: ['deployments', 'ignition/deployments'],
};

/** The chains of nodes on this computer, which forget everything. Their contracts are recorded only if somebody names the chain. */
export const localChains: readonly number[] = [1337, 31337];

interface Source {
  readonly tool: Tool;
  read(): Promise<Read>;
}

/**
 * Reads the deployments in a file or below a folder, or below the usual folders of these tools. What one file names twice, or
 * two files name, is one deployment.
 */
export async function readDeployments(path: string | undefined, wanted: readonly Tool[]): Promise<Read> {
  const places = path === undefined ? wanted.flatMap((tool) => usual[tool]) : [path];
  const sources = (await Promise.all(places.map((place) => sourcesIn(place, path !== undefined)))).flat();
  const all = sources.filter(({ tool }) => wanted.includes(tool));
  if (all.length === 0) throw nothingIn(path, places, wanted);
  const read = await Promise.all(all.map((source) => source.read()));
  const byPlace = new Map<string, Deployment>();
  for (const one of read.flatMap(({ deployments }) => deployments)) {
    const place = `${one.chain_id} ${one.tx_hash} ${one.address}`.toLowerCase();
    if (!byPlace.has(place)) byPlace.set(place, one);
  }
  return { deployments: [...byPlace.values()], leftOut: read.flatMap(({ leftOut }) => leftOut) };
}

function nothingIn(path: string | undefined, places: readonly string[], wanted: readonly Tool[]): Stop {
  const of = wanted.map((tool) => names[tool]).join(' or ');
  const where = path === undefined ? `This folder (${places.join(', ')})` : path;
  return new Stop(
    'wrongUsage',
    `${where} has no deployments of ${of}.`,
    'Name a file or folder, such as broadcast/Deploy.s.sol/8453/run-latest.json, deployments/base or ignition/deployments/chain-8453; or use --chain-id, --address and --tx-hash.',
  );
}

/** The files of tools at a path. `isNamed`: it must exist. */
async function sourcesIn(path: string, isNamed: boolean): Promise<Source[]> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (!isNamed && error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined) return [];
  if (!found.isDirectory()) return [await sourceOf(path)];
  const files = await readdir(path, { recursive: true });
  return files.map((file) => join(path, file)).flatMap(sourceAt);
}

/** A file that somebody has named. */
async function sourceOf(path: string): Promise<Source> {
  const known = sourceAt(path)[0];
  if (known !== undefined) return known;
  const json = await readJson(path);
  if (Array.isArray(json.transactions) || Array.isArray(json.deployments)) {
    return { tool: 'foundry', read: () => readFoundry(path) };
  }
  return { tool: 'hardhat', read: () => readHardhatDeploy(dirname(path), basename(path)) };
}

/** What a file in a folder stands for: the newest broadcast of a script, or a folder of Hardhat. */
function sourceAt(path: string): Source[] {
  const parts = path.split(/[\\/]/);
  if (parts.includes('node_modules') || parts.includes('dry-run')) return [];
  const folder = dirname(path);
  const name = basename(path);
  if (name === 'run-latest.json' || (name === 'run.json' && /-latest$/.test(basename(folder)))) {
    return [{ tool: 'foundry', read: () => readFoundry(path) }];
  }
  if (name === '.chainId') return [{ tool: 'hardhat', read: () => readHardhatDeploy(folder) }];
  if (name === 'deployed_addresses.json') return [{ tool: 'hardhat', read: () => readIgnition(folder) }];
  return [];
}
