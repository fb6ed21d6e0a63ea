import type { Parts } from '../../apps/wiring/compose.ts';
import { t } from '../../apps/wiring/tokens.ts';
import type { DomainProofs } from '../../core/ports/domain-proofs.ts';
import type { Pause } from '../../core/ports/pause.ts';
import type { UnprovenDomains } from '../../core/ports/unproven-domains.ts';

/** For products that need no proofs: nothing may be looked up. */
export const withoutProofs: {
  readonly proofs: DomainProofs;
  readonly unproven: UnprovenDomains;
  readonly pause: Pause;
} = {
  pause: async () => undefined,
  proofs: { textFor: notNeeded, find: notNeeded },
  unproven: { leastVerified: notNeeded },
};

function notNeeded(): never {
  throw new Error('Nothing must be looked up without a rule of the product.');
}

/** Replaces the lookups of a service: each host has what the map says, or nothing. Returns the map, and for whom was looked up. */
export async function inPlaceOfLookups(parts: Parts) {
  const found = new Map<string, Awaited<ReturnType<DomainProofs['find']>>>();
  const lookedUpFor: string[] = [];
  const find: DomainProofs['find'] = async (_, domain, from) => {
    lookedUpFor.push(from);
    return found.get(domain) ?? { record: 'nothing', file: 'nothing' };
  };
  Object.assign(await parts.get(t.domainProofs), { find });
  return { found, lookedUpFor };
}
