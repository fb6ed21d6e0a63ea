import type { Event } from '../core/events/event.ts';

/** What was changed, by whom and why. Written by the stores, in the transaction of the change. */
export interface AuditLog {
  /** The latest events, newest first. */
  list(filter: { readonly subject?: string | undefined; readonly limit: number }): Promise<Event[]>;
}
