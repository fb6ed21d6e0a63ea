import type { Chains } from '../ports/chain.ts';
import type { Clock } from '../ports/clock.ts';
import type { DeploymentChecks } from '../ports/deployment-checks.ts';

/** Lets some deployments be checked whose chain had no RPC, and has one now. Returns how many. */
export async function resumeChecks(
  checks: Pick<DeploymentChecks, 'resume'>,
  { ids }: Pick<Chains, 'ids'>,
  clock: Clock,
): Promise<number> {
  return ids.length === 0 ? 0 : await checks.resume(ids, clock.now());
}
