import type { Parts } from '../../apps/wiring/compose.ts';
import { t } from '../../apps/wiring/tokens.ts';
import type { DeploymentState } from '../../core/deployments/deployment-state.ts';
import type { UserId } from '../../core/id.ts';
import type { Release } from '../../core/ports/deployment-checks.ts';
import type { Deployment } from '../../core/ports/deployment-log.ts';
import { countDeployments } from '../../core/selling/deployment-figures.ts';
import { must } from './license-acts.ts';

/** A deployment as a test wants it: what it does not say is like all others. */
export interface Reported extends Partial<Deployment> {
  readonly state?: DeploymentState;
  readonly release?: Release | undefined;
}

let reported = 0;

/** Reports deployments of an account, stores what the chain says of them, and counts them. */
export async function reportDeployments(parts: Parts, userId: UserId, wanted: readonly Reported[]): Promise<void> {
  const [log, checks, figures, clock] = [
    await parts.get(t.deploymentLog),
    await parts.get(t.deploymentChecks),
    await parts.get(t.deploymentFigures),
    await parts.get(t.clock),
  ];
  for (const { state = 'unchecked', release, ...more } of wanted) {
    const number = ++reported;
    const deployment: Deployment = {
      ...{ userId, isLive: true, chain: 'base', chainId: 8453, address: `0x${'5f'.repeat(18)}${hex(number, 4)}` },
      ...{ txHash: `0x${hex(number, 64)}`, templateReference: null, templateId: null, at: clock.now(), ...more },
    };
    await log.add(deployment, state !== 'no_rpc');
    if (state === 'unchecked' || state === 'no_rpc') continue;
    const { isLive, txHash, at } = deployment;
    const { items } = await checks.list({ userId, isLive, limit: 1, txHashes: [txHash] });
    const facts = { blockNumber: 38_112_004, createdAt: at, codeHash: release ? codeOf(release) : null };
    await checks.record(must(items[0]).id, facts, () => state, clock.now());
  }
  await countDeployments(figures, () => true);
}

/** The hash of the code of a release, in tests. */
export function codeOf({ productId, version }: Release): string {
  return `0x${hex(productId, 32)}${Buffer.from(version).toString('hex').padStart(32, '0')}`;
}

function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, '0');
}
