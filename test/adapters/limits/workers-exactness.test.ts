import { expect } from 'chai';
import fc from 'fast-check';
import { createMemoryRateLimiter } from '../../../adapters/limits/memory.ts';
import { type Channel, createSharedRateLimiter, shareRateLimiter } from '../../../adapters/limits/workers.ts';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import { noFallback } from '../../support/rate-limiters.ts';
import { runs } from '../../support/runs.ts';

type Message = Parameters<Channel['send']>[0];
type Counted = Awaited<ReturnType<ReturnType<typeof createSharedRateLimiter>['count']>>;

/** One direction of a connection. Messages wait until they are let through, in their order. */
function pipe() {
  const messages: Message[] = [];
  const listeners: ((message: unknown) => void)[] = [];
  return {
    messages,
    send: (message: Message) => void messages.push(structuredClone(message)),
    onMessage: (listener: (message: unknown) => void) => void listeners.push(listener),
    pass() {
      const message = messages.shift();
      if (message !== undefined) for (const listener of listeners) listener(message);
    },
  };
}

/** Workers of one primary, whose messages are as slow as a test wants. */
function startWorkers(count: number) {
  const clock = createManualClock(0);
  const shared = createMemoryRateLimiter(clock);
  const workers = Array.from({ length: count }, () => {
    const [up, down] = [pipe(), pipe()];
    shareRateLimiter({ send: down.send, onMessage: up.onMessage }, shared.countNow);
    const limiter = createSharedRateLimiter(
      { send: up.send, onMessage: down.onMessage },
      { fallback: noFallback, timeout: 2 ** 30 },
    );
    return { limiter, up, down };
  });
  return { shared, workers };
}

/** Lets all turns of the event loop pass that are due. */
const turn = () => new Promise(setImmediate);

describe('workers that share a rate limiter', () => {
  const limits = { short: { limit: 7, seconds: 60 }, long: { limit: 11, seconds: 3_600 } };
  const subjects = ['a', 'b'];

  it('allow exactly the limit together, and each allowed call sees one fewer left, in whatever order messages arrive', async () => {
    const worker = fc.nat(2);
    const step = fc.oneof(
      fc.record({ worker, calls: fc.integer({ min: 1, max: 9 }), subject: fc.constantFrom(...subjects) }),
      fc.record({ worker, pass: fc.constantFrom('up' as const, 'down' as const) }),
      fc.constant('turn' as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { workers } = startWorkers(3);
        const made: { readonly subject: string; readonly counted: Promise<Counted> }[] = [];
        for (const step of steps) {
          if (step === 'turn') await turn();
          else if ('pass' in step) workers[step.worker]?.[step.pass].pass();
          else {
            for (let n = 0; n < step.calls; n++) {
              const counted = workers[step.worker]?.limiter.count(step.subject, [limits.short, limits.long]);
              if (counted) made.push({ subject: step.subject, counted });
            }
          }
        }
        for (let round = 0; round < steps.length + 3; round++) {
          await turn();
          for (const { up, down } of workers) [up, down].forEach((one) => void one.pass());
        }
        for (const subject of subjects) {
          const answers = await Promise.all(
            made.filter((one) => one.subject === subject).map(({ counted }) => counted),
          );
          const left = (n: number) =>
            answers.flatMap(({ allowed, windows }) => (allowed ? [windows[n]?.remaining] : []));
          const allowed = Math.min(answers.length, limits.short.limit);
          const downFrom = (limit: number) => Array.from({ length: allowed }, (_, n) => limit - 1 - n);
          expect(left(0).toSorted(descending)).to.deep.equal(downFrom(limits.short.limit));
          expect(left(1).toSorted(descending)).to.deep.equal(downFrom(limits.long.limit));
        }
      }),
      { numRuns: runs(50) },
    );
  });

  it('send one message for all calls of a turn, and the next one after its response', async () => {
    const { workers } = startWorkers(1);
    const [{ limiter, up, down } = expect.fail()] = workers;
    const first = Array.from({ length: 5 }, () => limiter.count('a', [limits.short]));
    await turn();
    const second = Array.from({ length: 4 }, () => limiter.count('a', [limits.short]));
    await turn();
    expect(up.messages).to.have.length(1);
    up.pass();
    await turn();
    down.pass();
    await turn();
    expect((await Promise.all(first)).map(({ windows }) => windows[0]?.remaining)).to.deep.equal([6, 5, 4, 3, 2]);
    expect(up.messages).to.have.length(1);
    up.pass();
    await turn();
    down.pass();
    expect((await Promise.all(second)).map(({ allowed }) => allowed)).to.deep.equal([true, true, false, false]);
  });

  it('give each call of a message its own result, whatever windows it has', async () => {
    const clock = createManualClock(0);
    const windows = fc.uniqueArray(fc.record({ limit: fc.nat(3), seconds: fc.constantFrom(1, 60, 3_600) }), {
      selector: ({ seconds }) => seconds,
    });
    const call = fc.record({ subject: fc.constantFrom(...subjects), windows, peek: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 20 }), async (calls) => {
        const alone = createMemoryRateLimiter(clock);
        const expected = calls.map(({ subject, windows, peek }) => alone.countNow(subject, windows, peek));
        const [{ limiter, up, down } = expect.fail()] = startWorkers(1).workers;
        const counted = calls.map(({ subject, windows, peek }) => limiter.count(subject, windows, { peek }));
        await turn();
        up.pass();
        down.pass();
        expect(await Promise.all(counted)).to.deep.equal(expected);
      }),
      { numRuns: runs(50) },
    );
  });

  it('count each call once, also those of a worker that dies before it gets the result', async () => {
    const { shared, workers } = startWorkers(2);
    const [dying = expect.fail(), other = expect.fail()] = workers;
    for (let n = 0; n < 3; n++) void dying.limiter.count('a', [limits.short]);
    await turn();
    dying.up.pass();
    await turn();
    const rest = Array.from({ length: 9 }, () => other.limiter.count('a', [limits.short]));
    await turn();
    other.up.pass();
    await turn();
    other.down.pass();
    expect((await Promise.all(rest)).filter(({ allowed }) => allowed)).to.have.length(4);
    expect((await shared.count('a', [limits.short], { peek: true })).windows[0]?.remaining).to.equal(0);
  });
});

function descending(one: number | undefined, other: number | undefined): number {
  return (other ?? 0) - (one ?? 0);
}
