import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { createFairQueue, createQueue, createQueues } from '../../adapters/queue.ts';
import { TooMuchAtOnce, Unavailable } from '../../core/unavailable.ts';
import { deferred } from '../support/deferred.ts';

/** Creates work that ends when the test ends it. */
function work(name: string, began: string[]) {
  const { promise, resolve } = deferred<string>();
  const run = () => {
    began.push(name);
    return promise;
  };
  return { run, end: () => resolve(`${name} done`) };
}

describe('a queue', () => {
  const began: string[] = [];
  beforeEach(() => {
    began.length = 0;
  });
  const thrown = (promise: Promise<unknown>) =>
    promise.then(
      () => undefined,
      (error: unknown) => error,
    );

  it('runs a limited number of jobs at once, and the others in the order of arrival', async () => {
    const run = createQueue({ atOnce: 2, waiting: 10 });
    const all = ['a', 'b', 'c', 'd'].map((name) => work(name, began));
    const results = all.map((one) => run(one.run));
    await Promise.resolve();
    expect(began).to.deep.equal(['a', 'b']);
    all[1]?.end();
    expect(await results[1]).to.equal('b done');
    await nextTurn();
    expect(began).to.deep.equal(['a', 'b', 'c']);
    for (const { end } of all) end();
    expect(await Promise.all(results)).to.deep.equal(['a done', 'b done', 'c done', 'd done']);
  });

  it('refuses new work if too much is waiting, and accepts more after one has succeeded or failed', async () => {
    const run = createQueue({ atOnce: 1, waiting: 1 });
    const [first, second, third] = ['a', 'b', 'c'].map((name) => work(name, began));
    const failing = run(async () => {
      await first?.run();
      throw new Error('as told');
    });
    const waiting = run(async () => await second?.run());
    expect(await thrown(run(async () => await third?.run()))).to.be.instanceOf(Unavailable);
    first?.end();
    expect(await thrown(failing)).to.have.property('message', 'as told');
    const next = run(async () => await third?.run());
    second?.end();
    third?.end();
    expect(await Promise.all([waiting, next])).to.deep.equal(['b done', 'c done']);
    expect(began).to.deep.equal(['a', 'b', 'c']);
  });

  it('removes waiting work that is aborted and frees its place; running work keeps its place', async () => {
    const run = createQueue({ atOnce: 1, waiting: 1 });
    const [first, second, third] = ['a', 'b', 'c'].map((name) => work(name, began));
    const stop = new AbortController();
    const running = run(async () => await first?.run(), stop.signal);
    const other = new AbortController();
    const dropped = run(async () => await second?.run(), other.signal);
    other.abort(new Error('gone'));
    expect(await thrown(dropped)).to.have.property('message', 'gone');
    const next = run(async () => await third?.run());
    stop.abort();
    expect(await thrown(run(async () => undefined))).to.be.instanceOf(Unavailable);
    expect(await thrown(run(async () => undefined, stop.signal))).to.equal(stop.signal.reason);
    expect(began).to.deep.equal(['a']);
    first?.end();
    third?.end();
    expect(await Promise.all([running, next])).to.deep.equal(['a done', 'c done']);
    expect(began).to.deep.equal(['a', 'c']);
  });

  it('gives keys their turns in a circle, and refuses a key more than its share', async () => {
    const run = createFairQueue<string>({ atOnce: 1, waiting: 10, waitingOfOne: 3 });
    const first = work('first', began);
    const running = run('a', first.run);
    const ended = async (key: string, name: string) =>
      await run(key, async () => {
        began.push(name);
      });
    const waiting = [ended('a', 'a1'), ended('a', 'a2'), ended('a', 'a3'), ended('b', 'b1'), ended('c', 'c1')];
    expect(await thrown(ended('a', 'a4'))).to.be.instanceOf(TooMuchAtOnce);
    waiting.push(ended('b', 'b2'));
    first.end();
    await Promise.all([running, ...waiting]);
    expect(began).to.deep.equal(['first', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('that is full takes the last place of the key that has most for one that has less', async () => {
    const run = createFairQueue<string>({ atOnce: 1, waiting: 4, waitingOfOne: 3 });
    const first = work('first', began);
    const running = run('a', first.run);
    const ended = async (key: string, name: string) =>
      await run(key, async () => {
        began.push(name);
      });
    const [a1, a2, a3, b1] = [ended('a', 'a1'), ended('a', 'a2'), thrown(ended('a', 'a3')), ended('b', 'b1')];
    const c1 = ended('c', 'c1');
    expect(await a3).to.be.instanceOf(TooMuchAtOnce);
    const refused = await thrown(ended('b', 'b2'));
    expect([refused instanceof Unavailable, refused instanceof TooMuchAtOnce]).to.deep.equal([true, false]);
    first.end();
    await Promise.all([running, a1, a2, b1, c1]);
    expect(began).to.deep.equal(['first', 'a1', 'b1', 'c1', 'a2']);
  });

  it('of one key does not delay another key', async () => {
    const run = createQueues<string>({ atOnce: 1, waiting: 0 });
    const [first, second, third] = ['a', 'b', 'c'].map((name) => work(name, began));
    const one = run('one', async () => await first?.run());
    expect(await thrown(run('one', async () => await second?.run()))).to.be.instanceOf(Unavailable);
    const other = run('other', async () => await second?.run());
    second?.end();
    expect(await other).to.equal('b done');
    first?.end();
    expect(await one).to.equal('a done');
    third?.end();
    expect(await run('one', async () => await third?.run())).to.equal('c done');
  });
});
