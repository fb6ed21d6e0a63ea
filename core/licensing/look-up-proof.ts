import type { DomainProofs } from '../ports/domain-proofs.ts';
import type { UnprovenDomains } from '../ports/unproven-domains.ts';
import { isRefused } from '../refusal.ts';
import type { Needing, ProofLookup } from './domain-proof.ts';
import type { LicenseKey } from './license-key.ts';

export interface ProofPorts {
  readonly proofs: DomainProofs;
  readonly unproven: UnprovenDomains;
}

/** Finds out what a decision needs to know. `from`: the network or account for which lookups are counted. */
export type LookUpProof = (key: LicenseKey, from: string, needs: Needing['needs']) => Promise<ProofLookup>;

/** Takes seconds, so it runs outside of any transaction. */
export function createLookUpProof({ proofs, unproven }: ProofPorts): LookUpProof {
  return async (key, from, { host, slot }) => {
    const about = { host, text: proofs.textFor(key, host) };
    const found = await proofs.find(key, host, from);
    if (isRefused(found)) return { ...about, proof: 'busy' };
    if (found !== 'found') return { ...about, proof: 'missing', instead: found };
    return { ...about, proof: 'found', ...(slot && { taken: await unproven.leastVerified(key) }) };
  };
}
