import { expect } from 'chai';
import fc from 'fast-check';
import { isRefused } from '../../../core/refusal.ts';
import {
  type AskedRange,
  beforeAll,
  mostPoints,
  pointsOf,
  rangeOf,
  type Step,
  sharesOf,
  spread,
  startOf,
  stepNames,
  steps,
} from '../../../core/selling/usage-hours.ts';

const { hour, day } = steps;
const now = Date.UTC(2026, 10, 22, 13, 20, 30, 5);
const at = (...[date, hours = 0]: [date: number, hours?: number]) => Date.UTC(2026, 10, date, hours);

const fullHour = fc.integer({ min: 400_000, max: 500_000 }).map((number) => number * hour);
const step = fc.constantFrom<Step>(...stepNames);

describe('spreading a number over hours or days', () => {
  it('gives the last part the remainder', () => {
    const hours = sharesOf('hour', at(22, 10), at(22, 13));
    expect(hours.map((share) => share.at)).to.deep.equal([at(22, 10), at(22, 11), at(22, 12)]);
    expect(spread(11, hours)).to.deep.equal([3, 3, 5]);
    expect(spread(2, hours)).to.deep.equal([0, 0, 2]);
    expect(spread(-4, hours)).to.deep.equal([-1, -1, -2]);
  });

  it('gives each day a part for each of its hours in UTC', () => {
    const days = sharesOf('day', at(20, 22), at(22, 1));
    expect(days).to.deep.equal([
      { at: at(20), hours: 2 },
      { at: at(21), hours: 24 },
      { at: at(22), hours: 1 },
    ]);
    expect(spread(60, days)).to.deep.equal([4, 48, 8]);
  });

  it('keeps the sum exact and the parts whole, and those of an hour the same in hours and in days', () => {
    fc.assert(
      fc.property(fullHour, fc.integer({ min: 1, max: 100 }), fc.maxSafeInteger(), (from, count, number) => {
        const [hours, days] = [sharesOf('hour', from, from + count * hour), sharesOf('day', from, from + count * hour)];
        expect(hours).to.have.lengthOf(count);
        const inDays = new Map(days.map((one) => [one.at, 0]));
        spread(number, hours).forEach((part, index) => {
          const start = startOf('day', hours[index]?.at ?? 0);
          inDays.set(start, (inDays.get(start) ?? Number.NaN) + part);
        });
        expect(spread(number, days)).to.deep.equal([...inDays.values()]);
        const sum = (parts: readonly number[]) => parts.reduce((all, part) => all + BigInt(part), 0n);
        expect(sum(spread(number, hours))).to.equal(BigInt(number));
        expect(sum(spread(number, days))).to.equal(BigInt(number));
      }),
    );
  });

  it('puts all of the first snapshot before all hours, and fills at most 31 days', () => {
    for (const by of stepNames) expect(sharesOf(by, undefined, at(22))).to.deep.equal([{ at: beforeAll, hours: 1 }]);
    const late = sharesOf('hour', at(22) - 1_000 * day, at(22));
    expect([late.length, late[0]?.at, late.at(-1)?.at]).to.deep.equal([744, at(22) - 744 * hour, at(22) - hour]);
    expect(sharesOf('day', at(22) - 1_000 * day, at(22))).to.have.lengthOf(31);
  });
});

describe('a range of hours or days', () => {
  it('is by default the last 24 full hours, or 30 days with today', () => {
    expect(rangeOf({ by: 'hour' }, now)).to.deep.equal({ by: 'hour', from: at(21, 13), to: at(22, 13) });
    expect(rangeOf({ by: 'day' }, now)).to.deep.equal({ by: 'day', from: at(23) - 30 * day, to: at(23) });
    const from = at(20) + 1;
    expect(rangeOf({ by: 'day', from }, now)).to.deep.equal({ by: 'day', from: at(20), to: at(23) });
    expect(rangeOf({ by: 'hour', to: from }, now)).to.deep.equal({ by: 'hour', from: at(19, 1), to: at(20, 1) });
  });

  it('contains the asked time, in whole steps, and is not longer than allowed; or is refused', () => {
    const time = fc.option(fc.integer({ min: at(1) - 500 * day, max: at(30) }), { nil: undefined });
    fc.assert(
      fc.property(step, time, time, (by, from, to) => {
        const asked: AskedRange = { by, from, to };
        const range = rangeOf(asked, now);
        if (isRefused(range)) {
          const end = to ?? (by === 'hour' ? startOf('hour', now) : startOf('day', now) + day);
          if (range.reason === 'range_empty') expect(from ?? 0).to.be.at.least(startOf('hour', end));
          else expect(end - (from ?? 0)).to.be.greaterThan((mostPoints[by] - 1) * steps[by] - day);
          return;
        }
        expect([range.from % steps[by], range.to % steps[by], range.by]).to.deep.equal([0, 0, by]);
        if (from !== undefined) expect(range.from).to.be.within(from - steps[by] + 1, from);
        if (to !== undefined) expect(range.to).to.be.within(to, to + steps[by] - 1);
        expect((range.to - range.from) / steps[by]).to.be.within(1, mostPoints[by]);
      }),
      { examples: [['hour', at(22, 13), undefined]] },
    );
  });

  it('is refused if it is empty, turned around or too long', () => {
    const reason = (asked: AskedRange) => {
      const range = rangeOf(asked, now);
      return isRefused(range) ? range.reason : undefined;
    };
    expect(reason({ by: 'day', from: at(20, 5), to: at(20, 5) })).to.equal('range_empty');
    expect(reason({ by: 'day', from: at(20, 5), to: at(20, 4) })).to.equal('range_empty');
    expect(reason({ by: 'hour', from: at(22, 14) })).to.equal('range_empty');
    for (const by of stepNames) {
      const most = mostPoints[by] * steps[by];
      expect(reason({ by, from: at(20) - most, to: at(20) })).to.equal(undefined);
      expect(reason({ by, from: at(20) - most - 1, to: at(20) })).to.equal('range_too_long');
    }
  });
});

describe('points of a range', () => {
  it('has zeros where nothing was verified, and the domains of the row before', () => {
    const row = (hours: number, verifications: number, activeDomains: number) => ({
      at: at(22, hours),
      verifications,
      activeDomains,
    });
    expect(pointsOf([row(1, 5, 3), row(3, 2, 4)], { by: 'hour', from: at(22), to: at(22, 5) }, 2)).to.deep.equal([
      row(0, 0, 2),
      row(1, 5, 3),
      row(2, 0, 3),
      row(3, 2, 4),
      row(4, 0, 4),
    ]);
  });

  it('adds up hours to days without losing one', () => {
    const counts = fc.uniqueArray(fc.tuple(fc.nat(95), fc.nat(1_000), fc.nat(9)), { selector: ([number]) => number });
    fc.assert(
      fc.property(counts, (given) => {
        const rows = given
          .toSorted(([one], [other]) => one - other)
          .map(([number, verifications, activeDomains]) => ({
            at: at(20) + number * hour,
            verifications,
            activeDomains,
          }));
        const points = pointsOf(rows, { by: 'day', from: at(20), to: at(24) }, 7);
        expect(points.map((point) => point.at)).to.deep.equal([at(20), at(21), at(22), at(23)]);
        for (const point of points) {
          const inside = rows.filter((row) => startOf('day', row.at) === point.at);
          const last = rows.findLast((row) => row.at < point.at + day);
          expect(point.verifications).to.equal(inside.reduce((sum, { verifications }) => sum + verifications, 0));
          expect(point.activeDomains).to.equal(last?.activeDomains ?? 7);
        }
      }),
    );
  });
});
