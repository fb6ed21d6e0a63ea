import type { KeyRules } from '../marketplace/product-terms.ts';
import type { Instant } from '../ports/clock.ts';
import { isRefused } from '../refusal.ts';
import { hour } from '../time.ts';
import type { DomainName } from './domain-name.ts';
import {
  type Around,
  activateByKey,
  coolDownOf,
  type ProofLookup,
  unprovable,
  whatToPublish,
  whyNotTaken,
} from './domain-proof.ts';
import type { License } from './license.ts';
import { unprovenReasons, whyMissing } from './missing-proof.ts';

/** What stands between a domain and a slot of a license, by the product's rules about proofs and deactivations. */
export const obstacleCodes = [
  'slots_in_use',
  'slots_are_proven',
  ...unprovenReasons,
  'proof_not_looked_up',
  'domain_not_provable',
  'deactivation_cools_down',
  'deactivation_needs_proof',
  'only_holder_deactivates',
] as const;
export type ObstacleCode = (typeof obstacleCodes)[number];

/** Those that a proof removes. */
const ofProof: readonly (ObstacleCode | undefined)[] = [...unprovenReasons, 'proof_not_looked_up'];

/** One of them, and what helps. */
export interface Obstacle {
  readonly code: ObstacleCode;
  /** What was found when somebody looked. */
  readonly found?: string;
  readonly fix: string;
  /** Until when it lasts, if it ends by itself. */
  readonly until?: Instant;
}

/** Says what was found, and what helps. */
export function adviceOf({ found, fix }: Obstacle): string {
  return found === undefined ? fix : `${found} ${fix}`;
}

/**
 * Returns what keeps the license key from activating the license on a domain, the first thing to do first. Nothing without a rule of the product, and if
 * the license itself does not work. `lookup`: what was looked up, if that decides.
 */
export function obstaclesTo(
  license: License,
  around: Around,
  domain: DomainName,
  now: Instant,
  lookup?: ProofLookup,
): readonly Obstacle[] {
  const { domainProof, deactivation } = around.keyRules;
  if (domainProof === 'never' && deactivation === 'key') return [];
  const decided = activateByKey(license, around, domain, now, lookup);
  if (!isRefused(decided)) return [];
  switch (decided.reason) {
    case 'domain_not_proven':
      return [proofOf(domain, lookup)];
    case 'rate_limit_exceeded':
      return [...(isFull(license) ? [inUse(license, orProve)] : []), proofOf(domain, lookup)];
    case 'domain_limit_reached': {
      const policy = obstaclesOfPolicy(license, around.keyRules, now);
      if (domainProof !== 'to_take' || whyNotTaken(license, around.keyRules, now) !== undefined)
        return [inUse(license), ...policy];
      if (lookup?.proof === 'found') return [{ code: 'slots_are_proven', fix: noneToTake(license) }];
      return [inUse(license, orProve), proofOf(domain, lookup)];
    }
    case 'suspended':
    case 'revoked':
    case 'expired':
    case 'free_domain_limit_reached':
      return [];
  }
}

const orProve = ', or prove this domain: then it takes the place of one that is not proven';

const isFull = ({ domainsUsed, maxDomains }: License) => domainsUsed >= maxDomains;

function allOf({ maxDomains }: Pick<License, 'maxDomains'>): string {
  return maxDomains === 1 ? 'The only domain of the license is' : `All ${maxDomains} domains of the license are`;
}

function inUse(license: License, otherWay = ''): Obstacle {
  return { code: 'slots_in_use', fix: `${allOf(license)} in use: remove one or allow more${otherWay}.` };
}

function noneToTake(license: License): string {
  const all = allOf(license);
  return `The proof of the domain is there, but ${all[0]?.toLowerCase()}${all.slice(1)} proven too, so none can be replaced: remove one or allow more.`;
}

/** Whether each of the obstacles can be removed instead of the other: a free slot is enough, and so is a proof. */
export function isOneEnough(obstacles: readonly Obstacle[]): boolean {
  return obstacles.length > 1 && obstacles[0]?.code === 'slots_in_use' && ofProof.includes(obstacles[1]?.code);
}

/** `lookup` is missing if the domain is one that nobody can prove. */
function proofOf(domain: DomainName, lookup: ProofLookup | undefined): Obstacle {
  if (lookup === undefined) return { code: 'domain_not_provable', fix: unprovable(domain) };
  const toDo = `${whatToPublish(lookup)}, then activate the license again.`;
  if (lookup.proof === 'busy')
    return {
      code: 'proof_not_looked_up',
      found: 'Too many proofs are being looked up: ask again in some seconds.',
      fix: toDo,
    };
  const { reason, found } = whyMissing(lookup);
  return { code: reason, found, fix: toDo };
}

function obstaclesOfPolicy(
  license: License,
  { deactivation, coolDownHours }: KeyRules,
  now: Instant,
): readonly Obstacle[] {
  switch (deactivation) {
    case 'key':
      return [];
    case 'proof':
      return [
        {
          code: 'deactivation_needs_proof',
          fix: 'Whoever deactivates a domain with the license key must prove that domain. The buyer and the seller can remove one without that.',
        },
      ];
    case 'holder':
      return [
        {
          code: 'only_holder_deactivates',
          fix: 'The license key cannot deactivate a domain of this product: the buyer removes one on the page of the order, or the seller on the page of the license.',
        },
      ];
    case 'cool_down': {
      const { keyRemovalAt } = license;
      if (keyRemovalAt === undefined || coolDownOf(license, coolDownHours, now) === 0) return [];
      return [
        {
          code: 'deactivation_cools_down',
          fix: 'The license key has freed a slot a short time ago, and cannot free another one yet. The buyer and the seller can remove a domain at once.',
          until: keyRemovalAt + coolDownHours * hour,
        },
      ];
    }
  }
}
