import type { ProductId, UserId } from '../id.ts';
import type { Instant } from '../ports/clock.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import type { DomainName } from './domain-name.ts';
import { endingAt } from './ends.ts';
import type { ForcedAnswer } from './forced.ts';
import type { HostKind } from './hosts.ts';
import type { LicenseKey } from './license-key.ts';

/** What people or a payment decided. `expired` is no standing: it follows from the time. */
export const standings = ['active', 'suspended', 'revoked'] as const;
export type Standing = (typeof standings)[number];

export const licenseStatuses = [...standings, 'expired'] as const;
export type LicenseStatus = (typeof licenseStatuses)[number];

/** What a license lets its holder do besides running. */
export interface Rights {
  /** It may fetch the releases made until then. `null` means all. */
  readonly updatesUntil: Instant | null;
  /** Short codes of the seller, each once, in alphabetical order. What they mean is up to the sold software. */
  readonly entitlements: readonly string[];
}

/** The facts that decide whether a license is valid at a given time. */
export interface Validity {
  readonly standing: Standing;
  /** The license is expired from this instant on. `null` means perpetual. */
  readonly expiresAt: Instant | null;
}

/** The clock of a test license. */
export interface TestClock {
  /** By how many milliseconds it was advanced in all. All times of the license were moved back by them. */
  readonly ahead: number;
  /** What the license API answers, while the license is neither suspended nor revoked. */
  readonly forced: ForcedAnswer | null;
}

export interface License extends Validity, Rights {
  readonly key: LicenseKey;
  readonly productId: ProductId;
  /** The owner of the product. `null` for the operator's own products. */
  readonly ownerId: UserId | null;
  /** Whether the product is live. A test license works like a live one. */
  readonly isLive: boolean;
  readonly maxDomains: number;
  /** The slots that are used. */
  readonly domainsUsed: number;
  /** The number of its hosts that take no slot. Hosts that are being moved away are not counted. */
  readonly freeDomains: number;
  /** Only before the first activation of a license that starts with it: its days. Its expiry is `null` until then. */
  readonly daysFromActivation: number | null;
  readonly moves: Moves;
  /** The last time that a domain was deactivated with the key, if the product has a `cool_down` for that. */
  readonly keyRemovalAt?: Instant;
  /** Set while a refund or a dispute stops the license: the standing that it gets back afterwards. Otherwise `null`. */
  readonly ownStanding: Standing | null;
  readonly createdAt: Instant;
  /** Only of a test license whose clock was set. */
  readonly testClock?: TestClock;
  /** The verifications of deactivated domains, and those that named no domain. They are kept so that the total never decreases. */
  readonly retired: Verifications;
}

/** The facts of a license that was never activated. */
export const neverActivated = {
  domainsUsed: 0,
  freeDomains: 0,
  daysFromActivation: null,
  updatesUntil: null,
  entitlements: [],
  moves: { month: null, made: 0 },
  ownStanding: null,
  retired: { verificationCount: 0, lastVerifiedAt: null },
} as const satisfies Partial<License>;

export interface Verifications {
  readonly verificationCount: number;
  readonly lastVerifiedAt: Instant | null;
}

/** The moves of a license in its last month with moves. */
export interface Moves {
  /** The month in UTC, such as `2026-11`. `null` if there was no move yet. */
  readonly month: string | null;
  readonly made: number;
}

/** A host on which a license is activated. */
export interface Activation extends Verifications {
  readonly domain: DomainName;
  readonly activatedAt: Instant;
  /** Decided when the host is activated. It never changes. */
  readonly kind: HostKind;
  /** If the host is being moved, it is valid until this instant, and takes no slot. `null` otherwise. */
  readonly endsAt: Instant | null;
  /** The host to which it is being moved. */
  readonly movedTo: DomainName | null;
  /** The host that was moved to this one. That host may be gone, or activated again, since then. */
  readonly movedFrom: DomainName | null;
  /** When somebody proved to control the host. Absent if nobody has. */
  readonly provenAt?: Instant;
}

/** The maximum number of domains returned for a license (the newest), because a license can have a million. */
export const shownDomains = 100;

/** The statuses in which a license cannot be used. */
export type Inactive = Exclude<LicenseStatus, 'active'>;

/** Returns the status at a given time. Suspended and revoked take precedence over expired. */
export function statusOf(license: Validity, now: Instant): LicenseStatus {
  if (license.standing !== 'active') return license.standing;
  return hasEnded(license, now) ? 'expired' : 'active';
}

/** Returns the status that the license would have without the effect of its payment. Transitions depend on it. */
export function ownStatusOf(license: License, now: Instant): LicenseStatus {
  return statusOf({ ...license, standing: license.ownStanding ?? license.standing }, now);
}

/** Whether the license's time is over, also if it is suspended or revoked. */
export function hasEnded({ expiresAt }: Pick<Validity, 'expiresAt'>, now: Instant): boolean {
  return expiresAt !== null && now >= expiresAt;
}

/** Whether a host is activated at a given time. The row of a host that has ended stays until a job removes it. */
export function isValidAt({ endsAt }: Pick<Activation, 'endsAt'>, now: Instant): boolean {
  return endsAt === null || now < endsAt;
}

/** Adds up a license's verifications: those of the given domains, and those of deactivated ones. */
export function total(license: Pick<License, 'retired'>, domains: readonly Verifications[]): Verifications {
  return [license.retired, ...domains].reduce((sum, one) => ({
    verificationCount: sum.verificationCount + one.verificationCount,
    lastVerifiedAt: later(sum.lastVerifiedAt, one.lastVerifiedAt),
  }));
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

/**
 * Returns the license after a transition. To renew a license, call `renew`, which also changes the expiry. While a
 * payment stops the license, this only changes what people decided.
 */
export function transit(
  license: License,
  transition: Transition,
  now: Instant,
): License | Refused<'transition_not_allowed'> {
  const status = ownStatusOf(license, now);
  const standing = transitions[transition][status];
  if (standing !== undefined) return withStanding(license, standing);
  return refuse(
    'transition_not_allowed',
    license.ownStanding === null
      ? `Cannot ${transition} a license that is ${status}.`
      : `Cannot ${transition} this license: its payment is disputed, refunded or taken back. Without that, it would be ${status}.`,
  );
}

function withStanding(license: License, own: Standing): License {
  if (license.ownStanding === null) return { ...license, standing: own };
  return { ...license, ownStanding: own, standing: worse(own, withheldTo(license, license.ownStanding)) };
}

/** The standings that a payment can give to a license. */
export type Withheld = Exclude<Standing, 'active'>;

/**
 * Returns the license after its payment stops it. The result is the worse of both: what the payment says, and what people
 * decided. `null`: the payment stops it no longer, so it is as people decided.
 */
export function withhold<T extends Pick<License, 'standing' | 'ownStanding'>>(license: T, to: Withheld | null): T {
  const own = license.ownStanding ?? license.standing;
  if (to === null) return { ...license, standing: own, ownStanding: null };
  return { ...license, standing: worse(own, to), ownStanding: own };
}

/** A payment only makes a standing worse. So if the standing is not what people decided, it is what the payment says. */
function withheldTo({ standing }: License, own: Standing): Withheld {
  return standing === 'revoked' && own !== 'revoked' ? 'revoked' : 'suspended';
}

function worse(one: Standing, other: Standing): Standing {
  return standings.indexOf(one) > standings.indexOf(other) ? one : other;
}

/** Renews a license with a later expiry, or with none (`null`). If it has not started, it gets any expiry. */
export function renew(
  license: License,
  expiresAt: Instant | null,
  now: Instant,
): License | Refused<'transition_not_allowed' | 'expiry_not_later'> {
  const renewed = transit(license, 'renew', now);
  if (isRefused(renewed)) return renewed;
  const isLater =
    license.daysFromActivation !== null || (license.expiresAt !== null && (expiresAt ?? 0) > license.expiresAt);
  if (expiresAt !== null && (expiresAt <= now || !isLater)) {
    return refuse('expiry_not_later', 'The new expiry must be in the future and later than the current one.');
  }
  return endingAt(renewed, expiresAt);
}

/** Sets the number of domains. It cannot be less than the number of domains that are activated. */
export function limitDomains(license: License, maxDomains: number): License | Refused<'domains_in_use'> {
  if (maxDomains >= license.domainsUsed) return { ...license, maxDomains };
  return refuse(
    'domains_in_use',
    `The license is activated on ${license.domainsUsed} domains. Remove domains before you set a lower number.`,
  );
}

function later(one: Instant | null, other: Instant | null): Instant | null {
  return one === null || (other !== null && other > one) ? other : one;
}
