import type { ProductId } from '../id.ts';
import type { Instant } from '../ports/clock.ts';
import { hour, second } from '../time.ts';
import type { DomainName } from './domain-name.ts';
import type { Rights } from './license.ts';

/** What a lease says: until when the license is valid for the domain without asking again. */
export interface Lease extends Rights {
  /** The key that was asked for, in canonical form if it is one of ours. */
  readonly asked: string;
  readonly domain: DomainName;
  readonly productId: ProductId;
  /** The end of the license, or of the key that was asked for, if that is earlier. */
  readonly expiresAt: Instant | null;
  readonly from: Instant;
  /** A whole second: leases have no smaller unit. */
  readonly endsAt: Instant;
}

/** All facts that decide what a lease says, apart from the time. */
export interface LeaseFacts extends Omit<Lease, 'from' | 'endsAt'> {
  /** If the host is being moved away: until when it is valid. */
  readonly hostEndsAt: Instant | null;
  readonly hours: number;
}

/**
 * Returns the lease that begins now. It ends after the hours that the seller chose, but never after the license, the key
 * that was asked for or the host. The end of a license that is subscribed contains its grace already.
 */
export function leaseOf({ hostEndsAt, hours, ...same }: LeaseFacts, now: Instant): Lease {
  const ends = [now + hours * hour, same.expiresAt, hostEndsAt].filter((end) => end !== null);
  return { ...same, from: now, endsAt: Math.floor(Math.min(...ends) / second) * second };
}

/**
 * Until when the same lease is given out again: for an hour, because a signature costs more than a verification, but at most for
 * a quarter of its life, so that nobody gets one that is nearly over.
 */
export function givenOutUntil({ from, endsAt }: Lease): Instant {
  return from + Math.min(hour, (endsAt - from) / 4);
}
