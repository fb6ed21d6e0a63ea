import type { KeyRules } from '../marketplace/product-terms.ts';
import type { Instant } from '../ports/clock.ts';
import { type Refused, refuse } from '../refusal.ts';
import { validOf } from './activations.ts';
import type { DomainName } from './domain-name.ts';
import {
  type Around,
  isProvable,
  type KeyDecision,
  type ProofLookup,
  tooBusy,
  unprovable,
  usesProofs,
} from './domain-proof.ts';
import { kindOf, storedAs } from './hosts.ts';
import type { Activation, License } from './license.ts';
import { type UnprovenReason, whyMissing } from './missing-proof.ts';

/** Why a proof of a host is not noted. */
export type NotProven =
  | UnprovenReason
  | 'proof_not_needed'
  | 'domain_not_provable'
  | 'domain_already_proven'
  | 'rate_limit_exceeded';

/** Whether it makes a difference if somebody proves this host: it takes a slot, and is not proven yet. */
export function canBeProven(
  { domain, kind, provenAt }: Pick<Activation, 'domain' | 'kind' | 'provenAt'>,
  rules: KeyRules,
): boolean {
  return usesProofs(rules) && kind === 'slot' && provenAt === undefined && isProvable(domain);
}

/**
 * Notes that an activated host is proven, if the proof is published now. A host that is not activated stays so: that its proof is there is all that can be
 * said. The status of the license does not matter.
 */
export function prove(
  license: License,
  around: Around,
  domain: DomainName,
  now: Instant,
  lookup?: ProofLookup,
): KeyDecision | Refused<NotProven> {
  const [current] = validOf(around, domain, now);
  const host = storedAs(domain, around.hosts);
  const name = current?.domain ?? host;
  if (!usesProofs(around.keyRules) || (current?.kind ?? kindOf(host, around.hosts)) !== 'slot') {
    return refuse('proof_not_needed');
  }
  if (!isProvable(host)) return refuse('domain_not_provable', unprovable(host));
  if (current?.provenAt !== undefined) return refuse('domain_already_proven');
  if (lookup?.host !== host) return { license, domain: name, needs: { host, slot: false, isDecisive: true } };
  if (lookup.proof === 'busy') return tooBusy;
  if (lookup.proof === 'missing') {
    const { reason, found } = whyMissing(lookup);
    return refuse(reason, found);
  }
  return { license, domain: name, ...(current && { prove: { domain: name, provenAt: now } }) };
}
