import type { ProductId } from '../id.ts';
import type { Instant } from '../ports/clock.ts';
import { type Refused, refuse } from '../refusal.ts';
import type { DomainName } from './domain-name.ts';
import type { LicenseKey } from './license-key.ts';

/** The statuses that are stored. `expired` is derived from the time. */
export const standings = ['active', 'suspended', 'revoked'] as const;
export type Standing = (typeof standings)[number];

export const licenseStatuses = [...standings, 'expired'] as const;
export type LicenseStatus = (typeof licenseStatuses)[number];

/** The facts that decide whether a license is valid at a given time. */
export interface Validity {
  readonly standing: Standing;
  /** The license is expired from this instant on. `null` means perpetual. */
  readonly expiresAt: Instant | null;
}

export interface License extends Validity {
  readonly key: LicenseKey;
  readonly productId: ProductId;
  readonly maxDomains: number;
  readonly domainsUsed: number;
  readonly createdAt: Instant;
  /** The verifications of deactivated domains. They are kept so that the total never decreases. */
  readonly retired: Verifications;
}

export interface Verifications {
  readonly verificationCount: number;
  readonly lastVerifiedAt: Instant | null;
}

/** A domain that uses one of a license's slots. */
export interface Activation extends Verifications {
  readonly domain: DomainName;
  readonly activatedAt: Instant;
}

export const maxDomainsLimit = 1_000_000;

/** The maximum number of domains returned for a license (the newest), because a license can have a million. */
export const shownDomains = 100;

/** The statuses in which a license cannot be used. */
export type Inactive = Exclude<LicenseStatus, 'active'>;

/** Returns the status at a given time. Suspended and revoked take precedence over expired. */
export function statusOf(license: Validity, now: Instant): LicenseStatus {
  if (license.standing !== 'active') return license.standing;
  return license.expiresAt !== null && now >= license.expiresAt ? 'expired' : 'active';
}

/** Takes a slot for a domain. Changes nothing if the domain already has one. */
export function activate(
  license: License,
  current: Activation | undefined,
  domain: DomainName,
  now: Instant,
): { license: License; add?: Activation } | Refused<Inactive | 'domain_limit_reached'> {
  const status = statusOf(license, now);
  if (status !== 'active') return refuse(status);
  if (current !== undefined) return { license };
  if (license.domainsUsed >= license.maxDomains) return refuse('domain_limit_reached');
  return {
    license: { ...license, domainsUsed: license.domainsUsed + 1 },
    add: { domain, activatedAt: now, verificationCount: 0, lastVerifiedAt: null },
  };
}

/**
 * Frees a domain's slot. This is allowed in every license status. The domain's verifications remain in the license's
 * total.
 */
export function deactivate(
  license: License,
  current: Activation | undefined,
): { license: License; remove: DomainName } | Refused<'domain_not_found'> {
  if (current === undefined) return refuse('domain_not_found');
  return {
    license: { ...license, domainsUsed: license.domainsUsed - 1, retired: total(license, [current]) },
    remove: current.domain,
  };
}

/** Adds up a license's verifications: those of the given domains, and those of deactivated ones. */
export function total(license: Pick<License, 'retired'>, domains: readonly Verifications[]): Verifications {
  return [license.retired, ...domains].reduce((sum, one) => ({
    verificationCount: sum.verificationCount + one.verificationCount,
    lastVerifiedAt: later(sum.lastVerifiedAt, one.lastVerifiedAt),
  }));
}

export type Verdict =
  | { readonly kind: 'valid'; readonly expiresAt: Instant | null; readonly at: Instant }
  | Refused<'invalid_key' | 'invalid_domain' | Inactive>;

/** Decides whether a license is valid for a domain now. Only a `valid` verdict counts as a verification. */
export function verify(license: Validity | undefined, isActivated: boolean, now: Instant): Verdict {
  if (license === undefined) return refuse('invalid_key');
  const status = statusOf(license, now);
  if (status !== 'active') return refuse(status);
  if (!isActivated) return refuse('invalid_domain');
  return { kind: 'valid', expiresAt: license.expiresAt, at: now };
}

/** The transitions that change only the standing. */
export const plainTransitions = ['suspend', 'reinstate', 'revoke'] as const;
export type PlainTransition = (typeof plainTransitions)[number];

export type Transition = PlainTransition | 'renew';

/** The new status for each transition and status. `undefined` means that the transition is not allowed. */
export const transitions = {
  suspend: { active: 'suspended', suspended: undefined, expired: undefined, revoked: undefined },
  reinstate: { active: undefined, suspended: 'active', expired: undefined, revoked: undefined },
  revoke: { active: 'revoked', suspended: 'revoked', expired: 'revoked', revoked: undefined },
  renew: { active: 'active', suspended: undefined, expired: 'active', revoked: undefined },
} as const satisfies Record<Transition, Record<LicenseStatus, Standing | undefined>>;

/** Returns the license after a transition. To renew a license, call `renew`, which also changes the expiry. */
export function transit(
  license: License,
  transition: Transition,
  now: Instant,
): License | Refused<'transition_not_allowed'> {
  const status = statusOf(license, now);
  const standing = transitions[transition][status];
  if (standing === undefined) {
    return refuse('transition_not_allowed', `Cannot ${transition} a license that is ${status}.`);
  }
  return { ...license, standing };
}

/** Renews a license with a later expiry, or with none (`null`). */
export function renew(
  license: License,
  expiresAt: Instant | null,
  now: Instant,
): License | Refused<'transition_not_allowed' | 'expiry_not_later'> {
  const renewed = transit(license, 'renew', now);
  if ('kind' in renewed) return renewed;
  if (expiresAt !== null && (expiresAt <= now || license.expiresAt === null || expiresAt <= license.expiresAt)) {
    return refuse('expiry_not_later', 'The new expiry must be in the future and later than the current one.');
  }
  return { ...renewed, expiresAt };
}

function later(one: Instant | null, other: Instant | null): Instant | null {
  return one === null || (other !== null && other > one) ? other : one;
}
