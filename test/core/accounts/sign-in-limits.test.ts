import { expect } from 'chai';
import fc from 'fast-check';
import { createMemoryRateLimiter } from '../../../adapters/limits/memory.ts';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import {
  type Attempt,
  appCodesOfAccount,
  countAppCode,
  countAttempt,
  limitsOf,
  signInLimits,
} from '../../../core/accounts/sign-in-limits.ts';
import { toUserId } from '../../../core/id.ts';
import { runs } from '../../support/runs.ts';

const attempts = Object.keys(signInLimits) as Attempt[];
const attempt = fc.constantFrom(...attempts);
const home = '198.51.100.7';
/** Addresses of attackers, also such that look like parts of subjects. */
const elsewhere = fc
  .oneof(fc.ipV4(), fc.constantFrom('2001:db8::/64', `${home}:`, `${home} ada@example.com`, 'unknown', ''))
  .filter((address) => address !== home);
const account = fc.constantFrom('ada@example.com', 'bob@example.com', ' ada@example.com', '');

describe('sign-in limits', () => {
  it('never let attempts from other addresses use up anything of a person at home', () => {
    fc.assert(
      fc.property(attempt, elsewhere, account, attempt, account, (tried, address, victim, own, mine) => {
        const used = limitsOf(tried, { address, account: victim }).map(({ subject }) => subject);
        for (const { subject } of limitsOf(own, { address: home, account: mine })) expect(used).to.not.include(subject);
      }),
    );
  });

  it('let a person in, whatever others tried before from other addresses', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ kind: attempt, address: elsewhere, account, times: fc.integer({ min: 1, max: 80 }) }), {
          maxLength: 8,
        }),
        attempt,
        async (tries, own) => {
          const clock = createManualClock(1_000_000);
          const ports = { clock, limiter: createMemoryRateLimiter(clock) };
          for (const { kind, times, ...tried } of tries) {
            for (let time = 0; time < times; time++) await countAttempt(ports, kind, tried);
          }
          expect(await countAttempt(ports, own, { address: home, account: 'ada@example.com' })).to.equal(undefined);
        },
      ),
      { numRuns: runs(40) },
    );
  });

  for (const kind of attempts) {
    it(`stop one address after its allowance of ${kind}, and say how long to wait`, async () => {
      const { byAccount, byAddress } = signInLimits[kind];
      const clock = createManualClock(1_000_000);
      const ports = { clock, limiter: createMemoryRateLimiter(clock) };
      const tryOn = (account: string) => countAttempt(ports, kind, { address: home, account });
      for (let time = 0; time < byAccount[0].limit; time++) expect(await tryOn('ada')).to.equal(undefined);
      const refused = await tryOn('ada');
      expect(refused).to.deep.include({ reason: 'too_many_attempts', figures: { retry_after: byAccount[0].seconds } });
      for (let n = byAccount[0].limit + 1; n < byAddress[0].limit; n++) expect(await tryOn(`${n}`)).to.equal(undefined);
      expect(await tryOn('another')).to.include({ reason: 'too_many_attempts' });
      clock.advance(Math.max(byAccount[0].seconds, byAddress[0].seconds) * 1000);
      expect(await tryOn('ada')).to.equal(undefined);
    });
  }

  it('stop guessing of six digits from all addresses together', async () => {
    const clock = createManualClock(1_000_000);
    const ports = { clock, limiter: createMemoryRateLimiter(clock) };
    const most = appCodesOfAccount[0]?.limit ?? 0;
    for (let time = 0; time < most; time++) expect(await countAppCode(ports, toUserId(1))).to.equal(undefined);
    expect(await countAppCode(ports, toUserId(1))).to.include({ reason: 'too_many_attempts' });
    expect(await countAppCode(ports, toUserId(2))).to.equal(undefined);
  });
});
