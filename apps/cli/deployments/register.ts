import { rest } from '../acting.ts';
import type { Api } from '../api.ts';
import { note } from '../output.ts';
import { Stop } from '../stop.ts';
import type { Deployment } from './contract.ts';

/** What happened to a deployment. */
export interface Registered extends Deployment {
  readonly result: 'registered' | 'already_registered' | 'would_be_registered';
}

/** How many transactions one call can ask for. */
const atOnce = 20;
/** A plan with few calls in a minute lets the rest through in the next one. */
const longestWait = 60_000;

/** Registers what is not registered yet. With `isDryRun`, only says what it would do. */
export async function registerAll(
  api: Api,
  deployments: readonly Deployment[],
  { template, isDryRun }: { readonly template: string | undefined; readonly isDryRun: boolean },
): Promise<Registered[]> {
  const known = await knownOf(api, deployments);
  const done: Registered[] = [];
  for (const one of deployments) {
    if (known.has(placeOf(one))) done.push({ ...one, result: 'already_registered' });
    else if (isDryRun) done.push({ ...one, result: 'would_be_registered' });
    else {
      const { contract: _, ...body } = one;
      const call = () => api.post('/api/deploy/register', { body: { ...body, template_id: template ?? null } });
      await patiently(call).catch((error: unknown) => {
        if (!(error instanceof Stop)) throw error;
        const { length } = done.filter(({ result }) => result === 'registered');
        throw new Stop(
          error.exit,
          length === 0 ? error.message : `${error.message} ${length} of ${deployments.length} were registered before.`,
          error.exit === 'failed' ? 'Run the same command again: it registers nothing twice.' : error.advice,
          error.wait,
          error.details,
        );
      });
      done.push({ ...one, result: 'registered' });
    }
  }
  return done;
}

/** The places of those that this account has registered before, in the mode of its key. */
async function knownOf(api: Api, deployments: readonly Deployment[]): Promise<ReadonlySet<string>> {
  const hashes = [...new Set(deployments.map(({ tx_hash }) => tx_hash.toLowerCase()))];
  const known = new Set<string>();
  for (let from = 0; from < hashes.length; from += atOnce) {
    const query = { tx_hash: hashes.slice(from, from + atOnce).join(',') };
    const found = await patiently(() => api.list('/api/deployments', { query }, Number.POSITIVE_INFINITY));
    for (const one of found) known.add(placeOf(one));
  }
  return known;
}

function placeOf({ chain_id, tx_hash, address }: Pick<Deployment, 'chain_id' | 'tx_hash' | 'address'>): string {
  return `${chain_id} ${tx_hash} ${address}`.toLowerCase();
}

/** Does the call again if the server asks to wait for a minute at most. */
async function patiently<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof Stop) || error.wait === undefined || error.wait > longestWait) throw error;
      note(`${error.message} Going on in ${Math.ceil(error.wait / 1000)} seconds.`);
      await rest(error.wait);
    }
  }
}
