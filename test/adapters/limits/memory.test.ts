import { expect } from 'chai';
import { createMemoryRateLimiter, type MemoryRateLimiter } from '../../../adapters/limits/memory.ts';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import { toUserId } from '../../../core/id.ts';
import { accountSubject } from '../../../core/ports/rate-limiter.ts';
import { itLong } from '../../support/required-service.ts';

const minute = { limit: 3, seconds: 60 };
const day = { limit: 7, seconds: 86_400 };

describe('memory rate limiter', () => {
  const clock = createManualClock(Date.UTC(2026, 10, 20));
  const limiter = createMemoryRateLimiter(clock);

  it('stores a window for each counted subject, and none for a peek or a refused call', async () => {
    await limiter.count('ada', [minute, day]);
    await limiter.count('bob', [minute]);
    await limiter.count('eve', [minute], { peek: true });
    await limiter.count('joe', [{ limit: 0, seconds: 60 }]);
    expect(limiter.size()).to.equal(3);
  });

  it('deletes ended windows, and keeps the others', async () => {
    clock.advance(60_000);
    await limiter.count('eve', [minute]);
    expect(limiter.size()).to.equal(2);
    expect((await limiter.count('ada', [day], { peek: true })).windows[0]?.remaining).to.equal(6);
  });

  it('never stores more than the subjects of two minutes', async () => {
    for (let n = 0; n < 5000; n++) {
      clock.advance(100);
      await limiter.count(`visitor ${n}`, [minute]);
      expect(limiter.size()).to.be.at.most(2 * 600 + 2);
    }
  });
});

describe('memory rate limiter with very many addresses', () => {
  /** Above this number, the limiter deletes several addresses at once: a thousandth of all, and one more. */
  const most = 2_000;
  const start = Date.UTC(2026, 10, 20);
  const left = async (limiter: MemoryRateLimiter, subject: string) => {
    const { windows } = await limiter.count(subject, [minute, day], { peek: true });
    return windows.map(({ remaining }) => remaining);
  };

  itLong('stores a limited number of windows of each length, and deletes those that started first', async () => {
    const clock = createManualClock(start);
    const limiter = createMemoryRateLimiter(clock, [], most);
    for (let n = 0; n < 5 * most; n++) {
      clock.advance(1);
      await limiter.count(`account:address:${n}`, [minute, day]);
      expect(limiter.size()).to.be.at.most(2 * most);
      if (n === most) expect(limiter.size()).to.equal(2 * (most - 2));
    }
    for (let n = 4 * most + 2; n < 5 * most; n++) {
      expect(await left(limiter, `account:address:${n}`)).to.deep.equal([2, 6]);
    }
    expect(await left(limiter, 'account:address:0')).to.deep.equal([3, 7]);
  });

  it('measures the age of a window from its own start, not from the first call of its subject', async () => {
    const clock = createManualClock(start);
    const limiter = createMemoryRateLimiter(clock, [], most);
    await limiter.count('old', [minute]);
    clock.advance(59_500);
    await limiter.count('visitor 0', [minute]);
    clock.advance(500); // The window of `old` has ended, but is not deleted yet.
    for (let n = 1; n < most - 1; n++) await limiter.count(`visitor ${n}`, [minute]);
    await limiter.count('old', [minute]);
    for (let n = most - 1; n < 1.5 * most; n++) await limiter.count(`visitor ${n}`, [minute]);
    expect((await limiter.count('old', [minute], { peek: true })).windows[0]?.remaining).to.equal(2);
  });

  itLong('never deletes windows of accounts because of many addresses', async () => {
    const clock = createManualClock(start);
    const limiter = createMemoryRateLimiter(clock, [], most);
    const users = Array.from({ length: 2 * most }, (_, user) => accountSubject(toUserId(user)));
    for (const user of users) await limiter.count(user, [minute, day]);
    for (let n = 0; n < 3 * most; n++) await limiter.count(`account:address:${n}`, [minute, day]);
    for (const user of users) expect(await left(limiter, user)).to.deep.equal([2, 6]);
  });

  it('returns only changed long windows of accounts for saving, and each change once', async () => {
    const limiter = createMemoryRateLimiter(createManualClock(start));
    await limiter.count('account:address:203.0.113.1', [minute, day]);
    await limiter.count('license:verify:203.0.113.1', [minute, day]);
    await limiter.count(accountSubject(toUserId(7)), [minute, day]);
    const changed = limiter.changed();
    expect(changed).to.deep.equal([
      { id: `86400:${accountSubject(toUserId(7))}`, used: 1, resetAt: start + 86_400_000 },
    ]);
    expect(limiter.changed()).to.deep.equal([]);

    const stale = { id: '86400:account:address:203.0.113.1', used: 5, resetAt: start + 10 };
    const after = createMemoryRateLimiter(createManualClock(start), [...changed, stale]);
    expect(await left(after, accountSubject(toUserId(7)))).to.deep.equal([3, 6]);
    expect(after.size()).to.equal(1);
  });
});
