import { toDeploymentId } from '../id.ts';
import type { Chain, Chains, Keccak, Outcome } from '../ports/chain.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { ChainFacts, CheckedDeployment, DeploymentChecks, KnownCodes } from '../ports/deployment-checks.ts';
import { day, hour, second } from '../time.ts';
import { Unavailable } from '../unavailable.ts';
import type { Attempt } from '../work/worker.ts';
import {
  addressIn,
  beaconSlot,
  implementationCall,
  implementationSlot,
  minimalProxyTarget,
  withoutMetadata,
} from './contract-code.ts';
import type { DeploymentState } from './deployment-state.ts';

interface CheckPorts {
  readonly checks: DeploymentChecks;
  readonly chains: Pick<Chains, 'get'>;
  readonly keccak: Keccak;
  readonly clock: Clock;
}

/** What a look has found, or when to look again. */
type Look =
  | { readonly kind: 'found'; readonly facts: ChainFacts; judge(codes: KnownCodes): DeploymentState }
  | { readonly kind: 'later' };

const nothing: ChainFacts = { blockNumber: null, createdAt: null, codeHash: null };
const later: Look = { kind: 'later' };
const found = (state: DeploymentState, facts: Partial<ChainFacts> = {}): Look => ({
  ...{ kind: 'found', facts: { ...nothing, ...facts } },
  judge: () => state,
});

/** How long a transaction is looked for. */
const patience = day;

/**
 * Checks the deployment that a piece of work is about: whether its transaction succeeded and created a contract at its
 * address, and whether the contract is from a version of the template's products. Only what is in a block that counts is
 * believed: a safe one if several RPCs agree, otherwise a final one.
 */
export function checkDeployment({ checks, chains, keccak, clock }: CheckPorts): Attempt<'deployment'> {
  return async ({ subjectId }) => {
    const id = toDeploymentId(subjectId);
    const deployment = await checks.find(id);
    if (deployment?.state !== 'unchecked') return 'checked';
    const chain = chains.get(deployment.chainId);
    const look = chain === undefined ? found('no_rpc') : await lookAt(chain, deployment, keccak, clock.now());
    const now = clock.now();
    if (look.kind === 'later') return { laterAt: nextLookAt(deployment, now) };
    await checks.record(id, look.facts, look.judge, now);
    return 'checked';
  };
}

/** The longer it takes, the longer are the pauses. */
export function nextLookAt({ checkFrom }: Pick<CheckedDeployment, 'checkFrom'>, now: Instant): Instant {
  return now + Math.min(hour, Math.max(15 * second, Math.ceil((now - checkFrom) / 2)));
}

/** Lets some deployments be checked whose chain had no RPC, and has one now. Returns how many. */
export async function resumeChecks(
  checks: Pick<DeploymentChecks, 'resume'>,
  { ids }: Pick<Chains, 'ids'>,
  clock: Clock,
): Promise<number> {
  return ids.length === 0 ? 0 : await checks.resume(ids, clock.now());
}

async function lookAt(chain: Chain, deployment: CheckedDeployment, keccak: Keccak, now: Instant): Promise<Look> {
  const receipt = await chain.outcome(deployment.txHash);
  if (receipt === undefined) {
    if (now - deployment.checkFrom < patience) return later;
    // RPCs that do not know the newer blocks know nothing of the transaction.
    const newest = await chain.block('latest');
    return newest !== undefined && newest.at >= deployment.checkFrom ? found('not_found') : later;
  }
  const { blockNumber, blockHash } = receipt;
  // Not every chain has safe blocks.
  const end = (chain.hasWitness ? await chain.block('safe') : undefined) ?? (await chain.block('finalized'));
  if (end === undefined) throw new Unavailable('The RPCs of the chain do not say which block is final.');
  if (end.number < blockNumber) return later;
  const block = await chain.block(blockNumber);
  if (block?.hash !== blockHash) return later;
  const where = { blockNumber, createdAt: block.at };
  if (!receipt.succeeded) return found('reverted', where);
  const address = deployment.address.toLowerCase();
  const { code, at } = await codeOf(chain, address, [blockNumber, end.number]);
  if (code === '0x' || !(await isNew(chain, address, receipt))) return found('mismatch', where);
  const codeHash = keccak(withoutMetadata(await running(chain, address, code, at)));
  return { kind: 'found', facts: { ...where, codeHash }, judge: judgeCode };
}

/** A template without registered codes has nothing to compare with. */
function judgeCode({ any, release }: KnownCodes): DeploymentState {
  return any && release === undefined ? 'mismatch' : 'confirmed';
}

/**
 * Returns the code after the first of these blocks whose past the RPCs still know, or else after the newest block. Code stays
 * as it is once it is there.
 */
async function codeOf(
  chain: Chain,
  address: string,
  blocks: readonly number[],
): Promise<{ readonly code: string; readonly at: number }> {
  for (const at of blocks) {
    const code = await chain.code(address, at);
    if (code !== undefined) return { code, at };
  }
  const at = (await chain.block('latest'))?.number;
  const code = at === undefined ? undefined : await chain.code(address, at);
  if (at === undefined || code === undefined) throw new Unavailable('The RPCs of the chain do not know its state.');
  return { code, at };
}

/** Whether the transaction created the contract, itself or through another contract. */
async function isNew(chain: Chain, address: string, { created, blockNumber }: Outcome): Promise<boolean> {
  if (created === address || blockNumber === 0) return true;
  const before = await chain.code(address, blockNumber - 1);
  // If the RPCs no longer know it, the report is believed.
  return before === undefined || before === '0x';
}

/** Returns the code that runs when the contract is called: that of the implementation if it is a proxy. */
async function running(chain: Chain, address: string, code: string, at: number): Promise<string> {
  const target = minimalProxyTarget(code) ?? (await implementationOf(chain, address, at));
  if (target === undefined) return code;
  const implementation = await chain.code(target, at);
  return implementation === undefined || implementation === '0x' ? code : implementation;
}

/**
 * Returns the implementation that a proxy keeps itself, or that its beacon names. `undefined`: it is no such
 * proxy, or its beacon gives no clear answer, so that its own code counts.
 */
async function implementationOf(chain: Chain, address: string, at: number): Promise<string | undefined> {
  const own = await addressAt(chain, address, implementationSlot, at);
  if (own !== undefined) return own;
  const beacon = await addressAt(chain, address, beaconSlot, at);
  const named = beacon && (await chain.call(beacon, implementationCall, at));
  return named && addressIn(named);
}

async function addressAt(chain: Chain, address: string, slot: string, at: number): Promise<string | undefined> {
  const bytes = await chain.slot(address, slot, at);
  if (bytes === undefined) throw new Unavailable('The RPCs of the chain do not know the storage of the contract.');
  return addressIn(bytes);
}
