import type { ProductId } from '../id.ts';
import type { Instant } from '../ports/clock.ts';
import { type Refused, refuse } from '../refusal.ts';
import type { DomainName } from './domain-name.ts';
import type { LicenseKey } from './license-key.ts';

/** What is stored of a status: `expired` is read off the clock. */
export const standings = ['active', 'suspended', 'revoked'] as const;
export type Standing = (typeof standings)[number];

export const licenseStatuses = [...standings, 'expired'] as const;
export type LicenseStatus = (typeof licenseStatuses)[number];

/** The facts that decide whether a license is good at some time. */
export interface Validity {
  readonly standing: Standing;
  /** The first instant at which it is expired; `null` is perpetual. */
  readonly expiresAt: Instant | null;
}

export interface License extends Validity {
  readonly key: LicenseKey;
  readonly productId: ProductId;
  readonly maxDomains: number;
  readonly domainsUsed: number;
  readonly createdAt: Instant;
  /** What the domains that were deactivated had been verified: kept, so that a total never falls. */
  readonly retired: Verifications;
}

export interface Verifications {
  readonly verificationCount: number;
  readonly lastVerifiedAt: Instant | null;
}

/** A domain that holds one of a license's slots. */
export interface Activation extends Verifications {
  readonly domain: DomainName;
  readonly activatedAt: Instant;
}

export const maxDomainsLimit = 1_000_000;

/** How many of a license's domains are told at once: the newest. There may be a million. */
export const shownDomains = 100;

/** The statuses in which a license is good for nothing. */
export type Inactive = Exclude<LicenseStatus, 'active'>;

/** The status at a time. Suspended and revoked outrank expired. */
export function statusOf(license: Validity, now: Instant): LicenseStatus {
  if (license.standing !== 'active') return license.standing;
  return license.expiresAt !== null && now >= license.expiresAt ? 'expired' : 'active';
}

/** What an activation makes of a license: a new slot taken, or nothing, where the domain has one already. */
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

/** Frees a domain's slot, in every status; its verifications go on counting for the license. */
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

/** A license's verifications: of its domains, and of those it once had. */
export function total(license: Pick<License, 'retired'>, domains: readonly Verifications[]): Verifications {
  return [license.retired, ...domains].reduce((sum, one) => ({
    verificationCount: sum.verificationCount + one.verificationCount,
    lastVerifiedAt: later(sum.lastVerifiedAt, one.lastVerifiedAt),
  }));
}

export type Verdict =
  | { readonly kind: 'valid'; readonly expiresAt: Instant | null; readonly at: Instant }
  | Refused<'invalid_key' | 'invalid_domain' | Inactive>;

/** Whether a license is good for a domain now. Only a `valid` verdict counts as a verification. */
export function verify(license: Validity | undefined, isActivated: boolean, now: Instant): Verdict {
  if (license === undefined) return refuse('invalid_key');
  const status = statusOf(license, now);
  if (status !== 'active') return refuse(status);
  if (!isActivated) return refuse('invalid_domain');
  return { kind: 'valid', expiresAt: license.expiresAt, at: now };
}

export type Transition = 'suspend' | 'reinstate' | 'revoke' | 'renew';

/** From which status each transition leads where; an empty cell is not allowed. */
export const transitions = {
  suspend: { active: 'suspended', suspended: undefined, expired: undefined, revoked: undefined },
  reinstate: { active: undefined, suspended: 'active', expired: undefined, revoked: undefined },
  revoke: { active: 'revoked', suspended: 'revoked', expired: 'revoked', revoked: undefined },
  renew: { active: 'active', suspended: undefined, expired: 'active', revoked: undefined },
} as const satisfies Record<Transition, Record<LicenseStatus, Standing | undefined>>;

/** The license after a transition; `renew` goes by its own rule for the time, in `renew`. */
export function transit(
  license: License,
  transition: Transition,
  now: Instant,
): License | Refused<'transition_not_allowed'> {
  const status = statusOf(license, now);
  const standing = transitions[transition][status];
  if (standing === undefined) {
    return refuse('transition_not_allowed', `A license that is ${status} cannot be changed by ${transition}.`);
  }
  return { ...license, standing };
}

/** The license with a later end, or with none (`null`). */
export function renew(
  license: License,
  expiresAt: Instant | null,
  now: Instant,
): License | Refused<'transition_not_allowed' | 'expiry_not_later'> {
  const renewed = transit(license, 'renew', now);
  if ('kind' in renewed) return renewed;
  if (expiresAt !== null && (expiresAt <= now || license.expiresAt === null || expiresAt <= license.expiresAt)) {
    return refuse('expiry_not_later', 'The new expiry must lie in the future and after the present one.');
  }
  return { ...renewed, expiresAt };
}

function later(one: Instant | null, other: Instant | null): Instant | null {
  return one === null || (other !== null && other > one) ? other : one;
}
