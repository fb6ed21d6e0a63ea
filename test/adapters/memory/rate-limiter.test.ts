import { expect } from 'chai';
import { createManualClock } from '../../../adapters/memory/clock.ts';
import { createMemoryRateLimiter } from '../../../adapters/memory/rate-limiter.ts';

const minute = { limit: 3, seconds: 60 };
const day = { limit: 7, seconds: 86_400 };

describe('memory rate limiter', () => {
  const clock = createManualClock(Date.UTC(2026, 10, 20));
  const limiter = createMemoryRateLimiter(clock);

  it('holds a window for each subject that counts, none for one that peeks or is refused', async () => {
    await limiter.count('ada', [minute, day]);
    await limiter.count('bob', [minute]);
    await limiter.count('eve', [minute], { peek: true });
    await limiter.count('joe', [{ limit: 0, seconds: 60 }]);
    expect(limiter.size()).to.equal(3);
  });

  it('forgets the windows that are over, and keeps the others', async () => {
    clock.advance(60_000);
    await limiter.count('eve', [minute]);
    expect(limiter.size()).to.equal(2);
    expect((await limiter.count('ada', [day], { peek: true })).windows[0]?.remaining).to.equal(6);
  });

  it('never holds more than the subjects of two minutes, however many come', async () => {
    for (let n = 0; n < 5000; n++) {
      clock.advance(100);
      await limiter.count(`visitor ${n}`, [minute]);
      expect(limiter.size()).to.be.at.most(2 * 600 + 2);
    }
  });
});
