import { expect } from 'chai';
import fc from 'fast-check';
import { creditOf } from '../../../core/licensing/periods.ts';
import { openStoresInMemory } from '../../support/in-memory.ts';
import { must } from '../../support/license-acts.ts';
import { runs } from '../../support/runs.ts';
import { type Beginning, beginnings, facts, type Step, SubscriptionWorld } from '../../support/subscription-history.ts';
import { isTakenBack, subscriptionModel } from '../../support/subscription-model.ts';

const beginning: fc.Arbitrary<Beginning> = fc.record({
  offer: fc.constantFrom(...beginnings),
  way: fc.constantFrom('stripe', 'manual'),
});
const which = fc.nat({ max: 9 });
/** Clocks of servers differ, so the time also goes back. */
const clock: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('clock'),
  days: fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 1, max: 35 }) }, { weight: 1, arbitrary: fc.constant(-1) }),
});
const card: fc.Arbitrary<Step> = fc.record({ kind: fc.constant('card'), is: fc.constantFrom('good', 'bad', 'paused') });
const payment: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('payment'),
  which,
  what: fc.constantFrom(...(Object.keys(facts) as (keyof typeof facts)[])),
});
const act: fc.Arbitrary<Step> = fc.record({ kind: fc.constant('act'), what: fc.constantFrom('cancel', 'resume') });
const choose: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('choose'),
  offer: fc.constantFrom('small', 'team', 'monthly', 'kept'),
  isPaid: fc.boolean(),
});
const pay: fc.Arbitrary<Step> = fc.record({ kind: fc.constant('pay'), which });
const hand: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('hand'),
  end: fc.option(fc.integer({ min: 1, max: 400 }), { nil: undefined }),
  domains: fc.option(fc.integer({ min: 1, max: 99 }), { nil: undefined }),
});
const look: fc.Arbitrary<Step> = fc.record({ kind: fc.constant('look'), which });
const trouble: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('outage' as const), isOn: fc.boolean() }),
  fc.record({ kind: fc.constant('crash' as const), call: fc.integer({ min: 1, max: 12 }), isAfter: fc.boolean() }),
);
const check: fc.Arbitrary<Step> = fc.constant({ kind: 'check' });
const steps = fc.array(
  fc.oneof(
    ...[clock, clock, clock, pay, pay, card, payment, act, act, choose, hand, look, trouble, check].map(
      (arbitrary) => ({
        weight: 1,
        arbitrary,
      }),
    ),
  ),
  { maxLength: 24 },
);

const days = (n: number): Step => ({ kind: 'clock', days: n });
const checked: Step = { kind: 'check' };
const done = (what: 'cancel' | 'resume'): Step => ({ kind: 'act', what });
const faultsOfThePast: [Beginning, Step[]][] = [
  // Cancelled after a late payment, it once began anew with that payment.
  [
    { offer: 'monthly', way: 'manual' },
    [done('cancel'), done('resume'), days(36), checked, { kind: 'pay', which: 0 }, done('cancel')],
  ],
  // With the first cheap payment back, the next ones once paid for the dear terms.
  [
    { offer: 'monthly', way: 'stripe' },
    [
      ...[{ kind: 'choose', offer: 'small', isPaid: false } as const, days(31), checked],
      ...[{ kind: 'payment', which: 1, what: 'refund all' } as const, checked, days(31)],
    ],
  ],
  // A license for ever once had an end again after a choice of less.
  [
    { offer: 'kept', way: 'stripe' },
    [days(65), checked, { kind: 'choose', offer: 'small', isPaid: false }, days(40), checked, days(90)],
  ],
  // A part of the payment is refunded whose unused rest paid for the next one.
  [
    { offer: 'monthly', way: 'stripe' },
    [
      { kind: 'choose', offer: 'team', isPaid: true },
      { kind: 'payment', which: 0, what: 'refund a part' },
    ],
  ],
  // The month that would have made a license last for ever is paid for less.
  [{ offer: 'kept', way: 'stripe' }, [days(30), { kind: 'choose', offer: 'small', isPaid: false }, days(30)]],
];

describe('a license that is subscribed, in any history', () => {
  async function check(world: SubscriptionWorld, stores: Awaited<ReturnType<typeof openStoresInMemory>>) {
    await world.catchUp();
    const [all, license] = [await world.orders(), await world.license()];
    const { root, isRevoked, paidTo, ...expected } = subscriptionModel(world, all);
    const { standing, maxDomains, expiresAt, updatesUntil } = license;
    // A license that is revoked keeps what it had.
    if (isRevoked) expect(['revoked', 'suspended']).to.include(standing);
    else expect({ standing, maxDomains, expiresAt, updatesUntil }).to.deep.equal(expected);

    const payments = all.map(({ provider, paymentId }) => paymentId && `${provider} ${paymentId}`).filter(Boolean);
    expect(new Set(payments).size, 'each payment has one order').to.equal(payments.length);
    const numbers = all.flatMap(({ number }) => (number === null ? [] : [number]));
    expect(
      numbers.sort((a, b) => a - b),
      'numbers without gaps',
    ).to.deep.equal(numbers.map((_, n) => n + 1));
    for (const order of all) {
      const { subscription } = order;
      if (subscription === null) continue;
      const cycles = all.filter(({ cycleOf }) => cycleOf === order.id);
      const open = cycles.filter(({ state }) => state === 'open');
      const isOver = isRevoked || String(order.id) !== root;
      if (order.provider === 'stripe') {
        const known = world.bank.known(`sub-${order.id}`);
        expect(cycles.map(({ paymentId }) => paymentId)).to.deep.equal(
          known.payments.map(({ paymentId }) => paymentId),
        );
        if (isOver) expect(known.status, 'nobody collects for nothing').to.equal('ended');
        expect(subscription.status).to.equal(known.status);
        expect(subscription.isCancelled).to.equal(known.isCancelled);
      }
      expect(open.length, 'one payment is asked for at most').to.be.at.most(1);
      if (isOver || subscription.isCancelled) expect(open, 'nobody is asked for nothing').to.deep.equal([]);
      if (isOver) expect(subscription.status).to.equal('ended');
      else expect(subscription.paidTo).to.equal(paidTo);
    }
    const paid = all
      .filter(({ paidAt }) => paidAt !== null)
      .map((order) => world.factsOf(order, all))
      .filter((one) => !isTakenBack(one))
      .reduce((sum, { total, refunded }) => sum + total - refunded, 0);
    const periods = await stores.orders.periodsOf(license.key);
    const { credit } = periods.length === 0 ? { credit: 0 } : creditOf(periods, world.clock.now());
    expect(credit, 'no more is unused than was paid').to.be.at.most(paid);
  }

  it('has what a calendar says, on which each payment that stands marks its days', async () => {
    await fc.assert(
      fc.asyncProperty(beginning, steps, async (begins, all) => {
        await using stores = await openStoresInMemory();
        const world = new SubscriptionWorld(stores, begins);
        await world.begin(begins);
        for (const step of all) {
          await world.step(step);
          if (step.kind === 'check') await check(world, stores);
        }
        await check(world, stores);
      }),
      { numRuns: runs(150), includeErrorInReport: true, examples: faultsOfThePast },
    );
  });

  it('is the same in whatever order and however late its payments at the provider become known', async () => {
    // What is taken back comes last: nobody collects any more for a license that is revoked.
    const happens = fc
      .tuple(fc.array(fc.oneof(clock, clock, card), { maxLength: 10 }), fc.array(payment, { maxLength: 4 }))
      .map((both) => both.flat());
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('monthly', 'kept'), happens, fc.array(look), async (offer, all, looks) => {
        const begins = { offer, way: 'stripe' } as const;
        const results: unknown[] = [];
        for (const isLate of [false, true]) {
          await using stores = await openStoresInMemory();
          const world = new SubscriptionWorld(stores, begins);
          await world.begin(begins);
          for (const [n, step] of all.entries()) {
            await world.step(step.kind === 'payment' ? { ...step, which: 0 } : step);
            if (!isLate) await world.catchUp();
            else if (looks[n]) await world.step(must(looks[n]));
          }
          await world.catchUp(isLate);
          await world.catchUp();
          const { standing, expiresAt, updatesUntil, maxDomains } = await world.license();
          const orders = (await world.orders()).map(({ paymentId, state }) => `${paymentId} ${state}`);
          results.push({ standing, expiresAt, updatesUntil, maxDomains, orders });
        }
        expect(results[1]).to.deep.equal(results[0]);
      }),
      { numRuns: runs(60), includeErrorInReport: true },
    );
  });
});
