import { expect } from 'chai';
import { collectGarbage } from '../../../adapters/node/collect-garbage.ts';

describe('the collection of garbage', () => {
  it('frees what nobody uses, and leaves the function for it to nobody', () => {
    let kept: object[] | undefined = Array.from({ length: 500_000 }, (_, n) => ({ n }));
    expect(kept).to.have.length(500_000);
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    kept = undefined;
    collectGarbage();
    expect(before - process.memoryUsage().heapUsed).to.be.greaterThan(8_000_000);
    expect(globalThis).to.not.have.property('gc');
  });
});
