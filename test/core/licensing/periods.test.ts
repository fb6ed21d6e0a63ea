import { expect } from 'chai';
import fc from 'fast-check';
import { toProductId } from '../../../core/id.ts';
import { monthsAfter } from '../../../core/licensing/ends.ts';
import { type License, neverActivated } from '../../../core/licensing/license.ts';
import {
  creditOf,
  type Gives,
  type Grant,
  grantOf,
  type Period,
  periodStandings,
  startPeriod,
  withheldBy,
  withPeriod,
} from '../../../core/licensing/periods.ts';
import { day } from '../../../core/time.ts';
import { keyNumber, issuedAt as start } from '../../support/license-acts.ts';
import { runs } from '../../support/runs.ts';

const fresh: License = {
  ...neverActivated,
  key: keyNumber(1),
  productId: toProductId(7),
  ownerId: null,
  isLive: true,
  standing: 'active',
  maxDomains: 2,
  expiresAt: start + 30 * day,
  createdAt: start,
};
const licenseOf = (fields: Partial<License> = {}): License => ({ ...fresh, ...fields });
const first = (license: License, fields: Partial<Period> = {}): Period => ({
  ...startPeriod(license, { cause: 'order:0', standing: 'paid', worth: 3_000 }),
  ...fields,
});
const period = (n: number, at: number, gives: Gives, fields: Partial<Period> = {}): Period => ({
  ...{ cause: `order:${n}`, at, standing: 'paid', gives, worth: 1_000, builtOn: [] },
  ...fields,
});
const renewal = (days: number | null, months: number | null = null) => ({ kind: 'renewal', days, months }) as const;
const upgrade = (days: number | null, maxDomains = 5) =>
  ({ kind: 'upgrade', offer: 'team', days, months: null, maxDomains, entitlements: ['team'] }) as const;
const at = (days: number) => start + days * day;

describe('the periods of a license', () => {
  const cases: Record<string, [License, Period[], Partial<Grant>]> = {
    'renewed early, it runs on from its old end': [
      licenseOf(),
      [period(1, at(10), renewal(30))],
      { expiresAt: at(60) },
    ],
    'renewed after its end, it runs from the payment on': [
      licenseOf(),
      [period(1, at(40), renewal(30))],
      { expiresAt: at(70) },
    ],
    'renewed twice, it has both times': [
      licenseOf(),
      [period(1, at(10), renewal(30)), period(2, at(11), renewal(30))],
      { expiresAt: at(90) },
    ],
    'renewed twice and the first one refunded, it has the second': [
      licenseOf(),
      [period(1, at(10), renewal(30), { standing: 'void' }), period(2, at(11), renewal(30))],
      { expiresAt: at(60) },
    ],
    'renewed for ever, its updates still end': [
      licenseOf({ expiresAt: null, updatesUntil: at(100) }),
      [period(1, at(50), renewal(null, 12))],
      { expiresAt: null, updatesUntil: monthsAfter(12, at(100)) },
    ],
    'with updates that ended, they go on from the payment': [
      licenseOf({ expiresAt: null, updatesUntil: at(10) }),
      [period(1, at(50), renewal(null, 12))],
      { updatesUntil: monthsAfter(12, at(50)) },
    ],
    'with updates as long as it runs, they end together': [
      licenseOf({ updatesUntil: at(30) }),
      [period(1, at(10), renewal(30))],
      { expiresAt: at(60), updatesUntil: at(60) },
    ],
    'with all updates, it keeps them': [
      licenseOf(),
      [period(1, at(10), renewal(30, 12))],
      { expiresAt: at(60), updatesUntil: null },
    ],
    'upgraded, it has the new terms from the payment on': [
      licenseOf(),
      [period(1, at(10), upgrade(365))],
      { expiresAt: at(375), maxDomains: 5, entitlements: ['team'] },
    ],
    'with the upgrade refunded, it has the old terms': [
      licenseOf(),
      [period(1, at(10), upgrade(365), { standing: 'void' })],
      { expiresAt: at(30), maxDomains: 2, entitlements: [] },
    ],
    'renewed after an upgrade, it runs on from the end of that': [
      licenseOf(),
      [period(1, at(10), upgrade(100)), period(2, at(20), renewal(30))],
      { expiresAt: at(140), maxDomains: 5 },
    ],
  };
  for (const [name, [license, periods, expected]] of Object.entries(cases)) {
    it(`${name}`, () => {
      expect(grantOf([first(license), ...periods])).to.deep.include(expected);
    });
  }

  it('are worth less after an upgrade if what was taken off its price is refunded later', () => {
    const built = { worth: 9_000, builtOn: ['order:0'] };
    const worth = (refunded: number, next: Period[] = []) => {
      const paid = period(1, at(10), { ...upgrade(null), credit: 2_000 }, built);
      return creditOf([first(licenseOf(), { worth: 3_000 - refunded }), paid, ...next], at(50)).credit;
    };
    expect(
      [0, 500, 1_000].map((refunded) => worth(refunded)),
      'the used part first',
    ).to.deep.equal(Array(3).fill(9_000));
    expect(worth(1_500)).to.equal(8_500);
    expect(worth(2_999)).to.equal(7_001);
    const again = period(2, at(20), { ...upgrade(null), credit: 9_000 }, { worth: 12_000, builtOn: ['order:1'] });
    expect(worth(1_500, [again]), 'also below the one before').to.equal(11_500);
  });

  it('stop the license only if nothing that was paid is left', () => {
    const license = licenseOf();
    const voided = first(license, { standing: 'void' });
    const renewed = period(1, at(10), renewal(30));
    expect(withheldBy([first(license), renewed])).to.equal(null);
    expect(withheldBy([voided, renewed])).to.equal(null);
    expect(grantOf([voided, renewed]).expiresAt, 'from the payment of the renewal on').to.equal(at(40));
    expect(withheldBy([voided, { ...renewed, standing: 'void' }])).to.equal('revoked');
    expect(withheldBy([first(license), { ...renewed, standing: 'stopped' }])).to.equal('suspended');
    const updates = period(1, at(10), renewal(null, 12));
    expect(withheldBy([voided, updates]), 'updates alone are no time to run').to.equal('revoked');
    const built = period(1, at(10), upgrade(null), { builtOn: ['order:0'] });
    expect(withheldBy([first(license), built])).to.equal(null);
    expect(withheldBy([voided, built]), 'an upgrade that was not paid in full').to.equal('revoked');
    const further = period(2, at(20), upgrade(null), { builtOn: ['order:1'] });
    expect(withheldBy([first(license), built, further])).to.equal(null);
    expect(withheldBy([voided, built, further]), 'nor one that is built on that').to.equal('revoked');
  });

  it('give back the unused part for an upgrade, never more than was paid', () => {
    const license = licenseOf();
    const periods = [first(license), period(1, at(10), renewal(30))];
    expect(creditOf(periods, at(0))).to.deep.equal({ credit: 4_000, builtOn: ['order:0', 'order:1'] });
    expect(creditOf(periods, at(15))).to.deep.equal({ credit: 1_500 + 1_000, builtOn: ['order:0', 'order:1'] });
    expect(creditOf(periods, at(45))).to.deep.equal({ credit: 500, builtOn: ['order:1'] });
    expect(creditOf(periods, at(60))).to.deep.equal({ credit: 0, builtOn: [] });
    expect(creditOf([first(licenseOf({ expiresAt: null }))], at(999)).credit, 'for ever').to.equal(3_000);
    expect(creditOf([first(license), period(1, at(10), upgrade(100), { worth: 9_000 })], at(60)).credit).to.equal(
      4_500,
    );
  });

  it('keep what the seller has set by hand in the meantime', () => {
    const license = licenseOf();
    const one = withPeriod(license, [first(license)], period(1, at(10), renewal(30)));
    const byHand = { ...one.license, expiresAt: at(500) };
    const two = withPeriod(byHand, one.periods, period(2, at(20), renewal(30)));
    expect(two.license.expiresAt).to.equal(at(530));
    const refunded = withPeriod(two.license, two.periods, period(1, at(10), renewal(30), { standing: 'void' }));
    expect(refunded.license.expiresAt, 'of before its hand').to.equal(at(530));
    const both = withPeriod(refunded.license, refunded.periods, period(2, at(20), renewal(30), { standing: 'void' }));
    expect(both.license.expiresAt).to.equal(at(500));
    const domains = withPeriod({ ...both.license, maxDomains: 9 }, both.periods, period(3, at(30), renewal(1)));
    expect(domains.license).to.include({ maxDomains: 9, expiresAt: at(501) });
  });

  /** The same, worked out day by day, without folding. Only renewals of days. */
  function slowEnd(end: number, renewals: readonly { readonly at: number; readonly days: number }[]): number {
    let until = end;
    for (let today = 0, left = [...renewals]; left.length > 0; today++) {
      for (const one of left.filter((renewal) => renewal.at === today)) {
        if (until < today) until = today;
        for (let n = 0; n < one.days; n++) until++;
      }
      left = left.filter((renewal) => renewal.at > today);
    }
    return until;
  }

  const history = fc.array(
    fc.record({
      after: fc.integer({ min: 0, max: 40 }),
      days: fc.integer({ min: 1, max: 60 }),
      standing: fc.constantFrom('paid', ...periodStandings),
    }),
    { maxLength: 6 },
  );

  it('are what a slow and obvious count of days says, in whatever order refunds become known', () => {
    fc.assert(
      fc.property(history, fc.infiniteStream(fc.nat()), (all, order) => {
        const license = licenseOf();
        let today = 0;
        const renewals = all.map(({ after, days, standing }, n) => {
          today += after;
          return { n: n + 1, at: today, days, standing };
        });
        let state = { license, periods: [first(license)] as readonly Period[] };
        for (const { n, at: paid, days } of renewals) {
          state = withPeriod(state.license, state.periods, period(n, at(paid), renewal(days)));
        }
        const shuffled = renewals.map((one) => ({ one, by: order.next().value ?? 0 })).sort((a, b) => a.by - b.by);
        for (const { one } of shuffled) {
          const { n, at: paid, days, standing } = one;
          state = withPeriod(state.license, state.periods, period(n, at(paid), renewal(days), { standing }));
          const again = withPeriod(state.license, state.periods, period(n, at(paid), renewal(days), { standing }));
          expect(again, 'the same again').to.deep.equal(state);
        }
        const kept = renewals.filter(({ standing }) => standing !== 'void');
        expect(state.license.expiresAt).to.equal(at(slowEnd(30, kept)));
        const isStopped = renewals.some(({ standing }) => standing === 'stopped');
        expect(state.license.standing).to.equal(isStopped ? 'suspended' : 'active');
        const paid = kept.reduce((sum, { days }) => sum + days, 30);
        const gaps = (state.license.expiresAt ?? 0) - start - paid * day;
        expect(gaps, 'no day is given that was not paid, but for gaps').to.be.at.most(Math.max(0, today - 30) * day);
      }),
      { numRuns: runs(2_000) },
    );
  });
});
