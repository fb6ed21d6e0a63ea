import type { DomainProofs } from '../../core/ports/domain-proofs.ts';
import type { UnprovenDomains } from '../../core/ports/unproven-domains.ts';

/** For products that need no proofs: nothing may be looked up. */
export const withoutProofs: { readonly proofs: DomainProofs; readonly unproven: UnprovenDomains } = {
  proofs: { textFor: notNeeded, find: notNeeded },
  unproven: { leastVerified: notNeeded },
};

function notNeeded(): never {
  throw new Error('Nothing must be looked up without a rule of the product.');
}
