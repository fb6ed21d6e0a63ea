import type { HostRules } from '../marketplace/product-terms.ts';
import type { Instant } from '../ports/clock.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import type { DomainName } from './domain-name.ts';
import { started } from './ends.ts';
import { type HostKind, kindOf, storedAs, twinOf } from './hosts.ts';
import { type Activation, type Inactive, isValidAt, type License, statusOf, total } from './license.ts';

/** The most hosts that take no slot on which a license can be activated. */
export const freeDomainsLimit = 20;

/** The data that decisions about the hosts of a license need besides the license. */
export interface Surroundings {
  readonly hosts: HostRules;
  /** The activations of the named hosts, of their twins, and of those that were moved to one of these. */
  readonly activations: ReadonlyMap<DomainName, Activation>;
}

/** The changed activations of a license. They are removed first, then changed, then added. */
export interface ChangedActivations {
  readonly remove?: readonly DomainName[];
  readonly end?: Pick<Activation, 'domain' | 'endsAt' | 'movedTo'>;
  readonly prove?: Required<Pick<Activation, 'domain' | 'provenAt'>>;
  readonly add?: Activation;
}

/** A decision about a host. `domain` is the name under which the host is or was activated. */
export interface Decided extends ChangedActivations {
  readonly license: License;
  readonly domain: DomainName;
}

type Full = 'domain_limit_reached' | 'free_domain_limit_reached';

/**
 * Activates a license on a host. Changes nothing if it already is, also while the host is being moved away. `LicenseStore.change`
 * decides about a license one call after the other, so that the limit of domains holds in all processes.
 */
export function activate(
  license: License,
  around: Surroundings,
  domain: DomainName,
  now: Instant,
): Decided | Refused<Inactive | Full> {
  const status = statusOf(license, now);
  if (status !== 'active') return refuse(status);
  const [current] = validOf(around, domain, now);
  if (current) return { license, domain: current.domain };
  const ended = rowsOf(around, domain);
  const name = storedAs(domain, around.hosts);
  const added = newActivation(around, name, now);
  const after = withActivation(without(license, ended), added.kind, now);
  if (isRefused(after)) return after;
  return { license: after, domain: name, ...removing(ended), add: added };
}

/**
 * Deactivates a license on a host. This is allowed in every license status. A host that is being moved to it ends too.
 * Their verifications remain in the license's total.
 */
export function deactivate(
  license: License,
  around: Surroundings,
  domain: DomainName,
  now: Instant,
): Decided | Refused<'domain_not_found'> {
  const current = validOf(around, domain, now);
  const [first] = current;
  if (first === undefined) return refuse('domain_not_found');
  const gone = [...new Set([...current, ...current.flatMap((one) => movedTo(around, one))])];
  return { license: without(license, gone), domain: first.domain, ...removing(gone) };
}

/** Returns the activations of a host: its own and, if they are one domain, that of its twin. */
export function rowsOf({ hosts, activations }: Surroundings, domain: DomainName): Activation[] {
  const twin = hosts.wwwIsApex ? twinOf(domain) : undefined;
  return [domain, twin].flatMap((name) => (name && activations.get(name)) ?? []);
}

/** Returns the activations of a host that are valid now. Those that are not being moved away come first. */
export function validOf(around: Surroundings, domain: DomainName, now: Instant): Activation[] {
  const valid = rowsOf(around, domain).filter((one) => isValidAt(one, now));
  return valid.toSorted((one, other) => Number(one.endsAt !== null) - Number(other.endsAt !== null));
}

/** Returns the host that is being moved to this one, or none. */
export function movedTo({ activations }: Surroundings, { domain, movedFrom }: Activation): Activation[] {
  const from = movedFrom === null ? undefined : activations.get(movedFrom);
  return from?.movedTo === domain ? [from] : [];
}

/** Returns the activation of a host that begins now. */
export function newActivation({ hosts }: Surroundings, domain: DomainName, now: Instant): Activation {
  return {
    domain,
    activatedAt: now,
    kind: kindOf(domain, hosts),
    endsAt: null,
    movedTo: null,
    movedFrom: null,
    verificationCount: 0,
    lastVerifiedAt: null,
  };
}

/**
 * Returns the license after one more activation. The first one that takes a slot starts the days of the license.
 * `LicenseStore.change` runs it alone for a license, so the limit holds for calls at the same time.
 */
export function withActivation(license: License, kind: HostKind, now: Instant): License | Refused<Full> {
  if (kind !== 'slot') {
    if (license.freeDomains >= freeDomainsLimit) return refuse('free_domain_limit_reached');
    return { ...license, freeDomains: license.freeDomains + 1 };
  }
  if (license.domainsUsed >= license.maxDomains) return refuse('domain_limit_reached');
  return { ...started(license, now), domainsUsed: license.domainsUsed + 1 };
}

/** Returns the license without the slots of these activations. The activations themselves may end later. */
export function released(license: License, activations: readonly Activation[]): License {
  const lasting = activations.filter(({ endsAt }) => endsAt === null);
  const slots = lasting.filter(({ kind }) => kind === 'slot').length;
  return {
    ...license,
    domainsUsed: license.domainsUsed - slots,
    freeDomains: license.freeDomains - (lasting.length - slots),
  };
}

/** Returns the license without these activations. Their verifications remain in its total. */
export function without(license: License, gone: readonly Activation[]): License {
  return { ...released(license, gone), retired: total(license, gone) };
}

/**
 * Removes the newest hosts for which a license has no slot any more. `newest`: hosts that take a slot, the newest first, at
 * least as many as are too many. `undefined`: it has a slot for each.
 */
export function withinSlots(license: License, newest: readonly Activation[]): Decided | undefined {
  const gone = newest.slice(0, Math.max(0, license.domainsUsed - license.maxDomains));
  const [first] = gone;
  return first && { license: without(license, gone), domain: first.domain, ...removing(gone) };
}

/** Returns the part of a change that removes these activations. */
export function removing(gone: readonly Activation[]): Pick<ChangedActivations, 'remove'> {
  return gone.length === 0 ? {} : { remove: gone.map(({ domain }) => domain) };
}
