import { assert, expect } from 'chai';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import type { MailId } from '../../../core/id.ts';
import { refuse } from '../../../core/refusal.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { backOff, lease, type Settled } from '../../../core/work/work.ts';
import { type Attempt, createWorker } from '../../../core/work/worker.ts';
import { deferred } from '../../support/deferred.ts';
import { openStoresInMemory, type StoresInMemory } from '../../support/in-memory.ts';
import { issuedAt, must } from '../../support/license-acts.ts';
import { addMails } from '../../support/mails.ts';

const doNothing = (): void => undefined;

describe('a worker', () => {
  let stores: StoresInMemory;
  let clock: ReturnType<typeof createManualClock>;
  let force: AbortController;
  const seen: Settled[] = [];
  const bugs: unknown[] = [];
  beforeEach(async () => {
    stores = await openStoresInMemory();
    clock = createManualClock(issuedAt);
    force = new AbortController();
    seen.length = bugs.length = 0;
  });
  afterEach(() => stores.close());

  const workerOf = (mail: Attempt<'mail'>, { places = 3, queue = stores.work, freed = doNothing } = {}) =>
    createWorker(queue, { mail, order: () => assert.fail('There is no such work.') }, clock, {
      places,
      stop: force.signal,
      freed,
      observe(settled, bug) {
        seen.push(settled);
        if (bug !== undefined) bugs.push(bug);
      },
    });
  const add = (count: number) => addMails(stores, count, clock.now());
  const mailOf = async (id: MailId | undefined) => must(await stores.mails.find(must(id)));

  it('does due work, as much at the same time as it has places', async () => {
    const ids = await add(5);
    let running = 0;
    let most = 0;
    let freed = 0;
    const worker = workerOf(
      async () => {
        most = Math.max(most, ++running);
        await new Promise(setImmediate);
        running--;
        return 'sent';
      },
      { freed: () => freed++ },
    );
    expect(await worker.take()).to.equal(true);
    expect(await worker.take()).to.equal(false);
    await worker.idle();
    expect(freed).to.be.greaterThan(0);
    expect(await worker.take()).to.equal(false);
    await worker.idle();
    expect(most).to.equal(3);
    for (const id of ids) expect((await mailOf(id)).state).to.equal('sent');
  });

  it('tries again after each wait of the table, and gives up after the last one', async () => {
    const [id] = await add(1);
    let attempts = 0;
    const worker = workerOf(async () => {
      throw new Unavailable(`out ${++attempts}`);
    });
    for (const [n, wait] of backOff.mail.entries()) {
      await worker.take();
      await worker.idle();
      expect(await mailOf(id)).to.include({ state: 'queued', attempts: n + 1, error: `out ${n + 1}` });
      clock.advance(wait - 1);
      await worker.take();
      await worker.idle();
      expect(attempts).to.equal(n + 1);
      clock.advance(1);
    }
    await worker.take();
    await worker.idle();
    expect(await mailOf(id)).to.include({ state: 'failed', error: `out ${backOff.mail.length + 1}`, dueAt: null });
    clock.advance(365 * 24 * 3_600_000);
    await worker.take();
    expect(attempts).to.equal(backOff.mail.length + 1);
    expect(bugs).to.deep.equal([]);
  });

  it('gives up at once if no later attempt can succeed', async () => {
    const [id] = await add(1);
    const worker = workerOf(async () => refuse('refused_for_good', 'no such user'));
    await worker.take();
    await worker.idle();
    expect(await mailOf(id)).to.include({ state: 'failed', error: 'no such user', attempts: 1 });
  });

  it('reports an error that is no outage, and does not store its text, which may contain secrets', async () => {
    const [id] = await add(1);
    const bug = new Error('password hunter2');
    const worker = workerOf(() => Promise.reject(bug));
    await worker.take();
    await worker.idle();
    const { state, error } = await mailOf(id);
    expect([state, error]).to.deep.equal(['queued', 'An error in the program. The log has the details.']);
    expect(bugs).to.deep.equal([bug]);
  });

  it('gives up without an attempt if the processes of all attempts died', async () => {
    const [id] = await add(1);
    for (let n = 0; n <= backOff.mail.length; n++) {
      expect(await stores.work.claim({ now: clock.now(), until: clock.now() + lease, most: 1 })).to.have.lengthOf(1);
      clock.advance(lease);
    }
    const worker = workerOf(() => expect.fail('It must not be tried.'));
    await worker.take();
    await worker.idle();
    expect(await mailOf(id)).to.include({ state: 'failed', error: 'The process ended during each attempt.' });
  });

  it('keeps results that could not be stored, and stores them at the next look', async () => {
    const ids = await add(2);
    let isOut = true;
    const queue = {
      ...stores.work,
      settle: async (settled: readonly Settled[]) => {
        if (isOut) throw new Unavailable('out');
        await stores.work.settle(settled);
      },
    };
    const worker = workerOf(async () => 'sent', { queue });
    await worker.take();
    await worker.idle();
    expect((await mailOf(ids[0])).state).to.equal('queued');
    isOut = false;
    await worker.take();
    for (const id of ids) expect(await mailOf(id)).to.include({ state: 'sent', attempts: 1 });
  });

  it('stores results that arrive during a write with one more write', async () => {
    await add(8);
    const [first, rest] = [deferred(), deferred()];
    const writes: number[] = [];
    const queue = {
      ...stores.work,
      settle: async (settled: readonly Settled[]) => {
        writes.push(settled.length);
        rest.resolve();
        await new Promise(setImmediate);
        await stores.work.settle(settled);
      },
    };
    let started = 0;
    const worker = workerOf(
      async () => {
        await (started++ === 0 ? first.promise : rest.promise);
        return 'sent';
      },
      { queue, places: 8 },
    );
    await worker.take();
    first.resolve();
    await worker.idle();
    expect(writes).to.deep.equal([1, 7]);
  });

  it('gives back what is still running when the process stops, and ignores its late result', async () => {
    const ids = await add(2);
    const late = deferred();
    let started = 0;
    const worker = workerOf(async (_, stop) => {
      if (started++ === 0) await late.promise;
      else {
        await new Promise<void>((resolve) => stop.addEventListener('abort', resolve));
        throw new Unavailable('cut off');
      }
      return 'sent';
    });
    await worker.take();
    force.abort();
    await worker.giveBack();
    for (const id of ids)
      expect(await mailOf(id)).to.include({ state: 'queued', attempts: 0, error: null, dueAt: clock.now() });
    late.resolve();
    await worker.idle();
    expect((await mailOf(ids[0])).state).to.equal('queued');
    const next = workerOf(async ({ attempt }) => (attempt === 1 ? 'sent' : expect.fail()));
    force = new AbortController();
    await next.take();
    await next.idle();
    for (const id of ids) expect((await mailOf(id)).state).to.equal('sent');
  });

  it('does only the work on one object if asked', async () => {
    const ids = await add(3);
    const done: number[] = [];
    const worker = workerOf(async ({ subjectId }) => {
      done.push(subjectId);
      return 'kept';
    });
    await worker.takeOnly('mail', must(ids[1]));
    expect(done).to.deep.equal([ids[1]]);
    expect((await mailOf(ids[1])).state).to.equal('kept');
  });

  it('writes nothing if nothing is due', async () => {
    await add(1);
    const before = await stores.rows('work');
    clock.advance(-1);
    await workerOf(() => expect.fail()).take();
    expect(await stores.rows('work')).to.deep.equal(before);
  });
});
