import { expect } from 'chai';
import fc from 'fast-check';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import { batchSize, createUsageMeter } from '../../../core/accounts/usage-meter.ts';
import { toUserId } from '../../../core/id.ts';
import { OutcomeUnknown } from '../../../core/outcome-unknown.ts';
import type { AccountUse } from '../../../core/ports/usage-log.ts';
import { errorOf } from '../../support/error-of.ts';

const start = Date.UTC(2026, 10, 22, 23, 59, 59, 999);

/** A log that adds up the numbers. `fail` is thrown instead of the next additions; `after` is called before each of them. */
function makeMeter() {
  const clock = createManualClock(start);
  const total = new Map<string, [calls: number, refused: number]>();
  const sizes: number[] = [];
  const control: { fail: Error | undefined; during: () => Promise<void> } = {
    fail: undefined,
    during: async () => undefined,
  };
  const add = async (uses: readonly AccountUse[]) => {
    await control.during();
    if (control.fail) throw control.fail;
    sizes.push(uses.length);
    for (const { userId, day, calls, refused } of uses) {
      const [before, refusedBefore] = total.get(`${userId} ${day}`) ?? [0, 0];
      total.set(`${userId} ${day}`, [before + calls, refusedBefore + refused]);
    }
  };
  return { clock, total, sizes, control, meter: createUsageMeter({ log: { add }, clock }) };
}

describe('counting the calls of accounts', () => {
  it('adds calls and refusals to the day in UTC on which they came', async () => {
    const { meter, clock, total } = makeMeter();
    meter.count(toUserId(1), false);
    meter.count(toUserId(1), true);
    meter.count(toUserId(2), false);
    clock.advance(1);
    meter.count(toUserId(1), false);
    meter.count(toUserId(1), false);
    await meter.save();
    expect(Object.fromEntries(total)).to.deep.equal({
      '1 2026-11-22': [1, 1],
      '2 2026-11-22': [1, 0],
      '1 2026-11-23': [2, 0],
    });
  });

  it('writes nothing if nobody has called, and many accounts in a few batches', async () => {
    const { meter, sizes } = makeMeter();
    await meter.save();
    expect(sizes).to.deep.equal([]);
    for (let n = 0; n < 2 * batchSize + 1; n++) for (let call = 0; call < 3; call++) meter.count(toUserId(n), false);
    await meter.save();
    await meter.save();
    expect(sizes).to.deep.equal([batchSize, batchSize, 1]);
  });

  it('counts what comes during a save in the next one', async () => {
    const { meter, control, total } = makeMeter();
    meter.count(toUserId(1), false);
    control.during = async () => meter.count(toUserId(1), true);
    const [first, second] = [meter.save(), meter.save()];
    await first;
    expect(total.get('1 2026-11-22')).to.deep.equal([1, 0]);
    control.during = async () => undefined;
    await second;
    expect(total.get('1 2026-11-22')).to.deep.equal([1, 1]);
  });

  it('drops a batch if it is unknown whether it was added, and keeps the other batches', async () => {
    const { meter, control, total } = makeMeter();
    for (let n = 1; n <= batchSize + 1; n++) meter.count(toUserId(n), false);
    control.fail = new OutcomeUnknown('lost');
    expect(await errorOf(meter.save())).to.equal(control.fail);
    control.fail = undefined;
    await meter.save();
    expect([...total]).to.deep.equal([[`${batchSize + 1} 2026-11-22`, [1, 0]]]);
  });

  it('loses nothing and counts nothing twice, whichever saves fail', async () => {
    const act = fc.oneof(
      { weight: 5, arbitrary: fc.record({ user: fc.integer({ min: 1, max: 3 }), isRefused: fc.boolean() }) },
      fc.constantFrom('save', 'fail', 'next day'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 40 }), async (acts) => {
        const { meter, clock, control, total } = makeMeter();
        const expected = new Map<string, [number, number]>();
        for (const one of acts) {
          if (one === 'next day') clock.advance(86_400_000);
          else if (typeof one === 'string') {
            control.fail = one === 'fail' ? new Error('full') : undefined;
            await meter.save().catch(() => undefined);
          } else {
            meter.count(toUserId(one.user), one.isRefused);
            const name = `${one.user} ${new Date(clock.now()).toISOString().slice(0, 10)}`;
            const [calls, refused] = expected.get(name) ?? [0, 0];
            expected.set(name, one.isRefused ? [calls, refused + 1] : [calls + 1, refused]);
          }
        }
        control.fail = undefined;
        await meter.save();
        expect(Object.fromEntries(total)).to.deep.equal(Object.fromEntries(expected));
      }),
    );
  });
});
