import { type By, type Event, event } from '../events/event.ts';
import type { Instant } from '../ports/clock.ts';
import type { LeftOut, Origin } from '../ports/license-imports.ts';
import type { NewLicense } from '../ports/license-store.ts';

type Recorded = Pick<NewLicense, 'key' | 'standing' | 'maxDomains' | 'expiresAt'>;

/** The audit event for an import line that was left out. */
export function eventOfLeftOut({ line, key, why }: LeftOut, by: By, at: Instant): Event {
  return event('license.left_out', key, by, at, { line, why });
}

/** The audit events for new licenses. */
export const eventOfNew = {
  issued: ({ key, maxDomains, expiresAt }, by, at) =>
    event('license.issued', key, by, at, { max_domains: maxDomains, expires_at: expiresAt }),
  imported: ({ key, standing }, by, at) => event('license.imported', key, by, at, { standing }),
} as const satisfies Record<Origin, (license: Recorded, by: By, at: Instant) => Event>;
