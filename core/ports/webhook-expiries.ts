import type { Instant } from './clock.ts';

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
