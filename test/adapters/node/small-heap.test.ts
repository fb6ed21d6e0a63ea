import { expect } from 'chai';
import { withSmallHeap } from '../../../adapters/node/small-heap.ts';

describe('work in a small heap', () => {
  const service = {
    factor: 2,
    async times(number: number) {
      return number * this.factor;
    },
    async fail(): Promise<void> {
      throw new Error('broken');
    },
    other: () => 'as before',
  };
  const flags: string[] = [];
  const small = withSmallHeap(
    () => service,
    ['times', 'fail'],
    (flag) => flags.push(flag),
  )(undefined);

  it('has the results and errors of the methods, also of several at once', async () => {
    const [six, failed, eight] = await Promise.allSettled([small.times(3), small.fail(), small.times(4)]);
    expect(six).to.deep.equal({ status: 'fulfilled', value: 6 });
    expect(failed).to.have.property('reason').that.has.property('message', 'broken');
    expect(eight).to.deep.equal({ status: 'fulfilled', value: 8 });
    expect(flags).to.deep.equal(['--heap-growing-percent=50', '--heap-growing-percent=0']);
  });

  it('leaves other methods alone, and refuses what is no method', () => {
    expect(small.other).to.equal(service.other);
    expect(() => withSmallHeap(() => service, ['factor'])(undefined)).to.throw(TypeError, 'factor is not a method.');
  });
});
