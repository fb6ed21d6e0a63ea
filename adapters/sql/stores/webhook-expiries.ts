import type { Knex } from 'knex';
import type { License } from '../../../core/licensing/license.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import type { WebhookExpiries } from '../../../core/ports/webhook-telling.ts';
import { toldOfExpiry } from '../../../core/webhooks/happenings.ts';
import type { Database } from '../database.ts';
import { goThroughEnds } from './license-ends.ts';
import { type LicenseRow, toLicense } from './license-rows.ts';
import { tellOfEach } from './webhook-outbox.ts';

export const expiriesJob = { table: 'webhook_expiries', key: {}, atOnce: 200, restsAt: 'last' } as const;

export function createSqlWebhookExpiries(database: Pick<Database, 'read' | 'write' | 'parts'>): WebhookExpiries {
  return {
    async tell(until, now) {
      const work = (trx: Knex.Transaction, rows: readonly LicenseRow[]) =>
        tellOfExpiries(trx, rows.map(toLicense), now);
      return (await goThroughEnds(database, { ...expiriesJob, work }, until)) ? 'more' : 'done';
    },
  };
}

/** Tells of the end of those licenses that somebody sells, and that are active. */
export async function tellOfExpiries(trx: Knex.Transaction, licenses: readonly License[], now: Instant): Promise<void> {
  const expired = licenses.filter(({ standing, ownerId }) => standing === 'active' && ownerId !== null);
  await tellOfEach(
    trx,
    expired,
    (license, { product, subscribers }) =>
      toldOfExpiry(license, product).map((happening) => ({
        happening,
        subscribers: subscribers.filter(({ onSince }) => onSince <= happening.at),
      })),
    now,
  );
}
