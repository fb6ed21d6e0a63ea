import type { Instant } from '../ports/clock.ts';

/** The calls of one host, in one network, since the last `take`. */
export interface StrayCalls {
  readonly host: string;
  /** The network of the first caller. */
  readonly network: string;
  readonly calls: number;
  readonly firstAt: Instant;
  readonly lastAt: Instant;
}

/** The refused calls with one license key. */
export interface CountedStrays {
  /** As the callers wrote it. */
  readonly licenseKey: string;
  /** The network of the first of these calls. */
  readonly broughtBy: string;
  readonly hosts: readonly StrayCalls[];
  /** Calls whose hosts were not counted apart, because there were too many. */
  readonly others: number;
}

/**
 * Counts the verifications that were refused because the license is not activated on the host. Only in the memory, and at most
 * so much: what is too much is counted without its host, or not at all.
 */
export interface StrayCounter {
  note(licenseKey: string, host: string, network: string, at: Instant): void;
  isEmpty(): boolean;
  /** Returns what was counted for at most so many keys, those first that wait the longest, and forgets it. */
  take(most: number): readonly CountedStrays[];
}

/**
 * The most keys and hosts in the memory, the most hosts of one key and of one network for a key, and the most keys that one
 * network brings.
 */
export const counterLimits = { keys: 2_000, hosts: 10_000, ofKey: 100, ofNetwork: 10, keysOfNetwork: 100 } as const;

interface Counted {
  /** The network that brought the key. */
  readonly broughtBy: string;
  readonly hosts: Map<string, { network: string; calls: number; firstAt: Instant; lastAt: Instant }>;
  readonly networks: Map<string, number>;
  others: number;
}

export function createStrayCounter(
  limits: { readonly [Limit in keyof typeof counterLimits]: number } = counterLimits,
): StrayCounter {
  const keys = new Map<string, Counted>();
  const keysBy = new Map<string, number>();
  let hosts = 0;

  /** Returns the counts of a key, which begin if there is a place. */
  function countsOf(licenseKey: string, network: string): Counted | undefined {
    const known = keys.get(licenseKey);
    if (known !== undefined) return known;
    const brought = keysBy.get(network) ?? 0;
    if (keys.size >= limits.keys || brought >= limits.keysOfNetwork) return undefined;
    keysBy.set(network, brought + 1);
    const counted: Counted = { broughtBy: network, hosts: new Map(), networks: new Map(), others: 0 };
    keys.set(licenseKey, counted);
    return counted;
  }

  function remove(licenseKey: string, { broughtBy, hosts: gone }: Counted): void {
    keys.delete(licenseKey);
    hosts -= gone.size;
    const left = (keysBy.get(broughtBy) ?? 1) - 1;
    if (left > 0) keysBy.set(broughtBy, left);
    else keysBy.delete(broughtBy);
  }

  return {
    note(licenseKey, host, network, at) {
      const counted = countsOf(licenseKey, network);
      if (counted === undefined) return;
      const there = counted.hosts.get(host);
      const ofNetwork = counted.networks.get(network) ?? 0;
      if (there !== undefined) {
        there.calls++;
        there.lastAt = at;
      } else if (hosts >= limits.hosts || counted.hosts.size >= limits.ofKey || ofNetwork >= limits.ofNetwork) {
        counted.others++;
      } else {
        counted.hosts.set(host, { network, calls: 1, firstAt: at, lastAt: at });
        counted.networks.set(network, ofNetwork + 1);
        hosts++;
      }
    },
    isEmpty: () => keys.size === 0,
    take(most) {
      const taken = [...keys].slice(0, most);
      for (const [licenseKey, one] of taken) remove(licenseKey, one);
      return taken.map(([licenseKey, one]) => ({
        licenseKey,
        broughtBy: one.broughtBy,
        hosts: [...one.hosts].map(([host, calls]) => ({ host, ...calls })),
        others: one.others,
      }));
    },
  };
}
