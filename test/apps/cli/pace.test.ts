import { expect } from 'chai';
import { createCallCounter } from '../../../adapters/http/rate-limit.ts';
import { createMemoryRateLimiter } from '../../../adapters/limits/memory.ts';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import { pauseAfter } from '../../../apps/cli/pace.ts';
import { plans, tierNames } from '../../../core/accounts/tier.ts';
import { itLong, needing, skipLong } from '../../support/required-service.ts';

const minute = 60_000;
const hour = 60 * minute;

describe('the pace of a program that calls all day', () => {
  for (const tier of tierNames) {
    // The larger plans have many calls a day.
    const test = needing(tier === 'free' ? undefined : skipLong);
    for (const isIdle of [false, true])
      test.it(
        `never uses up the calls of the plan ${tier}, and leaves some to others at any time, ${isIdle ? 'without' : 'with'} events`,
        async () => {
          const clock = createManualClock(Date.UTC(2026, 0, 1, 5));
          const count = createCallCounter(createMemoryRateLimiter(clock), clock);
          const quota = { subject: 'account', allowances: plans[tier].allowances };
          let pause = 0;
          let calls = 0;
          const start = clock.now();
          for (const end = clock.now() + 30 * hour; clock.now() < end; clock.advance(pause)) {
            const { failure, tightest, headers } = await count('account', quota);
            expect(failure).to.equal(undefined);
            expect(tightest.remaining).to.be.at.least(5);
            pause = pauseAfter(headers.RateLimit ?? null, isIdle ? clock.now() - start : 0);
            calls++;
          }
          expect(calls).to.be.greaterThan(900);
        },
      );
  }

  itLong('is quick in the first hour of every plan', async () => {
    for (const [tier, most] of [
      ['free', 15_000],
      ['pro', 2_000],
      ['enterprise', 2_000],
    ] as const) {
      const clock = createManualClock(Date.UTC(2026, 0, 1, 5));
      const count = createCallCounter(createMemoryRateLimiter(clock), clock);
      for (const end = clock.now() + hour; clock.now() < end; ) {
        const { headers } = await count('account', { subject: 'account', allowances: plans[tier].allowances });
        const pause = pauseAfter(headers.RateLimit ?? null, 0);
        expect(pause, tier).to.be.within(2_000, most);
        clock.advance(pause);
      }
    }
  });

  it('looks at least once a minute for half a day without an event', async () => {
    const clock = createManualClock(Date.UTC(2026, 0, 1, 5));
    const count = createCallCounter(createMemoryRateLimiter(clock), clock);
    const start = clock.now();
    while (clock.now() < start + 12 * hour) {
      const { headers } = await count('account', { subject: 'account', allowances: plans.free.allowances });
      const pause = pauseAfter(headers.RateLimit ?? null, clock.now() - start);
      expect(pause).to.be.at.most(minute);
      clock.advance(pause);
    }
  });

  it('waits for the end of a window without calls, and is two seconds without limits', () => {
    expect(pauseAfter('"minute";r=0;t=41, "day";r=9000;t=80000', 0)).to.equal(41_000);
    expect(pauseAfter(null, 9 * hour)).to.equal(2_000);
    expect(pauseAfter('nonsense', 0)).to.equal(2_000);
  });
});
