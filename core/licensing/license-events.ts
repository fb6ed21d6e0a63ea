import { type By, type Event, event } from '../events/event.ts';
import type { Instant } from '../ports/clock.ts';
import type { LeftOut, Origin } from '../ports/license-imports.ts';
import type { NewLicense } from '../ports/license-store.ts';
import type { Decided } from './activations.ts';
import type { LicenseKey } from './license-key.ts';

interface Recorded
  extends Pick<
    NewLicense,
    'key' | 'standing' | 'maxDomains' | 'expiresAt' | 'daysFromActivation' | 'updatesUntil' | 'entitlements'
  > {
  /** The number of hosts on which it is activated already. */
  readonly domains?: number;
}

/** The events that put a host on a license, and the fact that names it. */
export const hostEvents: Readonly<Partial<Record<Event['type'], string>>> = {
  'license.activated': 'domain',
  'license.domain_moved': 'to',
};

/** The audit event for an import line that was left out. */
export function eventOfLeftOut({ line, key, why }: LeftOut, by: By, at: Instant): Event {
  return event('license.left_out', key, by, at, { line, why });
}

/** The audit events for new licenses. */
export const eventOfNew = {
  issued: (
    { key, maxDomains, expiresAt, daysFromActivation: days = null, updatesUntil = null, entitlements = [] },
    by,
    at,
  ) =>
    event('license.issued', key, by, at, {
      max_domains: maxDomains,
      expires_at: expiresAt,
      ...(days !== null && { days_from_activation: days }),
      ...(updatesUntil !== null && { updates_until: updatesUntil }),
      ...(entitlements.length > 0 && { entitlements: entitlements.join(' ') }),
    }),
  imported: ({ key, standing, domains = 0 }, by, at) =>
    event('license.imported', key, by, at, { standing, ...(domains > 0 && { domains }) }),
} as const satisfies Record<Origin, (license: Recorded, by: By, at: Instant) => Event>;

/** The audit event for a host that was activated before, and is proven now. */
export function eventOfProven(
  key: LicenseKey,
  { domain, provenAt }: NonNullable<Decided['prove']>,
  by: By,
  at: Instant,
): Event {
  return event('license.changed', key, by, at, { domain, proven_at: provenAt });
}

/** The audit event for a removed host. Hosts that ended with it are named in `also`. */
export function eventOfRemoved(key: LicenseKey, { domain, remove = [] }: Decided, by: By, at: Instant): Event {
  const also = remove.filter((one) => one !== domain).join(' ');
  return event('license.deactivated', key, by, at, { domain, ...(also !== '' && { also }) });
}
