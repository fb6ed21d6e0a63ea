import type { Instant } from '../ports/clock.ts';
import { day, hour } from '../time.ts';
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
  /** How many times, of once a minute, it was found. */
  readonly seen: number;
}

/** How many domains a license keeps, and how many of them one network can have while others want a place. */
export const strayLimits = { domains: 50, ofNetwork: 10 } as const;
/** How long a domain is kept after its last call. */
export const straysKeptFor = 90 * day;

/**
 * When a license is suspected to be leaked: at least `domains` of the last `within` were seen over at least `lasting` each. It
 * is said once in `again`.
 */
export const leakRule = { domains: 3, within: 7 * day, lasting: hour, again: 30 * day } as const;

/** The strays after some calls, and how many calls found no place. */
export interface MergedStrays {
  readonly strays: readonly Stray[];
  readonly others: number;
}

/**
 * Adds calls to the strays of a license. When all places are taken, a domain takes one from the network that has the most, if that
 * has at least two more than its own. So made-up domains cannot keep out a true one, unless they come from very many networks.
 */
export function mergeStrays(known: readonly Stray[], found: readonly StrayCalls[]): MergedStrays {
  const strays = new Map(known.map((one) => [one.domain, one]));
  let others = 0;
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
    if (place === undefined) {
      others += calls;
      continue;
    }
    if (place !== 'free') strays.delete(place.domain);
    strays.set(domain, { domain, network, firstAt, lastAt, calls, seen: 1 });
  }
  return { strays: [...strays.values()], others };
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
  return lasting.length < leakRule.domains ? [] : lasting.map(({ domain }) => domain).sort();
}
