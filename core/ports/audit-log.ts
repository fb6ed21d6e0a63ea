import type { Event, EventType } from '../events/event.ts';
import type { AuditId } from '../id.ts';
import type { Instant } from './clock.ts';

/** A stored event. */
export interface AuditEntry extends Event {
  readonly id: AuditId;
}

/** Which events to list. */
export interface AuditFilter {
  /** As it is stored. */
  readonly subject?: string | undefined;
  /** The names that the subject had before. */
  readonly formerly?: readonly string[];
  readonly actor?: string | undefined;
  readonly type?: EventType | undefined;
  /** The start of the period, included. */
  readonly from?: Instant | undefined;
  /** The end of the period, not included. */
  readonly to?: Instant | undefined;
  /** The last entry of the previous page. */
  readonly before?: AuditId | undefined;
  readonly limit: number;
}

/** Reads the audit trail, and shortens it. The stores write it, in the transaction of each change. */
export interface AuditLog {
  /**
   * Returns one page, newest first: all events, or those of one thing, in the order of the changes. With any other
   * filter, in the order of their times. The two orders differ if the clocks of servers differ. May be some seconds old.
   */
  list(filter: AuditFilter): Promise<AuditEntry[]>;
  /** Deletes the events from before a time. Returns how many. */
  forget(before: Instant): Promise<number>;
}
