import { expect } from 'chai';
import fc from 'fast-check';
import { toProductId } from '../../../core/id.ts';
import { type License, neverActivated } from '../../../core/licensing/license.ts';
import { type Gives, grantOf, type Period } from '../../../core/licensing/periods.ts';
import { clockLimits, movedBack, periodMovedBack, setClock } from '../../../core/licensing/test-clock.ts';
import { isRefused } from '../../../core/refusal.ts';
import { by } from '../../support/by.ts';
import { keyNumber, issuedAt as now } from '../../support/license-acts.ts';
import { runs } from '../../support/runs.ts';

const day = 86_400_000;
const span = (days: number) => ({ advance: { months: 0, milliseconds: days * day } });

function license(changed: Partial<License> = {}): License {
  return {
    ...neverActivated,
    key: keyNumber(1),
    productId: toProductId(7),
    ownerId: null,
    isLive: false,
    standing: 'active',
    maxDomains: 3,
    expiresAt: now + 30 * day,
    createdAt: now - day,
    ...changed,
  };
}

function set(before: License, days: number): License {
  const changed = setClock(before, span(days), by, now);
  if (isRefused(changed)) throw new Error(changed.reason);
  return changed.license;
}

describe('the clock of a test license', () => {
  const days = fc.integer({ min: 0, max: 1_000 });

  it('comes to the same in two steps as in one', () => {
    fc.assert(
      fc.property(days, days, (one, other) => {
        expect(set(set(license(), one), other)).to.deep.equal(set(license(), one + other));
      }),
      { numRuns: runs(100) },
    );
  });

  it('gives the moves of the month back when its month ends, and not before', () => {
    const moved = license({ moves: { month: '2026-11', made: 2 } });
    expect(set(moved, 9).moves.made).to.equal(2);
    expect(set(set(moved, 9), 9).moves.made).to.equal(0);
    expect(set(moved, 18).moves.made).to.equal(0);
  });

  it('counts months as a calendar does', () => {
    const changed = setClock(license(), { advance: { months: 3, milliseconds: 0 } }, by, Date.UTC(2026, 10, 30));
    expect(isRefused(changed) || changed.back).to.equal(Date.UTC(2027, 1, 28) - Date.UTC(2026, 10, 30));
  });

  it('does not go farther than its limits, nor by a span that is no number', () => {
    const most = clockLimits.once / day;
    for (const wish of [span(most + 1), { advance: { months: 1e300, milliseconds: 0 } }, span(Number.NaN)]) {
      expect(setClock(license(), wish, by, now)).to.include({ reason: 'clock_too_far' });
    }
  });

  it('is not set for a license with so many domains that a change of all takes long', () => {
    expect(setClock(license({ domainsUsed: clockLimits.domains }), span(1), by, now)).to.include({ back: day });
    expect(setClock(license({ domainsUsed: clockLimits.domains + 1 }), span(1), by, now)).to.include({
      reason: 'clock_not_allowed',
    });
  });

  it('moves what periods give back with the license', () => {
    const end = fc.option(fc.integer({ min: 1, max: 400 }).map((n) => now + n * day));
    const gives: fc.Arbitrary<Gives> = fc.oneof(
      fc.record({ kind: fc.constant('set' as const), expiresAt: end }),
      fc.record({ kind: fc.constant('set' as const), updatesUntil: end }),
      fc.record({
        kind: fc.constant('renewal' as const),
        days: fc.integer({ min: 1, max: 99 }),
        months: fc.constant(0),
      }),
    );
    const start = { maxDomains: 3, entitlements: ['pro'] };
    const periods = fc.tuple(end, end, fc.array(gives, { maxLength: 5 })).map(([expiresAt, updatesUntil, later]) =>
      [{ kind: 'start' as const, expiresAt, updatesUntil, ...start }, ...later].map(
        (given, n): Period => ({
          cause: `order:${n}`,
          at: now + n,
          standing: 'paid',
          gives: given,
          worth: 0,
          builtOn: [],
        }),
      ),
    );
    fc.assert(
      fc.property(periods, days, (all, n) => {
        const moved = grantOf(all.map((one) => periodMovedBack(one, n * day)));
        const { expiresAt, updatesUntil } = movedBack(license(grantOf(all)), n * day, now);
        expect(moved).to.deep.equal({ ...grantOf(all), expiresAt, updatesUntil });
      }),
      { numRuns: runs(200) },
    );
  });
});
