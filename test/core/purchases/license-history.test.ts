import { expect } from 'chai';
import fc from 'fast-check';
import { creditOf } from '../../../core/licensing/periods.ts';
import type { OnRefund } from '../../../core/marketplace/product-terms.ts';
import { day } from '../../../core/time.ts';
import { must } from '../../support/license-acts.ts';
import { type Happening, happenings, isTakenBack, model, type Step, World } from '../../support/license-history.ts';
import { runs } from '../../support/runs.ts';

const ordering: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('order'),
  sells: fc.constantFrom('renewal', 'upgrade'),
  days: fc.integer({ min: 1, max: 60 }),
  domains: fc.integer({ min: 1, max: 9 }),
  isPaidAtOnce: fc.boolean(),
});
const paying: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('payment'),
  which: fc.nat({ max: 6 }),
  what: fc.oneof(fc.constant('pay' as const), fc.constantFrom(...(Object.keys(happenings) as Happening[]))),
});
const setting: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('hand'),
  end: fc.option(fc.integer({ min: 1, max: 400 }), { nil: undefined }),
  domains: fc.option(fc.integer({ min: 1, max: 99 }), { nil: undefined }),
});
/** Clocks of servers differ, so the time also goes back. */
const waiting: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('clock'),
  days: fc.integer({ min: -5, max: 40 }),
});

describe('a license that is bought, renewed, upgraded, refunded and disputed', () => {
  const policy = fc.constantFrom<OnRefund>('revoke', 'revoke', 'keep');

  it('has what a calendar says, on which each payment that stands marks its days', () => {
    const steps = fc.array(
      fc.oneof(
        { weight: 3, arbitrary: ordering },
        { weight: 8, arbitrary: paying },
        { weight: 2, arbitrary: waiting },
        { weight: 1, arbitrary: setting },
      ),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(steps, policy, (all, onRefund) => {
        const world = new World(onRefund);
        for (const step of all) {
          world.step(step);
          const { license, hand } = world;
          const { end, domains, standing } = model(world);
          const { expiresAt, maxDomains, standing: now } = must(license);
          expect({ end: Number(expiresAt) / day, domains: maxDomains, standing: now }).to.deep.equal({
            end: hand.end ?? end,
            domains: hand.domains ?? domains,
            standing,
          });
        }
      }),
      { numRuns: runs(3_000) },
    );
  });

  it('ends the same in whatever order the refunds and disputes of its payments become known', () => {
    const happenedLater = fc.array(
      fc.tuple(fc.nat({ max: 6 }), fc.constantFrom(...(Object.keys(happenings) as Happening[]))),
      {
        maxLength: 20,
      },
    );
    const sales = fc.array(fc.oneof(ordering, ordering, waiting), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(sales, happenedLater, policy, fc.infiniteStream(fc.nat()), (made, later, onRefund, random) => {
        const pick = () => random.next().value ?? 0;
        const pay = (world: World) => {
          for (const step of made) {
            world.step(step.kind === 'order' ? { ...step, isPaidAtOnce: true } : step);
          }
          return world;
        };
        const one = pay(new World(onRefund));
        for (const [which, what] of later) one.step({ kind: 'payment', which, what });
        const finals = one.sales.map(({ order }) => order.payment);
        // The same payments, and then only their last state, in another order, some of them twice.
        const other = pay(new World(onRefund));
        const numbers = finals.flatMap((_, which) => (pick() % 2 === 0 ? [which] : [which, which]));
        for (const { which } of numbers.map((which) => ({ which, by: pick() })).sort((a, b) => a.by - b.by)) {
          other.tell(which, must(finals[which]));
        }
        const untold = ({ license, periods }: World) => ({ license, periods });
        expect(untold(other)).to.deep.equal(untold(one));
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('never has more unused worth than was paid for it and not paid back', () => {
    const sales = fc.array(fc.oneof(ordering, ordering, waiting, paying), { maxLength: 30 });
    fc.assert(
      fc.property(sales, (steps) => {
        const world = new World('revoke');
        for (const step of steps) {
          // A part that was taken off a price and is refunded later stays with the upgrade: the seller decides that.
          if (step.kind === 'payment' && step.what === 'refund a part') continue;
          world.step(step);
          if (world.periods.length === 0) continue;
          const stands = world.sales.filter(({ order }) => order.paidAt !== null && !isTakenBack(order));
          const paid = stands.reduce((sum, { order }) => sum + order.payment.total - order.payment.refunded, 0);
          expect(creditOf(world.periods, world.today * day).credit).to.be.at.most(paid);
        }
      }),
      { numRuns: runs(2_000) },
    );
  });
});
