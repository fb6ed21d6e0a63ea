import type { AuditLog } from '../audit-log.ts';
import type { MemoryDatabase } from './database.ts';

export function createMemoryAuditLog({ events }: MemoryDatabase): AuditLog {
  return {
    list: async ({ subject, limit }) =>
      events
        .filter((event) => subject === undefined || event.subject === subject)
        .reverse()
        .slice(0, limit),
  };
}
