import type { KeyRules } from '../marketplace/product-terms.ts';
import type { Instant } from '../ports/clock.ts';
import type { MissingProof } from '../ports/domain-proofs.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { hour } from '../time.ts';
import { activate, type Decided, deactivate, movedTo, type Surroundings, validOf, without } from './activations.ts';
import type { DomainName } from './domain-name.ts';
import { isLocalHost, kindOf, storedAs } from './hosts.ts';
import { isInstance } from './instance.ts';
import type { Activation, Inactive, License } from './license.ts';

/** Why a key alone is not enough to change a domain. Activations know the first and the last one. */
export const keyNotEnough = [
  'domain_not_proven',
  'deactivation_not_allowed',
  'deactivation_too_soon',
  'rate_limit_exceeded',
] as const;
export type KeyNotEnough = (typeof keyNotEnough)[number];

/** Why a host is not activated. */
export type NotActivated =
  | Inactive
  | 'domain_limit_reached'
  | 'free_domain_limit_reached'
  | Extract<KeyNotEnough, 'domain_not_proven' | 'rate_limit_exceeded'>;

/** Why a host is not deactivated. */
export type NotDeactivated = 'domain_not_found' | KeyNotEnough;

/** What a lookup has found about the host that a decision is about. */
export interface ProofLookup {
  /** The host that was looked up. */
  readonly host: DomainName;
  /** `busy`: too many lookups ran to look. */
  readonly proof: 'found' | 'missing' | 'busy';
  /** What proves the host. */
  readonly text: string;
  /** What was there instead of the text, if it was looked up now. */
  readonly instead?: MissingProof;
  /** The host whose slot it may take. */
  readonly taken?: DomainName | undefined;
}

/** What must be found out before a decision can be made. It changes nothing. */
export interface Needing extends Decided {
  /** `isDecisive`: the change is refused without the proof. If not, it is made anyway, and a proof is only noted. */
  readonly needs: { readonly host: DomainName; readonly slot: boolean; readonly isDecisive: boolean };
}

/** A decision about a host that the caller may prove. `how`: how to prove a host that is not proven. */
export type KeyDecision = (Decided & { readonly needs?: undefined; readonly how?: string }) | Needing;

export type Around = Surroundings & { readonly keyRules: KeyRules };

const address = /^\[|^[\d.]+$/;

/** Whether a host has a name of which the whole world can ask: no address, no host of a developer, and no instance of a client. */
export function isProvable(host: DomainName): boolean {
  return host.includes('.') && !isInstance(host) && !isLocalHost(host) && !address.test(host);
}

/** The name of the TXT record with the proof of a host. */
export function recordOf(host: DomainName): string {
  return `_latchkey.${host}`;
}

/** The path of the file with the proof of a host. */
export const proofPath = '/.well-known/latchkey.txt';

/** The address of the file with the proof of a host. */
export function fileOf(host: DomainName): string {
  return `https://${host}${proofPath}`;
}

/** Says what has to be published to prove a host. It is the beginning of a sentence. */
export function whatToPublish({ host, text }: Pick<ProofLookup, 'host' | 'text'>): string {
  return `To prove the domain, publish the text ${text} as a TXT record of ${recordOf(host)} or as a line of ${fileOf(host)}`;
}

/** Says how to prove a host, to somebody who calls the license API. */
const howToProve = (lookup: ProofLookup) => `${whatToPublish(lookup)}, then call again.`;

export const unprovable = (host: DomainName) => `${host} cannot be proven: only names of public hosts can.`;

/** Whether a proof of a domain makes a difference for licenses of a product. */
export function usesProofs({ domainProof, deactivation }: KeyRules): boolean {
  return domainProof !== 'never' || deactivation === 'proof';
}

/**
 * Activates a license on a host for somebody who has nothing but its key, as `activate`, if the policy of the product allows it. Without `lookup`, the decision may say what it needs to
 * know. A host that takes no slot needs no proof.
 */
export function activateByKey(
  license: License,
  around: Around,
  domain: DomainName,
  now: Instant,
  lookup?: ProofLookup,
): KeyDecision | Refused<NotActivated> {
  const plain = activate(license, around, domain, now);
  const { domainProof } = around.keyRules;
  if (domainProof === 'never') return plain;
  const host = storedAs(domain, around.hosts);
  const isFull = isRefused(plain) && plain.reason === 'domain_limit_reached';
  if (isRefused(plain) && !isFull) return plain;
  if (isFull && domainProof === 'always') return plain;
  // Taking a slot removes a domain: so the same policy holds.
  const why = isFull ? whyNotTaken(license, around.keyRules, now) : undefined;
  if (why !== undefined) return refuse('domain_limit_reached', `${full} ${why}`);
  const [current] = validOf(around, domain, now);
  const kind = current?.kind ?? kindOf(host, around.hosts);
  if (kind !== 'slot' || current?.provenAt !== undefined) return plain;
  const mustProve = domainProof === 'always' && current === undefined;
  if (!isProvable(host)) return mustProve ? refuse('domain_not_proven', unprovable(host)) : plain;
  // The first decision may not have known it: the license has become full since then, or the rules of hosts have changed.
  if (lookup?.host !== host || (isFull && lookup.proof === 'found' && !('taken' in lookup))) {
    return { license, domain: current?.domain ?? host, needs: { host, slot: isFull, isDecisive: isFull || mustProve } };
  }
  if (lookup.proof === 'found') {
    if (isRefused(plain)) {
      const decided = instead(license, around, domain, now, lookup.taken);
      // Another call has taken that slot. There may be one more.
      const again = { license, domain: host, needs: { host, slot: true, isDecisive: true } };
      return decided ?? (lookup.taken === undefined ? plain : again);
    }
    if (plain.add) return { ...plain, add: { ...plain.add, provenAt: now } };
    return { ...plain, prove: { domain: plain.domain, provenAt: now } };
  }
  if (lookup.proof === 'busy' && (isFull || mustProve)) return tooBusy;
  if (mustProve) return refuse('domain_not_proven', howToProve(lookup));
  if (isRefused(plain))
    return refuse(
      'domain_limit_reached',
      `${full} A proven domain takes the slot of one that is not. ${howToProve(lookup)}`,
    );
  return { ...plain, how: howToProve(lookup) };
}

/** Says why no domain may be replaced now, if the key alone could not deactivate it. */
export function whyNotTaken(
  license: License,
  { deactivation, coolDownHours }: KeyRules,
  now: Instant,
): string | undefined {
  switch (deactivation) {
    case 'key':
      return undefined;
    case 'holder':
    case 'proof':
      return `No domain is replaced, because the license key alone cannot deactivate a domain of this product. ${byHolder}`;
    case 'cool_down': {
      const wait = coolDownOf(license, coolDownHours, now);
      return wait > 0
        ? `One domain can be replaced or deactivated in ${spanOf(coolDownHours)}. Try again in ${wait} seconds.`
        : undefined;
    }
  }
}

/** Returns the seconds for which the key cannot remove a domain. */
export function coolDownOf({ keyRemovalAt }: License, hours: number, now: Instant): number {
  return keyRemovalAt === undefined ? 0 : Math.max(0, Math.ceil((keyRemovalAt + hours * hour - now) / 1000));
}

const spanOf = (hours: number) => (hours === 1 ? 'an hour' : `${hours} hours`);

const full = 'The license is already activated on its maximum number of domains.';
export const tooBusy = refuse(
  'rate_limit_exceeded',
  'Too many proofs are being looked up. Try again in some seconds.',
  {
    retry_after: 5,
  },
);

/** Gives a proven host the slot of another one. `undefined`: that one has been proven or is gone. */
function instead(
  license: License,
  around: Around,
  domain: DomainName,
  now: Instant,
  taken: DomainName | undefined,
): Decided | undefined {
  const one = taken === undefined ? undefined : around.activations.get(taken);
  if (one === undefined || one.provenAt !== undefined || one.kind !== 'slot' || one.endsAt !== null) return undefined;
  const gone: readonly Activation[] = [one, ...movedTo(around, one)];
  const names = new Set(gone.map((each) => each.domain));
  const left = new Map([...around.activations].filter(([name]) => !names.has(name)));
  const decided = activate(without(license, gone), { ...around, activations: left }, domain, now);
  if (isRefused(decided) || decided.add === undefined) return undefined;
  const isCounted = around.keyRules.deactivation === 'cool_down';
  return {
    ...decided,
    license: isCounted ? { ...decided.license, keyRemovalAt: now } : decided.license,
    remove: [...names, ...(decided.remove ?? [])],
    add: { ...decided.add, provenAt: now },
  };
}

/**
 * Deactivates a license on a host for somebody who has nothing but its key, as `deactivate`, if the policy of the product allows it. With a cool-down, a proven
 * domain also needs a proof, and hosts that take no slot are free.
 */
export function deactivateByKey(
  license: License,
  around: Around,
  domain: DomainName,
  now: Instant,
  lookup?: ProofLookup,
): KeyDecision | Refused<NotDeactivated> {
  const plain = deactivate(license, around, domain, now);
  if (isRefused(plain)) return plain;
  const { deactivation, coolDownHours } = around.keyRules;
  const gone = (plain.remove ?? []).flatMap((name) => around.activations.get(name) ?? []);
  const host = storedAs(domain, around.hosts);
  const needingProof = (proven: Decided) => {
    if (!isProvable(host)) return refuse('domain_not_proven', `${unprovable(host)} ${byHolder}`);
    if (lookup?.host !== host) {
      return { license, domain: plain.domain, needs: { host, slot: false, isDecisive: true } };
    }
    if (lookup.proof === 'found') return proven;
    return lookup.proof === 'busy' ? tooBusy : refuse('domain_not_proven', howToProve(lookup));
  };
  switch (deactivation) {
    case 'key':
      return plain;
    case 'holder':
      return refuse(
        'deactivation_not_allowed',
        `The license key cannot deactivate a domain of this product. ${byHolder}`,
      );
    case 'cool_down': {
      // Anybody can add hosts that take no slot. Those must not use up what the owner of a domain may need.
      if (!gone.some(({ kind }) => kind === 'slot')) return plain;
      const wait = coolDownOf(license, coolDownHours, now);
      if (wait > 0) {
        const detail = `The license key can deactivate one domain in ${spanOf(coolDownHours)}. Try again in ${wait} seconds. ${byHolder}`;
        return refuse('deactivation_too_soon', detail, { retry_after: wait });
      }
      const counted = { ...plain, license: { ...plain.license, keyRemovalAt: now } };
      return gone.some(({ provenAt }) => provenAt !== undefined) ? needingProof(counted) : counted;
    }
    case 'proof':
      return needingProof(plain);
  }
}

const byHolder = 'The buyer can, on the page of the order, and the seller can.';
