import type { Knex } from 'knex';
import type { License } from '../../../core/licensing/license.ts';
import { endsDue, isReminder, isToldOf, type NoticeDays, remindsOfEnd } from '../../../core/licensing/reminders.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import type { ExpiryReminders } from '../../../core/ports/expiry-reminders.ts';
import { toldOfEnd } from '../../../core/webhooks/happenings.ts';
import type { Database } from '../database.ts';
import { record } from './audit-log.ts';
import { goThroughEnds } from './license-ends.ts';
import { type LicenseRow, toLicense } from './license-rows.ts';
import { addMails } from './mail-rows.ts';
import { type OrderRow, toOrder } from './order-rows.ts';
import { subscriptionsByLicense } from './order-subscriptions.ts';
import { tellOfEach, toAll } from './webhook-outbox.ts';

/** Few at once, because letters are written while SQLite's only write lock is held. */
export const remindersJob = { table: 'expiry_reminders', atOnce: 25, restsAt: 'until' } as const;

type NewsOf = Parameters<ExpiryReminders['remind']>[2];

export function createSqlExpiryReminders(database: Pick<Database, 'read' | 'write' | 'parts'>): ExpiryReminders {
  return {
    async remind(days, now, newsOf) {
      const work = (trx: Knex.Transaction, rows: readonly LicenseRow[]) =>
        tellOfEnds(trx, rows.map(toLicense), days, now, newsOf);
      return (await goThroughEnds(database, { ...remindersJob, key: { days }, work }, endsDue(days, now)))
        ? 'more'
        : 'done';
    },
  };
}

/** Tells of those of the licenses that remind of their end. */
export async function tellOfEnds(
  trx: Knex.Transaction,
  licenses: readonly License[],
  days: NoticeDays,
  now: Instant,
  newsOf: NewsOf,
): Promise<void> {
  const near = licenses.filter((license) => remindsOfEnd(license, days, now));
  if (near.length === 0) return;
  const paidBy = await subscriptionsByLicense(
    trx,
    near.map(({ key }) => key),
  );
  const ending = near.filter(({ key }) => isToldOf(paidBy.get(key)?.subscription ?? undefined, days));
  if (ending.length === 0) return;
  if (isReminder(days)) {
    await tellOfEach(trx, ending, (license, { product, subscribers }) =>
      toAll(toldOfEnd(license, product, days, now), subscribers),
    );
  }
  await tellBuyers(trx, ending, newsOf);
}

async function tellBuyers(trx: Knex.Transaction, ending: readonly License[], newsOf: NewsOf): Promise<void> {
  const licenses = new Map<string | null, License>(ending.map((license) => [license.key, license]));
  const rows: OrderRow[] = await trx('orders')
    .whereIn('license_key', [...licenses.keys()])
    .orderBy('id');
  const news = rows.flatMap((row) => {
    const license = licenses.get(row.license_key);
    return license ? [newsOf(toOrder(row), license)] : [];
  });
  await addMails(
    trx,
    news.flatMap(({ letters }) => letters),
  );
  await record(
    trx,
    news.flatMap(({ events }) => events),
  );
}
