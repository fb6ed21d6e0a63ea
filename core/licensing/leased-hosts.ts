import type { Allowance, RateLimiter } from '../ports/rate-limiter.ts';
import { inSeconds } from '../time.ts';
import type { DomainName } from './domain-name.ts';
import type { LicenseKey } from './license-key.ts';

/** The life of the leases of hosts beyond those that a license may reasonably have. */
const shortLeaseHours = 1;

/** How long several first leases of a host count as at once. */
const atOnce: readonly Allowance[] = [{ limit: 1, seconds: inSeconds.minute }];

/** A host that is about to get a lease. */
interface LeasedHost {
  readonly key: LicenseKey;
  readonly domain: DomainName;
  readonly maxDomains: number;
  /** The life of the leases of the product. */
  readonly hours: number;
}

/** How many hosts of a license get leases of the whole life within one life: all slots twice, for moves, and some without a slot. */
function mostLeasedHosts({ maxDomains }: Pick<LeasedHost, 'maxDomains'>): number {
  return 2 * maxDomains + 3;
}

/**
 * Returns for how many hours a new lease of a host is valid. A lease outlives the slot of its host. So without a limit, one slot would be enough
 * for any number of sites: activate one, fetch its lease, deactivate it.
 */
export async function hoursOf(
  { key, domain, maxDomains, hours }: LeasedHost,
  { count }: Pick<RateLimiter, 'count'>,
): Promise<number> {
  if (hours <= shortLeaseHours) return hours;
  const inLife = (limit: number) => [{ limit, seconds: hours * inSeconds.hour }];
  const host = JSON.stringify([key, domain]);
  const known = `lease:host:${host}`;
  if (!(await count(known, inLife(1), { peek: true })).allowed) return hours;
  // Of several first leases at once, also in several processes, one counts the host.
  const { allowed: counts } = await count(`lease:first:${host}`, atOnce);
  const ofLicense = inLife(mostLeasedHosts({ maxDomains }));
  const { allowed } = await count(`lease:license:${key}`, ofLicense, { peek: !counts });
  if (!allowed) return shortLeaseHours;
  if (counts) await count(known, inLife(1));
  return hours;
}
