import { expect } from 'chai';
import fc from 'fast-check';
import { split } from '../../core/split.ts';
import { runs } from '../support/runs.ts';

const amount = fc.nat({ max: 99_999_999 });
const weights = fc.array(fc.nat({ max: 99_999_999 }), { minLength: 1, maxLength: 20 });
const sum = (shares: readonly number[]) => shares.reduce((all, share) => all + share, 0);

describe('splitting an amount', () => {
  it('gives whole shares whose sum is the amount, each less than 1 away from its exact value', () => {
    fc.assert(
      fc.property(amount, weights, (amount, weights) => {
        const shares = split(amount, weights);
        expect(sum(shares)).to.equal(amount);
        const all = sum(weights);
        for (const [index, share] of shares.entries()) {
          expect(Number.isSafeInteger(share) && share >= 0).to.equal(true);
          const [weight, whole] = all === 0 ? [1, weights.length] : [weights[index] ?? 0, all];
          const distance = BigInt(share) * BigInt(whole) - BigInt(amount) * BigInt(weight);
          expect(distance > -BigInt(whole) && distance < BigInt(whole)).to.equal(true);
          if (weight === 0) expect(share).to.equal(0);
        }
      }),
      { numRuns: runs(500) },
    );
  });

  it('returns weights that are the amount as they are, and no share below its weight for a larger amount', () => {
    fc.assert(
      fc.property(weights, amount, (weights, more) => {
        if (sum(weights) === 0) return;
        expect(split(sum(weights), weights)).to.deep.equal(weights);
        for (const [index, share] of split(sum(weights) + more, weights).entries()) {
          expect(share >= (weights[index] ?? 0)).to.equal(true);
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('gives the cents that rounding leaves to those that lost most, and splits equally without weights', () => {
    expect(split(100, [1, 1, 1])).to.deep.equal([34, 33, 33]);
    expect(split(10, [1, 2, 0])).to.deep.equal([3, 7, 0]);
    expect(split(5, [0, 0])).to.deep.equal([3, 2]);
    expect(split(0, [])).to.deep.equal([]);
  });
});
