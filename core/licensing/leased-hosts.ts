import type { Instant } from '../ports/clock.ts';
import type { HostHistory } from '../ports/host-history.ts';
import { hour, minute } from '../time.ts';
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
  readonly wwwIsApex: boolean;
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
  { key, domain, maxDomains, hours, wwwIsApex }: LeasedHost,
  history: HostHistory,
  now: Instant,
): Promise<number> {
  if (hours <= shortLeaseHours || maxDomains > mostSlots) return hours;
  // To the minute, so that calls for several hosts ask for the same.
  const since = Math.floor((now - hours * hour) / minute) * minute;
  // The license may be activated on either of two names.
  const twin = wwwIsApex ? twinOf(domain) : undefined;
  const own = twin === undefined ? [domain] : [domain, twin];
  const at = await history.activatedAt(key, own);
  if (at === undefined) return shortLeaseHours;
  // Hosts from before that time, as nearly all are, are not limited.
  if (at <= since) return hours;
  const limit = mostLeasedHosts({ maxDomains });
  const { hosts, isWhole } = await history.activatedSince(key, since, mostChanges(limit));
  const place = hosts.filter((host) => !isInstance(host)).findIndex((name) => own.includes(name));
  return isWhole && place >= 0 && place < limit ? hours : shortLeaseHours;
}
