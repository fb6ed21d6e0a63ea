import type { Instant } from '../ports/clock.ts';
import type { HostHistory } from '../ports/host-history.ts';
import { hour } from '../time.ts';
import type { DomainName } from './domain-name.ts';
import { twinOf } from './hosts.ts';
import { isInstance } from './instance.ts';
import type { LicenseKey } from './license-key.ts';

/** The life of the leases of hosts beyond those that a license may reasonably have. */
const shortLeaseHours = 1;

/** Licenses for more hosts are not limited: their history would be long to read. */
const mostSlots = 1_000;

/** A host that is about to get a lease. */
interface LeasedHost {
  readonly key: LicenseKey;
  readonly domain: DomainName;
  readonly maxDomains: number;
  /** The life of the leases of the product. */
  readonly hours: number;
}

/** How many hosts that were activated within one life get leases of the whole life: all slots twice, for moves, and some without a slot. */
function mostLeasedHosts({ maxDomains }: Pick<LeasedHost, 'maxDomains'>): number {
  return 2 * maxDomains + 3;
}

/** How many changes of a license are read: some for each of the hosts, and enough for one that is changed often. */
function mostChanges(hosts: number): number {
  return Math.max(200, 4 * hosts);
}

/**
 * Returns for how many hours a new lease of a host is valid. A lease outlives the slot of its host. So without a limit, one slot would be enough
 * for any number of sites: activate one, fetch its lease, deactivate it. What is counted are activations, which are stored anyway: so a lease
 * writes nothing, and a restart changes nothing.
 */
export async function hoursOf(
  { key, domain, maxDomains, hours }: LeasedHost,
  history: HostHistory,
  now: Instant,
): Promise<number> {
  if (hours <= shortLeaseHours || maxDomains > mostSlots) return hours;
  const limit = mostLeasedHosts({ maxDomains });
  const since = now - hours * hour;
  const { hosts, isWhole } = await history.activatedSince(key, since, mostChanges(limit));
  const names = hosts.filter((host) => !isInstance(host));
  // The license may be activated on either of the two names.
  const own = [domain, twinOf(domain)].filter((name) => name !== undefined);
  const place = names.findIndex((name) => own.includes(name));
  if (place >= 0) return isWhole && place < limit ? hours : shortLeaseHours;
  if (isWhole) return hours;
  // Its activation lies behind the changes that were read. Hosts from before that time are not limited.
  const at = await history.activatedAt(key, own);
  return at !== undefined && at <= since ? hours : shortLeaseHours;
}
