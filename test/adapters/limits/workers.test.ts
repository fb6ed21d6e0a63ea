import { expect } from 'chai';
import { createMemoryRateLimiter } from '../../../adapters/limits/memory.ts';
import { type Channel, createSharedRateLimiter, shareRateLimiter } from '../../../adapters/limits/workers.ts';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';

/** A connection between a worker and its primary. While it is frozen, messages to the primary wait. */
function line() {
  const toPrimary: ((message: unknown) => void)[] = [];
  const toWorker: ((message: unknown) => void)[] = [];
  const held: object[] = [];
  let isFrozen = false;
  const tell = (listeners: typeof toPrimary, message: object) => {
    for (const listener of listeners) listener(message);
  };
  const primary: Channel = {
    send: (message) => tell(toWorker, message),
    onMessage: (listener) => void toPrimary.push(listener),
  };
  const worker: Channel = {
    send: (message) => (isFrozen ? void held.push(message) : tell(toPrimary, message)),
    onMessage: (listener) => void toWorker.push(listener),
  };
  return {
    primary,
    worker,
    held,
    freeze: () => {
      isFrozen = true;
    },
    thaw: () => {
      isFrozen = false;
      for (const message of held.splice(0)) tell(toPrimary, message);
    },
  };
}

describe('a rate limiter that several workers share', () => {
  const allowances = [{ limit: 2, seconds: 60 }];
  const start = () => {
    const clock = createManualClock(0);
    const between = line();
    const told: string[] = [];
    const log = {
      info: (_: object, text: string) => told.push(text),
      warn: (_: object, text: string) => told.push(text),
    };
    const shared = createMemoryRateLimiter(clock);
    shareRateLimiter(between.primary, shared.countNow);
    const fallback = createMemoryRateLimiter(clock);
    let time = 0;
    const limiter = createSharedRateLimiter(between.worker, { fallback, log, timeout: 20, now: () => time });
    const allowed = async () => (await limiter.count('a', allowances)).allowed;
    const left = async () => (await shared.count('a', allowances, { peek: true })).windows[0]?.remaining;
    const pass = (milliseconds: number) => {
      time += milliseconds;
    };
    return { ...between, told, allowed, left, pass, isShared: limiter.isShared };
  };

  it('counts in the primary while the primary answers', async () => {
    const { allowed, left } = start();
    expect(await allowed()).to.equal(true);
    expect(await left()).to.equal(1);
  });

  it('counts separately while the primary is silent, sends it no more calls, and logs that once', async () => {
    const { allowed, freeze, held, told } = start();
    freeze();
    const answers = [await allowed(), await allowed(), await allowed()];
    expect(answers).to.deep.equal([true, true, false]);
    expect(held).to.have.length(1);
    expect(told).to.have.length(1);
  });

  it('counts in the primary again when it is back', async () => {
    const { allowed, left, freeze, thaw, told } = start();
    freeze();
    await allowed();
    thaw();
    await new Promise(setImmediate);
    expect(await left()).to.equal(1); // It was sent before the connection was frozen.
    expect(await allowed()).to.equal(true);
    expect(await left()).to.equal(0);
    expect(told).to.have.length(2);
  });

  it('reports that it is not shared while the primary is silent, and for a minute after the last separate count', async () => {
    const { allowed, freeze, thaw, pass, isShared } = start();
    await allowed();
    expect(isShared()).to.equal(true);
    freeze();
    await allowed();
    pass(60_000);
    expect(isShared()).to.equal(false);
    await allowed();
    thaw();
    await new Promise(setImmediate);
    pass(59_999);
    expect(isShared()).to.equal(false);
    pass(1);
    expect(isShared()).to.equal(true);
    await allowed();
    expect(isShared()).to.equal(true);
  });
});
