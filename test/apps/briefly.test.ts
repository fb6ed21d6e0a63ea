import { expect } from 'chai';
import { createManualClock } from '../../adapters/node/manual-clock.ts';
import { createBriefly, nameOfActor } from '../../apps/wiring/briefly.ts';
import { toUserId } from '../../core/id.ts';
import { deferred } from '../support/deferred.ts';
import { errorOf } from '../support/error-of.ts';

describe('what reads of the dashboard are remembered for', () => {
  function setUp() {
    let count = 0;
    const reads: string[] = [];
    const table = new Map([['a', 1]]);
    const read = async (name: string) => {
      reads.push(name);
      return table.get(name);
    };
    const clock = createManualClock(0);
    const briefly = createBriefly({ writes: { count: () => count }, clock });
    const write = (name: string, value: number) => {
      table.set(name, value);
      count += 1;
    };
    return { reads, read, briefly, write, clock };
  }

  it('is one name, until this process writes anything', async () => {
    const { reads, read, briefly, write } = setUp();
    const find = briefly(read, (name) => name);
    expect(await Promise.all([find('a'), find('a'), find('b')])).deep.equal([1, 1, undefined]);
    expect(await find('a')).equal(1);
    expect(reads).deep.equal(['a', 'b']);
    write('a', 2);
    expect(await find('a')).equal(2);
  });

  it('is for two seconds of the clock, forwards and backwards', async () => {
    const { reads, read, briefly, clock } = setUp();
    const find = briefly(read, (name) => name);
    await find('a');
    for (const [step, count] of [
      [1_999, 1],
      [1, 2],
      [-2_000, 3],
    ] as const) {
      clock.advance(step);
      await find('a');
      expect(reads, `${step} ms later`).length(count);
    }
  });

  it('keeps two reads with equal names apart', async () => {
    const { read, briefly } = setUp();
    const [one, other] = [
      briefly(read, () => 'same'),
      briefly(
        async () => 'other',
        () => 'same',
      ),
    ];
    expect([await one('a'), await other()]).deep.equal([1, 'other']);
  });

  it('is not what was read before a write that ended meanwhile', async () => {
    const { briefly, write } = setUp();
    const [held, ...results] = [deferred(), 'before', 'after'];
    const find = briefly(
      async () => {
        const result = results.shift();
        if (result === 'before') await held.promise;
        return result;
      },
      () => '',
    );
    const first = find();
    write('a', 2);
    const second = find();
    held.resolve();
    expect([await first, await second, await find()]).deep.equal(['before', 'after', 'after']);
  });

  it('is no failure', async () => {
    const { briefly } = setUp();
    const answers = [Promise.reject(new Error('planned fault')), Promise.resolve('well')];
    const find = briefly(
      () => answers.shift() ?? Promise.resolve('late'),
      () => '',
    );
    expect(String(await errorOf(find()))).include('planned fault');
    expect(await find()).equal('well');
  });

  it('belongs to one person, with the rights that the person had', () => {
    const user = { id: toUserId(1), email: 'a@example.com', role: null, suspendedAt: null };
    const names = [
      user,
      { ...user, id: toUserId(2) },
      { ...user, role: 'admin' as const },
      { ...user, suspendedAt: 1 },
      { ...user, sandboxUntil: 1 },
    ];
    expect(new Set(names.map((one) => nameOfActor({ kind: 'user', user: one })))).to.have.property('size', 5);
  });
});
