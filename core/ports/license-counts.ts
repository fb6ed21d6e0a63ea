import type { Instant } from './clock.ts';
import type { OwnedProducts } from './usage-figures.ts';

/** The most licenses that one count looks at, so that its time is bounded. */
export const mostCounted = { active: 10_000, issuedInADay: 10_000 } as const;

/** A number, or the least that it can be. */
export interface Count {
  readonly count: number;
  /** Whether there may be more, because not all were looked at. */
  readonly isAtLeast: boolean;
}

export interface IssuedOnDay extends Count {
  /** The start of the day, in UTC. */
  readonly at: Instant;
}

/** Counts the licenses of a seller. The counts may be some seconds old, and each looks at no more licenses than `mostCounted` says. */
export interface LicenseCounts {
  /** Counts those that are active now, among the oldest ones. */
  active(owner: OwnedProducts, now: Instant): Promise<Count>;
  /** Counts the licenses that were issued on each of these days, given by their starts, in the same order. */
  issued(owner: OwnedProducts, days: readonly Instant[]): Promise<IssuedOnDay[]>;
}
