import type { Knex } from 'knex';
import type { License } from '../../../core/licensing/license.ts';
import { endsDue, type NoticeDays, noticeDays } from '../../../core/licensing/reminders.ts';
import { movedBack, periodMovedBack } from '../../../core/licensing/test-clock.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import type { TestClocks } from '../../../core/ports/test-clocks.ts';
import { isRefused, refuse } from '../../../core/refusal.ts';
import { day } from '../../../core/time.ts';
import { expiriesDue } from '../../../core/webhooks/telling.ts';
import type { Database } from '../database.ts';
import { record } from './audit-log.ts';
import { remindersJob, tellOfEnds } from './expiry-reminders.ts';
import { isPassed } from './license-ends.ts';
import { readPeriods } from './license-periods.ts';
import { changedLicenseRow, type LockedLicenseRow, toLicense } from './license-rows.ts';
import { lockAll, lockLicenses } from './license-writes.ts';
import { expiriesJob, tellOfExpiries } from './webhook-expiries.ts';

type NewsOf = Parameters<TestClocks['change']>[3];

export function createSqlTestClocks({ write }: Pick<Database, 'write'>): TestClocks {
  return {
    change: (key, decide, now, newsOf) =>
      write(async (trx) => {
        const [row] = await lockLicenses(trx, [key], 'wait');
        if (row === undefined) return refuse('invalid_key');
        // A verification in progress counts before the change, or not at all.
        await lockAll(trx, [row.id]);
        const change = decide(toLicense(row));
        if (isRefused(change) || change.event === undefined) return change;
        const { license, back, event } = change;
        if (back > 0) await moveBack(trx, row.id, back);
        await trx('licenses')
          .where({ id: row.id })
          .update({
            ...changedLicenseRow(license),
            created_at: license.createdAt,
            clock_ahead: license.testClock?.ahead ?? null,
            forced: license.testClock?.forced ?? null,
          });
        await record(trx, [event]);
        // At the end: the jobs that tell of ends wait for this transaction from here on.
        if (back > 0) await tellOfPassed(trx, row, license.expiresAt, now, newsOf);
        return change;
      }),
  };
}

/** The messages about the end of a license, in order. The webhook about the end itself comes before the mail. */
const told = noticeDays.flatMap((days): (NoticeDays | 'expiry')[] => (days === 0 ? ['expiry', days] : [days]));

/** Tells of the end of a license what lies between its present end and the next one, each as if it were the time for it. */
async function tellOfPassed(
  trx: Knex.Transaction,
  row: LockedLicenseRow,
  to: Instant | null,
  now: Instant,
  newsOf: NewsOf,
): Promise<void> {
  const license = toLicense(row);
  const { expiresAt: from } = license;
  if (from === null || to === null) return;
  const move = { ...row, from, to };
  /** The license when its end is at that time, or now if it ends sooner. */
  const endingAt = (end: Instant): License => movedBack(license, Math.max(0, from - end), now);
  for (const one of told) {
    if (one === 'expiry') {
      if (await isPassed(trx, expiriesJob, move, expiriesDue(now))) await tellOfExpiries(trx, [endingAt(now)], now);
    } else if (await isPassed(trx, { ...remindersJob, key: { days: one } }, move, endsDue(one, now))) {
      const ending = endingAt(one === 0 ? endsDue(0, now) : now + one * day);
      await tellOfEnds(trx, [ending], one, now, (order, license) => newsOf(order, license, one));
    }
  }
}

/** Moves back what belongs to a license. No verification remembers any of these times. */
async function moveBack(trx: Knex.Transaction, id: number, by: number): Promise<void> {
  const earlier = (columns: readonly string[]) =>
    Object.fromEntries(columns.map((column) => [column, trx.raw('?? - ?', [column, by])]));
  await trx('activations')
    .where({ license_id: id })
    .update(earlier(['activated_at', 'ends_at', 'proven_at', 'last_verified_at']));
  await trx('license_aliases')
    .where({ license_id: id })
    .update(earlier(['valid_until', 'added_at']));
  for (const period of await readPeriods(trx.queryBuilder().where('p.license_id', id))) {
    const { cause, at, gives } = periodMovedBack(period, by);
    await trx('license_periods')
      .where({ cause })
      .update({ at, gives: JSON.stringify(gives) });
  }
}
