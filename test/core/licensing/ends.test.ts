import { expect } from 'chai';
import fc from 'fast-check';
import { type Ends, endingAt, endsOf, mayFetch, monthsAfter } from '../../../core/licensing/ends.ts';
import type { Duration } from '../../../core/marketplace/product-terms.ts';
import { day } from '../../../core/time.ts';
import { runs } from '../../support/runs.ts';

const instants = fc.integer({ min: Date.UTC(1999, 0, 1), max: Date.UTC(2101, 0, 1) });
const days = fc.integer({ min: 1, max: 1_000 });
const months = fc.integer({ min: 1, max: 120 });
const duration: fc.Arbitrary<Duration> = fc.option(
  fc.record({ days, from: fc.constantFrom('issue', 'first_activation') }),
);
const updates = fc.option(fc.record({ months: fc.option(months) }), { nil: undefined });

/** Counts month by month, and looks at the days of the calendar one after the other. */
function slowMonthsAfter(count: number, at: number): number {
  const start = new Date(at);
  let [year, month] = [start.getUTCFullYear(), start.getUTCMonth()];
  for (let left = count; left > 0; left--) [year, month] = month === 11 ? [year + 1, 0] : [year, month + 1];
  let last = 28;
  while (new Date(Date.UTC(year, month, last + 1)).getUTCMonth() === month) last++;
  const time = at - Date.UTC(start.getUTCFullYear(), start.getUTCMonth(), start.getUTCDate());
  return Date.UTC(year, month, Math.min(start.getUTCDate(), last)) + time;
}

/** Lives through what happens to a license, and remembers what was sold in words. */
function slowEnds(
  sold: { readonly duration: Duration; readonly updates: { readonly months: number | null } | undefined },
  issuedAt: number,
  activatedAt: number | undefined,
) {
  const starts = sold.duration?.from === 'first_activation' ? activatedAt : issuedAt;
  let runsTo: number | null = null;
  if (sold.duration !== null && starts !== undefined) {
    runsTo = starts;
    for (let left = sold.duration.days; left > 0; left--) runsTo += day;
  }
  let fetchesTo: number | null = null;
  if (sold.updates?.months != null) fetchesTo = slowMonthsAfter(sold.updates.months, issuedAt);
  else if (sold.updates !== undefined && sold.duration !== null) {
    fetchesTo = runsTo ?? issuedAt + sold.duration.days * day;
  }
  return { runsTo, fetchesTo };
}

describe('the ends of a license', () => {
  it('are those of a slow and obvious model, before and after the first activation', () => {
    fc.assert(
      fc.property(duration, updates, instants, fc.nat(500 * day), (length, given, issuedAt, later) => {
        const issued = { ...endsOf(length, given, issuedAt), createdAt: issuedAt };
        const model = slowEnds({ duration: length, updates: given }, issuedAt, undefined);
        expect({ runsTo: issued.expiresAt, fetchesTo: issued.updatesUntil }).to.deep.equal(model);
        if (issued.daysFromActivation === null) return;
        const activated = endingAt(issued, issuedAt + later + issued.daysFromActivation * day);
        // Months that happen to end with the days before the first activation go with them.
        fc.pre(given?.months == null || issued.updatesUntil !== issuedAt + issued.daysFromActivation * day);
        const after = slowEnds({ duration: length, updates: given }, issuedAt, issuedAt + later);
        expect({ runsTo: activated.expiresAt, fetchesTo: activated.updatesUntil }).to.deep.equal(after);
        expect(activated.daysFromActivation).to.equal(null);
      }),
      { numRuns: runs(500) },
    );
  });

  it('end together after a renewal if they did before, also if it is for ever', () => {
    const at = Date.UTC(2026, 0, 31);
    const together = { ...endsOf({ days: 30, from: 'issue' }, { months: null }, at), createdAt: at };
    for (const end of [at + 60 * day, null]) {
      expect(endingAt(together, end)).to.include({ expiresAt: end, updatesUntil: end } satisfies Partial<Ends>);
    }
    const apart = { ...endsOf({ days: 30, from: 'issue' }, { months: 12 }, at), createdAt: at };
    expect(endingAt(apart, null)).to.include({ expiresAt: null, updatesUntil: Date.UTC(2027, 0, 31) });
    const forEver = { ...endsOf({ days: 30, from: 'issue' }, undefined, at), createdAt: at };
    expect(endingAt(forEver, at + 60 * day)).to.include({ updatesUntil: null });
  });

  it('are on the last day of a month that is shorter', () => {
    const at = (text: string) => Date.parse(`${text}T10:00:00.001Z`);
    expect(monthsAfter(1, at('2027-01-31'))).to.equal(at('2027-02-28'));
    expect(monthsAfter(12, at('2028-02-29'))).to.equal(at('2029-02-28'));
    expect(monthsAfter(48, at('2028-02-29'))).to.equal(at('2032-02-29'));
  });

  it('allow a release of the last moment, and none after it', () => {
    expect([-1, 0, 1].map((later) => mayFetch({ updatesUntil: 7 }, 7 + later))).to.deep.equal([true, true, false]);
    expect(mayFetch({ updatesUntil: null }, Number.MAX_SAFE_INTEGER)).to.equal(true);
  });
});
