import type { Event } from '../core/events/event.ts';

/** Reads the audit trail. The stores write it, in the transaction of each change. */
export interface AuditLog {
  /** Returns the latest events, newest first. */
  list(filter: { readonly subject?: string | undefined; readonly limit: number }): Promise<Event[]>;
}
