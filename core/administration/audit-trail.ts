import { type Actor, needing } from '../accounts/role.ts';
import type { AuditId } from '../id.ts';
import { parseLicenseKey } from '../licensing/license-key.ts';
import type { AuditEntry, AuditFilter, AuditLog } from '../ports/audit-log.ts';
import type { Refused } from '../refusal.ts';

/** One page of the audit trail. */
export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  /** The `before` of the next page, or `null` if this is the last one. */
  readonly next: AuditId | null;
}

/** All changes, who made them and why. Needs `audit:read`. */
export interface AuditTrail {
  /** In the order of `AuditLog.list`. The subject may be written in upper or lower case. */
  list(filter: AuditFilter, actor: Actor): Promise<AuditPage | Refused<'forbidden'>>;
}

interface AuditTrailPorts {
  readonly log: AuditLog;
}

export function createAuditTrail({ log }: AuditTrailPorts): AuditTrail {
  return {
    async list({ subject, limit, ...filter }, actor) {
      const refused = needing(actor, 'audit:read');
      if (refused) return refused;
      const wanted = subject === undefined ? undefined : canonical(subject);
      const found = await log.list({ ...filter, subject: wanted, limit: limit + 1 });
      const entries = found.slice(0, limit);
      return { entries, next: found.length > limit ? (entries.at(-1)?.id ?? null) : null };
    },
  };
}

/** Returns a subject as the audit trail stores it: license keys in upper case, all others in lower case. */
function canonical(subject: string): string {
  return parseLicenseKey(subject) ?? subject.toLowerCase();
}
