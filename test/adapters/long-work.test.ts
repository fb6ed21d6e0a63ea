import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { createLongWork } from '../../adapters/queue.ts';
import { toUserId } from '../../core/id.ts';
import type { Account, LongWork } from '../../core/ports/long-work.ts';
import { Unavailable } from '../../core/unavailable.ts';
import { deferred } from '../support/deferred.ts';

const [ada, bob] = [toUserId(1), toUserId(2)];

describe('long work', () => {
  let longWork: LongWork;
  let log: string[];
  beforeEach(() => {
    longWork = createLongWork();
    log = [];
  });

  /** Starts work that ends when the test ends it. */
  function start(name: string, account: Account, stop?: AbortSignal) {
    const { promise, resolve } = deferred<void>();
    const run = async () => {
      log.push(`${name} begins`);
      await promise;
      log.push(`${name} ends`);
    };
    return { done: longWork(account, run, stop), end: () => resolve() };
  }

  const refusalOf = (promise: Promise<unknown>) =>
    promise.then(
      () => undefined,
      (error: unknown) => error,
    );

  it('runs one at a time for an account, and does not let other accounts wait for it', async () => {
    const calls = [start('ada 1', ada), start('ada 2', ada), start('bob 1', bob), start('shell', 'operator')];
    await nextTurn();
    expect(log).to.deep.equal(['ada 1 begins', 'bob 1 begins', 'shell begins']);
    for (const { end } of calls) end();
    await Promise.all(calls.map(({ done }) => done));
    expect(log.indexOf('ada 2 begins')).to.be.greaterThan(log.indexOf('ada 1 ends'));
  });

  it('takes the first of each account that waits before the second of another', async () => {
    const running = [3, 4, 5, 6].map((id) => start(`user ${id}`, toUserId(id)));
    const calls = [...['ada 1', 'ada 2', 'ada 3'].map((name) => start(name, ada)), start('bob 1', bob)];
    for (const { end } of calls) end();
    await nextTurn();
    expect(log).to.have.lengthOf(running.length);
    running[0]?.end();
    await Promise.all(calls.map(({ done }) => done));
    const order = log.filter((line) => /^(ada|bob).*begins/.test(line));
    expect(order).to.deep.equal(['ada 1 begins', 'bob 1 begins', 'ada 2 begins', 'ada 3 begins']);
    for (const { end } of running) end();
    await Promise.all(running.map(({ done }) => done));
  });

  it('goes on after work that fails, and never runs work that is aborted while it waits', async () => {
    const failing = longWork(ada, async () => await Promise.reject(new Error('broken')));
    const stop = new AbortController();
    const first = start('first', ada);
    const aborted = start('aborted', ada, stop.signal);
    const next = start('next', ada);
    stop.abort(new Error('gone'));
    expect(await refusalOf(failing)).to.have.property('message', 'broken');
    expect(await refusalOf(aborted.done)).to.have.property('message', 'gone');
    first.end();
    next.end();
    await Promise.all([first.done, next.done]);
    expect(log).to.deep.equal(['first begins', 'first ends', 'next begins', 'next ends']);
  });

  it('refuses an account whose places are all taken, and no other', async () => {
    const calls = Array.from({ length: 61 }, (_, n) => start(`ada ${n}`, ada));
    expect(await refusalOf(start('one more', ada).done)).to.be.instanceOf(Unavailable);
    const other = start('bob', bob);
    for (const { end } of [...calls, other]) end();
    await Promise.all([...calls, other].map(({ done }) => done));
    expect(log).to.include('bob ends').and.not.include('one more begins');
    await longWork(ada, async () => void log.push('again'));
    expect(log.at(-1)).to.equal('again');
  });
});
