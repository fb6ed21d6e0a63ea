import type { Instant } from './clock.ts';

/** A claimed run. In small steps, it goes through the licenses of all products whose verifications an endpoint wants. */
export interface VerificationRun {
  /**
   * Compares the counters of the next domains with those of the last run, and adds an event for each that has grown. A step
   * is stored wholly or not at all. After `done`, the run is finished. `lost` means that another process has taken over,
   * and nothing was stored.
   */
  next(): Promise<'more' | 'done' | 'lost'>;
}

/** Tells webhooks of verifications, from their counters. Writes nothing that a verification writes. */
export interface WebhookVerifications {
  /**
   * Claims the run for all verifications before `to`, for `lease` milliseconds; steps renew this. Returns `undefined` if
   * it was made, if another process makes it, or if no endpoint names `license.verified`. For the products of a new
   * endpoint, the first run only reads the counters.
   */
  claim(to: Instant, lease: number): Promise<VerificationRun | undefined>;
}

/** Tells webhooks of licenses whose time is over, each end once. */
export interface WebhookExpiries {
  /**
   * Adds the events of the next licenses that expired up to `until`, in the order in which they did, and remembers how far
   * it came in the same transaction. Suspended and revoked licenses have no such event. An endpoint gets none from the time
   * before it was on. The first call of all adds nothing, and begins at `until`. Returns `done` if there are no more, or
   * if another process adds them now.
   */
  tell(until: Instant, now: Instant): Promise<'more' | 'done'>;
}
