import type { MissingProof, ProofPlace, WithoutProof } from '../ports/domain-proofs.ts';
import type { DomainName } from './domain-name.ts';
import { fileOf, type ProofLookup, recordOf } from './domain-proof.ts';

/** Why a domain is not proven, although somebody looked. */
export const unprovenReasons = ['proof_not_found', 'other_proof', 'proof_lookup_failed'] as const;
export type UnprovenReason = (typeof unprovenReasons)[number];

/** What is taken for granted of a lookup of a short time ago that found no proof. */
const nothing: MissingProof = { record: 'nothing', file: 'nothing' };

/** Says why a host is not proven, and what was found in each place. */
export function whyMissing({ host, instead = nothing }: Pick<ProofLookup, 'host' | 'instead'>): {
  readonly reason: UnprovenReason;
  readonly found: string;
} {
  return { reason: whyUnproven(instead), found: whatWasFound(host, instead) };
}

/** `proof_lookup_failed`: no place could be read. `other_proof`: a place has the proof of another license or domain, or a part of it. */
function whyUnproven({ record, file }: MissingProof): UnprovenReason {
  if (record === 'other_text' || file === 'other_text') return 'other_proof';
  return record === 'failed' && file === 'failed' ? 'proof_lookup_failed' : 'proof_not_found';
}

const sentences = {
  record: {
    nothing: (host) => `There is no such TXT record of ${recordOf(host)}.`,
    other_text: (host) => `The TXT record of ${recordOf(host)} has another text.`,
    failed: (host) => `The name servers of the domain gave no answer about ${recordOf(host)}.`,
  },
  file: {
    nothing: (host) => `There is no such line in ${fileOf(host)}.`,
    other_text: (host) => `${fileOf(host)} has another text.`,
    failed: (host) =>
      `${fileOf(host)} could not be read: it needs status 200, a valid certificate, a public address and no redirect.`,
  },
} as const satisfies Record<ProofPlace, Record<WithoutProof, (host: DomainName) => string>>;

function whatWasFound(host: DomainName, { record, file }: MissingProof): string {
  return `${sentences.record[record](host)} ${sentences.file[file](host)}`;
}
