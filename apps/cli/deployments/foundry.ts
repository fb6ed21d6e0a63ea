import { basename, dirname } from 'node:path';
import { type Deployment, made, type Read } from './contract.ts';
import { type Json, readJson } from './json.ts';

/**
 * Reads a broadcast of Foundry: the contracts that its transactions created, themselves or through other contracts. Leaves out
 * transactions that failed, and those without a receipt. A broadcast to several chains (`broadcast/multi`) has one part for each.
 */
export async function readFoundry(path: string): Promise<Read> {
  const json = await readJson(path);
  const parts: readonly Json[] = Array.isArray(json.deployments) ? json.deployments : [json];
  const read = parts.map((part) => readPart(path, part));
  return {
    deployments: read.flatMap(({ deployments }) => deployments),
    leftOut: read.flatMap(({ leftOut }) => leftOut),
  };
}

function readPart(path: string, { transactions, receipts, chain }: Json): Read {
  const id = Number(chain ?? basename(dirname(path)));
  const status = new Map(list(receipts).map((one) => [one.transactionHash, Number(one.status)]));
  const deployments: Deployment[] = [];
  const leftOut: string[] = [];
  for (const { transactionType, hash, contractName, contractAddress, additionalContracts } of list(transactions)) {
    const own = /^CREATE2?$/.test(transactionType) ? [{ address: contractAddress, contractName }] : [];
    const all = [...own, ...list(additionalContracts)];
    if (all.length === 0) continue;
    const label = contractName ?? contractAddress;
    if (!status.has(hash)) {
      leftOut.push(
        `${label}: its transaction has no receipt yet. Run the script with --resume, then this command again.`,
      );
    } else if (status.get(hash) === 0) {
      leftOut.push(`${label}: its transaction failed.`);
    } else {
      for (const one of all)
        deployments.push(made(path, { id, hash, address: one.address, contract: one.contractName }));
    }
  }
  return { deployments, leftOut };
}

function list(value: unknown): Json[] {
  return Array.isArray(value) ? value : [];
}
