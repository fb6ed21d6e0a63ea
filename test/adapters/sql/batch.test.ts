import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { createBatcher } from '../../../adapters/sql/batch.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { errorOf } from '../../support/error-of.ts';
import { runs } from '../../support/runs.ts';

const roomy = { waiting: 1000, batch: 1000 };

/** Creates a batcher whose batches end only when the test ends them. */
function heldBatcher(limits: { waiting: number; batch: number; patience?: number; pauses?: boolean }) {
  const started: { requests: readonly string[]; finish: () => void; fail: (error: Error) => void }[] = [];
  let told = () => {};
  let running = 0;
  const batcher = createBatcher(async (requests: readonly string[]) => {
    expect(++running, 'batches that run at once').to.equal(1);
    try {
      return await new Promise<string[]>((resolve, reject) => {
        started.push({ requests, finish: () => resolve(requests.map((one) => `${one}!`)), fail: reject });
        told();
      });
    } finally {
      running--;
    }
  }, limits);
  /** Resolves with the nth batch when it has started. */
  const batch = async (n: number) => {
    for (;;) {
      const found = started[n];
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        told = resolve;
      });
    }
  };
  return { batcher, batch, started };
}

/** Returns the value or the error of a promise, or `pending`. */
async function stateOf(promise: Promise<unknown>): Promise<unknown> {
  const pending = Symbol('pending');
  const answer = await Promise.race([promise, new Promise(setImmediate).then(() => pending)]);
  return answer === pending ? 'pending' : answer;
}

describe('batcher', () => {
  it('gives each request its own answer; takes each request once, in order, and never too many in one batch', async () => {
    const size = fc.integer({ min: 1, max: 7 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 12 }), size, async (bursts, batch) => {
        const taken: number[] = [];
        const batcher = createBatcher(
          async (requests: readonly number[]) => {
            expect(requests.length).to.be.within(1, batch);
            taken.push(...requests);
            await new Promise(setImmediate);
            return requests.map((request) => `answer ${request}`);
          },
          { waiting: 1000, batch },
        );
        const answers: Promise<string>[] = [];
        for (const burst of bursts) {
          for (let n = 0; n < burst; n++) answers.push(batcher.submit(answers.length));
          await new Promise(setImmediate);
        }
        expect(await Promise.all(answers)).to.deep.equal(answers.map((_, n) => `answer ${n}`));
        expect(taken).to.deep.equal(answers.map((_, n) => n));
      }),
      { numRuns: runs(60) },
    );
  });

  it('takes all requests of one tick together', async () => {
    const { batcher, batch } = heldBatcher(roomy);
    const answers = ['a', 'b', 'c'].map((one) => batcher.submit(one));
    const first = await batch(0);
    expect(first.requests).to.deep.equal(['a', 'b', 'c']);
    first.finish();
    expect(await Promise.all(answers)).to.deep.equal(['a!', 'b!', 'c!']);
  });

  it('collects the next batch while one runs', async () => {
    const { batcher, batch, started } = heldBatcher(roomy);
    const answers = [batcher.submit('a')];
    const first = await batch(0);
    answers.push(batcher.submit('b'), batcher.submit('c'));
    await new Promise(setImmediate);
    answers.push(batcher.submit('d'));
    expect(started).to.have.lengthOf(1);
    first.finish();
    const second = await batch(1);
    expect(second.requests).to.deep.equal(['b', 'c', 'd']);
    second.finish();
    expect(await Promise.all(answers)).to.deep.equal(['a!', 'b!', 'c!', 'd!']);
  });

  it('waits as long as the last batch took if several requests wait, so that more of them share a batch', async () => {
    const { batcher, batch } = heldBatcher({ ...roomy, pauses: true });
    const answers = [batcher.submit('a')];
    const first = await batch(0);
    await sleep(20);
    answers.push(batcher.submit('b'), batcher.submit('c'));
    first.finish();
    await answers[0];
    await new Promise(setImmediate);
    answers.push(batcher.submit('d'));
    const second = await batch(1);
    expect(second.requests).to.deep.equal(['b', 'c', 'd']);
    second.finish();
    expect(await Promise.all(answers)).to.deep.equal(['a!', 'b!', 'c!', 'd!']);
  });

  it('starts again after it was idle', async () => {
    const { batcher, batch } = heldBatcher(roomy);
    for (const [n, name] of ['a', 'b', 'c'].entries()) {
      const answer = batcher.submit(name);
      (await batch(n)).finish();
      expect(await answer).to.equal(`${name}!`);
    }
  });

  it('rejects exactly the requests of a failed batch, with the error of the batch', async () => {
    const { batcher, batch } = heldBatcher({ waiting: 10, batch: 2 });
    const answers = ['a', 'b', 'c', 'd', 'e'].map((one) => batcher.submit(one));
    const settled = Promise.allSettled(answers);
    (await batch(0)).finish();
    (await batch(1)).fail(new Error('disk on fire'));
    (await batch(2)).finish();
    expect((await settled).map((one) => (one.status === 'fulfilled' ? one.value : one.reason.message))).to.deep.equal([
      'a!',
      'b!',
      'disk on fire',
      'disk on fire',
      'e!',
    ]);
  });

  it('rejects the requests also if the work throws before it returns a promise', async () => {
    const batcher = createBatcher((): Promise<string[]> => {
      throw new Error('not even begun');
    }, roomy);
    const [one, other] = await Promise.allSettled([batcher.submit('a'), batcher.submit('b')]);
    expect([one.status, other.status]).to.deep.equal(['rejected', 'rejected']);
  });

  it('rejects requests over the limit with Unavailable, and still answers the waiting ones', async () => {
    const { batcher, batch } = heldBatcher({ waiting: 2, batch: 10 });
    const running = batcher.submit('a');
    const first = await batch(0);
    const waiting = [batcher.submit('b'), batcher.submit('c')];
    const error = await batcher.submit('d').catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(Unavailable);
    first.finish();
    const second = await batch(1);
    expect(second.requests).to.deep.equal(['b', 'c']);
    const late = batcher.submit('e');
    second.finish();
    (await batch(2)).finish();
    expect(await Promise.all([running, ...waiting, late])).to.deep.equal(['a!', 'b!', 'c!', 'e!']);
  });

  describe('with work that does not end', () => {
    it('rejects each request that waits too long, in a running batch or not, and never takes it later', async () => {
      const { batcher, batch } = heldBatcher({ ...roomy, patience: 1 });
      const taken = errorOf(batcher.submit('a'));
      const first = await batch(0);
      const waiting = errorOf(batcher.submit('b'));
      const patient = batcher.submit('c', Number.POSITIVE_INFINITY);
      expect(await taken).to.be.instanceOf(Unavailable);
      expect(await waiting).to.be.instanceOf(Unavailable);
      expect(batcher.waiting()).to.equal(1);
      first.finish();
      const second = await batch(1);
      expect(second.requests).to.deep.equal(['c']);
      second.finish();
      expect(await patient).to.equal('c!');
    });

    it('returns how long the current batch has been running, and zero if there is none', async () => {
      const { batcher, batch } = heldBatcher(roomy);
      expect(batcher.age()).to.equal(0);
      const answer = batcher.submit('a');
      const { finish } = await batch(0);
      const before = batcher.age();
      await new Promise((resolve) => setTimeout(resolve, 2));
      expect(batcher.age()).to.be.greaterThan(before);
      finish();
      await answer;
      expect(batcher.age()).to.equal(0);
    });
  });

  describe('drain', () => {
    it('resolves immediately if nothing waits', async () => {
      const { batcher } = heldBatcher(roomy);
      expect(await stateOf(batcher.drain())).to.equal(undefined);
    });

    it('resolves when the last waiting request has succeeded or failed', async () => {
      const { batcher, batch } = heldBatcher({ waiting: 10, batch: 1 });
      const answers = Promise.allSettled([batcher.submit('a'), batcher.submit('b'), batcher.submit('c')]);
      const drained = batcher.drain();
      for (const n of [0, 1, 2]) {
        const { finish, fail } = await batch(n);
        expect(await stateOf(drained)).to.equal('pending');
        if (n === 1) fail(new Error('disk on fire'));
        else finish();
      }
      await drained;
      expect((await answers).map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
    });
  });
});
