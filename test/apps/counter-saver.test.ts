import { expect } from 'chai';
import type { Counter } from '../../adapters/counter-archive.ts';
import { createMemoryRateLimiter } from '../../adapters/limits/memory.ts';
import { createManualClock } from '../../adapters/node/manual-clock.ts';
import { createCounterSaver } from '../../apps/wiring/counter-saver.ts';
import { toUserId } from '../../core/id.ts';
import { accountSubject } from '../../core/ports/rate-limiter.ts';

const day = { limit: 9, seconds: 86_400 };

/** Creates a limiter, and an archive whose saves end when the test ends them. */
function makeSaver() {
  const clock = createManualClock(Date.UTC(2026, 10, 20));
  const limiter = createMemoryRateLimiter(clock);
  const saves: { readonly ids: string[]; end(error?: Error): void }[] = [];
  const errors: unknown[] = [];
  const archive = {
    load: async () => [],
    save: (counters: readonly Counter[]) =>
      new Promise<void>((resolve, reject) => {
        saves.push({ ids: counters.map(({ id }) => id), end: (error) => (error ? reject(error) : resolve()) });
      }),
  };
  const saver = createCounterSaver(limiter, archive, clock, { error: (fields: object) => void errors.push(fields) });
  const call = (user: number) => limiter.count(accountSubject(toUserId(user)), [day]);
  return { saver, saves, errors, call };
}

describe('saving the counters of accounts', () => {
  it('joins a save that is running; the next save writes the counters that have changed since', async () => {
    const { saver, saves, call } = makeSaver();
    await call(1);
    const first = saver.save();
    await call(2);
    const second = saver.save();
    expect(saves.map(({ ids }) => ids)).to.deep.equal([[`86400:${accountSubject(toUserId(1))}`]]);
    saves[0]?.end();
    await Promise.all([first, second]);
    const third = saver.save();
    expect(saves[1]?.ids).to.deep.equal([`86400:${accountSubject(toUserId(2))}`]);
    saves[1]?.end();
    await third;
    await saver.save();
    expect(saves).to.have.lengthOf(2);
  });

  it('finishes only after it has saved the counters that changed during the last save', async () => {
    const { saver, saves, call } = makeSaver();
    await call(1);
    const first = saver.save();
    await call(2);
    const finished = saver.finish();
    saves[0]?.end();
    await first;
    await new Promise(setImmediate);
    expect(saves[1]?.ids).to.deep.equal([`86400:${accountSubject(toUserId(2))}`]);
    saves[1]?.end();
    await finished;
  });

  it('logs a failed save, and can save again', async () => {
    const { saver, saves, errors, call } = makeSaver();
    await call(1);
    const first = saver.save();
    saves[0]?.end(new Error('full'));
    await first;
    expect(errors).to.have.lengthOf(1);
    await call(1);
    const second = saver.save();
    saves[1]?.end();
    await second;
    expect(saves).to.have.lengthOf(2);
  });
});
