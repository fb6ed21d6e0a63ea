import type { HostRules } from '../marketplace/product-terms.ts';
import type { Instant } from '../ports/clock.ts';
import type { RegistrableDomain } from '../ports/public-suffix.ts';
import { day, hour } from '../time.ts';
import { type DomainName, normalizeDomain } from './domain-name.ts';
import { isProvable } from './domain-proof.ts';
import { kindOf } from './hosts.ts';
import type { StrayCalls } from './stray-counter.ts';

/**
 * A foreign domain that asked with the key of a license which is not activated there: a registrable domain such as `example.com`,
 * or a host that has none.
 */
export interface Stray {
  readonly domain: string;
  /** The network that asked first. Nobody is shown it. */
  readonly network: string;
  readonly firstAt: Instant;
  readonly lastAt: Instant;
  readonly calls: number;
  /** In how many minutes it has asked, as one process sees it. */
  readonly seen: number;
}

/** How many domains a license keeps, and how many of them one network can have while others want a place. */
export const strayLimits = { domains: 50, ofNetwork: 10 } as const;
/** How long a domain is kept after its last call. */
export const straysKeptFor = 90 * day;

/**
 * A leak is suspected if at least `domains` foreign domains, which did not all come from one network, have each asked over a time of `lasting`
 * or longer, and again `within` the last days. After that, nothing is said about the license for the time `again`.
 */
export const leakRule = { domains: 3, networks: 2, within: 7 * day, lasting: hour, again: 30 * day } as const;

/**
 * Adds calls to the strays of a license. When all places are taken, a domain takes one from the network that has the most, if that
 * has at least two more than its own. So made-up domains cannot keep out a true one, unless they come from very many networks.
 */
export function mergeStrays(known: readonly Stray[], found: readonly StrayCalls[]): readonly Stray[] {
  const strays = new Map(known.map((one) => [one.domain, one]));
  for (const { host: domain, network, calls, firstAt, lastAt } of found) {
    const there = strays.get(domain);
    if (there !== undefined) {
      strays.set(domain, {
        ...there,
        firstAt: Math.min(there.firstAt, firstAt),
        lastAt: Math.max(there.lastAt, lastAt),
        calls: there.calls + calls,
        seen: there.seen + 1,
      });
      continue;
    }
    const place = placeFor(network, strays);
    if (place === undefined) continue;
    if (place !== 'free') strays.delete(place.domain);
    strays.set(domain, { domain, network, firstAt, lastAt, calls, seen: 1 });
  }
  return [...strays.values()];
}

function placeFor(network: string, strays: ReadonlyMap<string, Stray>): 'free' | Stray | undefined {
  const ofNetwork = new Map<string, Stray[]>();
  for (const one of strays.values()) ofNetwork.set(one.network, [...(ofNetwork.get(one.network) ?? []), one]);
  const own = ofNetwork.get(network)?.length ?? 0;
  if (own >= strayLimits.ofNetwork) return undefined;
  if (strays.size < strayLimits.domains) return 'free';
  const most = [...ofNetwork.values()].reduce((one, other) => (other.length > one.length ? other : one), []);
  if (most.length < own + 2) return undefined;
  return most.reduce((one, other) => (isWeaker(other, one) ? other : one));
}

/** The one that was found less often, or else the one that is silent for longer. */
function isWeaker(one: Stray, other: Stray): boolean {
  return one.seen < other.seen || (one.seen === other.seen && one.lastAt < other.lastAt);
}

/** Returns the domains because of which a license is suspected to be leaked, or none. */
export function leakedTo(strays: readonly Stray[], now: Instant): readonly string[] {
  const lasting = strays.filter(
    ({ firstAt, lastAt, seen }) => now - lastAt < leakRule.within && lastAt - firstAt >= leakRule.lasting && seen > 1,
  );
  const networks = new Set(lasting.map(({ network }) => network));
  if (lasting.length < leakRule.domains || networks.size < leakRule.networks) return [];
  return lasting.map(({ domain }) => domain).sort();
}

/** What decides which hosts are foreign to a license. */
interface OwnHosts {
  /** The hosts on which it is activated. */
  readonly activated: readonly DomainName[];
  /** The rules of its product: previews and hosts of developers are not foreign. */
  readonly hosts: HostRules;
  readonly registrableDomain: RegistrableDomain;
}

/**
 * Adds up the calls by registrable domain, without those of the license's own domains, and without hosts of which the world cannot ask: they say
 * nothing about a leak.
 */
export function foreignDomains(
  found: readonly StrayCalls[],
  { activated, hosts, registrableDomain }: OwnHosts,
): readonly StrayCalls[] {
  const own = new Set(activated.map(registrableDomain));
  const sums = new Map<string, StrayCalls>();
  for (const one of found) {
    const name = normalizeDomain(one.host);
    if (name === undefined || !isProvable(name) || kindOf(name, hosts) !== 'slot') continue;
    const host = registrableDomain(name);
    if (own.has(host)) continue;
    const there = sums.get(host) ?? { ...one, host, calls: 0 };
    sums.set(host, {
      ...there,
      calls: there.calls + one.calls,
      firstAt: Math.min(there.firstAt, one.firstAt),
      lastAt: Math.max(there.lastAt, one.lastAt),
    });
  }
  return [...sums.values()];
}
