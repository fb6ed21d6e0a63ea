import { expect } from 'chai';
import fc from 'fast-check';
import {
  daysLeft,
  endsDue,
  type NoticeDays,
  noticeDays,
  reminderDays,
  remindsOfEnd,
} from '../../../core/licensing/reminders.ts';
import { day, minute } from '../../../core/time.ts';
import { issuedAt as now } from '../../support/license-acts.ts';

const early = 15 * minute;
const active = { standing: 'active', createdAt: now - 99 * day } as const;
const remindedAt = (left: number, fields: Partial<Parameters<typeof remindsOfEnd>[0]> = {}) =>
  reminderDays.filter((days) => remindsOfEnd({ ...active, expiresAt: now + left, ...fields }, days, now));

describe('reminders of the end of a license', () => {
  it('are due 7 days and 1 day before, up to 15 minutes early', () => {
    expect(reminderDays.map((days) => endsDue(days, now))).to.deep.equal([now + 7 * day + early, now + day + early]);
    expect(remindedAt(7 * day + early + 1)).to.deep.equal([]);
    expect(remindedAt(7 * day + early)).to.deep.equal([7]);
    expect(remindedAt(7 * day)).to.deep.equal([7]);
    expect(remindedAt(day + early + 1)).to.deep.equal([7]);
    expect(remindedAt(day + early)).to.deep.equal([1]);
    expect(remindedAt(1)).to.deep.equal([1]);
  });

  it('never come after the end, and a late one not together with the next one', () => {
    expect(remindedAt(0)).to.deep.equal([]);
    expect(remindedAt(-1)).to.deep.equal([]);
    expect(remindedAt(3 * day)).to.deep.equal([7]);
    expect(remindedAt(day)).to.deep.equal([1]);
  });

  it('tell of the end itself a minute after it, however late, and never before', () => {
    expect(endsDue(0, now)).to.equal(now - minute);
    const ended = (since: number, fields: object = {}) =>
      remindsOfEnd({ ...active, expiresAt: now - since, ...fields }, 0, now);
    expect([-1, 0, minute - 1, minute, day, 90 * day].map((since) => ended(since))).to.deep.equal([
      ...[false, false, false],
      ...[true, true, true],
    ]);
    for (const standing of ['suspended', 'revoked'] as const) expect(ended(day, { standing })).to.equal(false);
    expect(ended(day, { createdAt: now - day })).to.equal(false);
  });

  it('do not come if the license was issued for as many days or fewer', () => {
    const trial = (days: number, left: number) => remindedAt(left, { createdAt: now + left - days * day });
    expect(trial(7, 7 * day)).to.deep.equal([]);
    expect(trial(8, 7 * day)).to.deep.equal([7]);
    expect(trial(7, day)).to.deep.equal([1]);
    expect(trial(1, day)).to.deep.equal([]);
    expect(trial(2, day)).to.deep.equal([1]);
    expect(trial(0.5, day / 2)).to.deep.equal([]);
  });

  it('do not come for suspended, revoked and perpetual licenses', () => {
    for (const left of [7 * day, day]) {
      for (const standing of ['suspended', 'revoked'] as const) {
        expect(remindedAt(left, { standing })).to.deep.equal([]);
      }
      expect(remindedAt(left, { expiresAt: null })).to.deep.equal([]);
    }
  });

  it('say how many days are left, at least one', () => {
    const left = (time: number) => daysLeft(now + time, now);
    expect([7 * day + early, 7 * day, 4.6 * day, day + early, day, minute].map(left)).to.deep.equal([7, 7, 5, 1, 1, 1]);
  });

  it('come once each, whenever the job runs', () => {
    const moment = fc.integer({ min: 0, max: 12 * 24 });
    fc.assert(
      fc.property(fc.array(moment, { minLength: 1 }), moment, fc.integer({ min: 1, max: 30 }), (hours, end, life) => {
        const runs = hours.toSorted((one, other) => one - other).map((hour) => now + hour * (day / 24));
        const expiresAt = now + end * (day / 24) + 30 * minute;
        const license = { standing: 'active', expiresAt, createdAt: expiresAt - life * day } as const;
        for (const days of noticeDays) {
          // Each run looks at the ends that became due since the last one, as the store does.
          const told = runs.filter((run, n) => {
            const before = n === 0 ? Number.NEGATIVE_INFINITY : endsDue(days, runs[n - 1] ?? 0);
            const isLooked = expiresAt > before && expiresAt <= endsDue(days, run);
            return isLooked && remindsOfEnd(license, days, run);
          });
          const from = days === 0 ? expiresAt + minute : expiresAt - days * day - early;
          const next: Record<NoticeDays, number> = {
            7: expiresAt - day - early,
            3: expiresAt - day - early,
            1: expiresAt,
            0: Number.POSITIVE_INFINITY,
          };
          const isTold = life > days && runs.some((run) => run >= from && run < next[days]);
          const isFirst = runs.find((run) => run >= from);
          expect(told.length).to.equal(isTold && isFirst !== undefined && isFirst < next[days] ? 1 : 0);
        }
      }),
    );
  });
});
