import { expect } from 'chai';
import fc from 'fast-check';
import type { ManualClock } from '../../adapters/node/manual-clock.ts';
import type { Allowance, RateLimiter } from '../../core/ports/rate-limiter.ts';
import { limiterKinds } from '../support/rate-limiters.ts';
import { needing } from '../support/required-service.ts';
import { runs } from '../support/runs.ts';

const start = Date.UTC(2026, 10, 20);
const minute = { limit: 3, seconds: 60 };
const day = { limit: 7, seconds: 86_400 };

/** Returns the fixed window at a time, computed from the times of the counted calls. */
function windowAt(counted: readonly number[], { limit, seconds }: Allowance, now: number) {
  let opened = Number.NEGATIVE_INFINITY;
  let used = 0;
  for (const at of counted) {
    if (at >= opened + seconds * 1000) {
      opened = at;
      used = 0;
    }
    used++;
  }
  if (now >= opened + seconds * 1000) return { limit, seconds, remaining: limit, resetAt: now + seconds * 1000 };
  return { limit, seconds, remaining: limit - used, resetAt: opened + seconds * 1000 };
}

for (const kind of limiterKinds) {
  needing(kind.skip).describe(`rate limiter: ${kind.name}`, () => {
    let limiter: RateLimiter;
    let clock: ManualClock;
    let close: () => Promise<void>;
    let stop: (() => Promise<void>) | undefined;

    before(async () => {
      stop = await kind.prepare?.();
    });
    after(() => stop?.());
    beforeEach(async () => {
      ({ limiter, clock, close } = await kind.open(start));
    });
    afterEach(() => close?.());

    const count = (subject: string, ...allowances: Allowance[]) => limiter.count(subject, allowances);
    const peek = (subject: string, ...allowances: Allowance[]) => limiter.count(subject, allowances, { peek: true });
    const burst = async (calls: number, subject: string, ...allowances: Allowance[]) => {
      const answers = await Promise.all(Array.from({ length: calls }, () => count(subject, ...allowances)));
      return answers.filter(({ allowed }) => allowed).length;
    };

    it('allows exactly the limit in every window, for any concurrent calls and any passage of time', async () => {
      const allowance = fc.record({ limit: fc.integer({ min: 1, max: 9 }), seconds: fc.constantFrom(1, 60, 61) });
      const long = fc.record({ limit: fc.integer({ min: 1, max: 20 }), seconds: fc.constantFrom(120, 86_400) });
      const step = fc.oneof(
        fc.record({ calls: fc.integer({ min: 1, max: 25 }), subject: fc.constantFrom('a', 'b', 'a:b') }),
        fc.record({ pass: fc.oneof(fc.constantFrom(1, 999, 1000, 59_999, 60_000, 120_000), fc.nat(90_000_000)) }),
      );
      let run = 0;
      await fc.assert(
        fc.asyncProperty(allowance, long, fc.array(step, { maxLength: 25 }), async (short, other, steps) => {
          run++;
          const counted: Record<string, number[]> = {};
          for (const taken of steps) {
            const now = clock.now();
            if ('pass' in taken) {
              clock.advance(taken.pass);
              continue;
            }
            const subject = `${taken.subject} of run ${run}`;
            counted[subject] ??= [];
            const times = counted[subject];
            const expected = [short, other].map((one) => windowAt(times, one, now));
            expect(await peek(subject, short, other)).to.deep.equal({
              allowed: expected.every(({ remaining }) => remaining > 0),
              windows: expected,
            });
            const passing = Math.min(taken.calls, ...expected.map(({ remaining }) => remaining));
            expect(await burst(taken.calls, subject, short, other)).to.equal(passing);
            times.push(...Array<number>(passing).fill(now));
            expect((await peek(subject, short, other)).windows).to.deep.equal(
              [short, other].map((one) => windowAt(times, one, now)),
            );
          }
        }),
        { numRuns: runs(150) },
      );
    });

    it('returns to each call the remaining calls, in the order of the allowances', async () => {
      clock.advance(500);
      expect(await count('ada', day, minute)).to.deep.equal({
        allowed: true,
        windows: [
          { ...day, remaining: 6, resetAt: start + 500 + 86_400_000 },
          { ...minute, remaining: 2, resetAt: start + 500 + 60_000 },
        ],
      });
      const { windows } = await count('ada', minute, day);
      expect(windows.map(({ remaining }) => remaining)).to.deep.equal([1, 5]);
    });

    it('starts a window with its first counted call, and ends it exactly at the returned time', async () => {
      await burst(2, 'ada', minute);
      clock.advance(59_999);
      expect(await burst(5, 'ada', minute)).to.equal(1);
      clock.advance(1);
      expect(await burst(5, 'ada', minute)).to.equal(3);
      expect((await peek('ada', minute)).windows[0]).to.include({ remaining: 0, resetAt: start + 120_000 });
    });

    it('counts a call that exceeds the minute limit in neither window', async () => {
      await burst(3, 'ada', minute, day);
      const before = await peek('ada', minute, day);
      expect(await burst(50, 'ada', minute, day)).to.equal(0);
      expect(await peek('ada', minute, day)).to.deep.equal(before);
      expect(before.windows.map(({ remaining }) => remaining)).to.deep.equal([0, 4]);
    });

    it('counts a call that exceeds the day limit in neither window', async () => {
      for (let passed = 0; passed < 7; clock.advance(60_000)) passed += await burst(9, 'ada', minute, day);
      const { allowed, windows } = await count('ada', minute, day);
      expect(allowed).to.equal(false);
      expect(windows.map(({ remaining }) => remaining)).to.deep.equal([3, 0]);
    });

    it('returns the same for a refused call as for a peek', async () => {
      await burst(3, 'ada', minute, day);
      clock.advance(10);
      expect(await count('ada', minute, day)).to.deep.equal(await peek('ada', minute, day));
    });

    it('does not count a peek, and does not start a window with it', async () => {
      await Promise.all(Array.from({ length: 50 }, () => peek('ada', minute)));
      clock.advance(30_000);
      await count('ada', minute);
      expect((await peek('ada', minute)).windows).to.deep.equal([{ ...minute, remaining: 2, resetAt: start + 90_000 }]);
    });

    it('counts each subject separately', async () => {
      expect(await burst(9, 'ada', minute)).to.equal(3);
      const others = [
        'bob',
        'ad',
        'ada ',
        'Ada',
        ':ada',
        '60:ada',
        '',
        '{',
        '}',
        '{ada}',
        'ada}:60',
        '{}ada',
        'ada\0',
        'ada\n',
      ];
      others.push('#', 'äda', '\ud800', '\ud801', 'a'.repeat(5000), 'a'.repeat(5001));
      for (const other of others) expect(await burst(9, other, minute), other).to.equal(3);
    });

    it('returns zero remaining calls, never a negative number, after the limit was lowered', async () => {
      await burst(3, 'ada', minute);
      const { allowed, windows } = await count('ada', { ...minute, limit: 2 });
      expect(allowed).to.equal(false);
      expect(windows[0]?.remaining).to.equal(0);
      expect((await count('ada', { ...minute, limit: 5 })).windows[0]?.remaining).to.equal(1);
    });

    for (const [back, by] of Object.entries({ 'an hour': 3_600_000, 'a day': 86_400_000 })) {
      it(`lets nobody wait longer than the length of a window after the clock was set back by ${back}`, async () => {
        await burst(7, 'ada', day);
        await burst(3, 'bob', minute, day);
        clock.set(start - by);
        for (const [subject, ...allowances] of [
          ['ada', day],
          ['bob', minute, day],
        ] as const) {
          for (const { seconds, resetAt } of (await peek(subject, ...allowances)).windows) {
            expect(resetAt - clock.now()).to.be.at.most(seconds * 1000);
          }
          expect(await burst(9, subject, ...allowances)).to.equal(allowances[0].limit);
          expect((await count(subject, ...allowances)).allowed).to.equal(false);
        }
        clock.advance(60_000);
        expect((await count('bob', minute, day)).allowed).to.equal(true);
      });
    }

    it('continues a window that a clock slightly ahead has started, and ends it after its length at the latest', async () => {
      await burst(3, 'ada', minute);
      clock.advance(-40);
      const { windows } = await count('ada', minute);
      for (const { resetAt } of windows) expect(resetAt - clock.now()).to.be.at.most(60_000);
      clock.advance(60_000);
      expect(await burst(9, 'ada', minute)).to.equal(3);
    });

    it('allows every call if there is no allowance', async () => {
      expect(await count('ada')).to.deep.equal({ allowed: true, windows: [] });
    });
  });
}
