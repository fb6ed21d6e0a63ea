import type { DomainName } from './domain-name.ts';
import { twinOf } from './hosts.ts';

/**
 * How an activated domain resembles the one that was asked for: `www` differs only by `www.`, `parent` is above it,
 * `subdomain` is below it, and `similar` differs by at most three typing mistakes.
 */
export const resemblances = ['www', 'parent', 'subdomain', 'similar'] as const;
export type Resemblance = (typeof resemblances)[number];

export interface NearDomain {
  readonly domain: DomainName;
  readonly resemblance: Resemblance;
  /** The number of characters to add, remove, replace or swap with the next one. */
  readonly distance: number;
}

const mostMistakes = 3;

/** Returns the activated domain that was probably meant, or `undefined` if none resembles it. */
export function nearestDomain(asked: DomainName, activated: readonly DomainName[]): NearDomain | undefined {
  const near = activated.flatMap((domain): NearDomain[] => {
    const mistakes = mistakesBetween(asked, domain);
    const resemblance = resemblanceOf(asked, domain, mistakes);
    if (resemblance === undefined) return [];
    return [{ domain, resemblance, distance: mistakes ?? Math.abs(asked.length - domain.length) }];
  });
  return near.toSorted(
    (one, other) =>
      resemblances.indexOf(one.resemblance) - resemblances.indexOf(other.resemblance) || one.distance - other.distance,
  )[0];
}

/** Returns the other domains that a look-up of this domain should try: its `www.` twin and the domains above it. */
export function relatedDomains(asked: DomainName): DomainName[] {
  const labels = asked.split('.');
  const above = labels.slice(1, -1).map((_, index) => labels.slice(index + 1).join('.'));
  return [twinOf(asked) ?? asked, ...above.slice(0, 10)] as DomainName[];
}

function resemblanceOf(asked: DomainName, domain: DomainName, mistakes: number | undefined): Resemblance | undefined {
  if (asked === domain) return undefined;
  if (twinOf(asked) === domain) return 'www';
  if (domain.includes('.') && asked.endsWith(`.${domain}`)) return 'parent';
  if (asked.includes('.') && domain.endsWith(`.${asked}`)) return 'subdomain';
  return mistakes !== undefined && mistakes < asked.length / 2 ? 'similar' : undefined;
}

/** The edit distance of two texts, or `undefined` if it is more than `mostMistakes`. */
function mistakesBetween(one: string, other: string): number | undefined {
  if (Math.abs(one.length - other.length) > mostMistakes) return undefined;
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const cost = one[row - 1] === other[column - 1] ? 0 : 1;
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + cost,
          row > 1 && column > 1 && isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    if (Math.min(...current) > mostMistakes) return undefined;
    beforeLast = last;
    last = current;
  }
  const distance = last[other.length] ?? 0;
  return distance <= mostMistakes ? distance : undefined;
}
