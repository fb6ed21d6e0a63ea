import { expect } from 'chai';
import fc from 'fast-check';
import { includes, tierNames } from '../../../core/accounts/tier.ts';
import { mainnets, mayDeploy } from '../../../core/deployments/chains.ts';
import { runs } from '../../support/runs.ts';

const mainnetIds = [1, 42161, 8453, 137, 10];
const chainId = fc.oneof(fc.constantFrom(...mainnetIds), fc.integer({ min: 1 }));

describe('mayDeploy', () => {
  it('treats exactly the five chains of the spec as mainnets', () => {
    expect([...mainnets.keys()]).to.have.members(mainnetIds);
  });

  it('refuses free callers on mainnets, and refuses no other caller and no other chain', () => {
    fc.assert(
      fc.property(chainId, fc.constantFrom(...tierNames), (id, tier) => {
        const isBlocked = tier === 'free' && mainnetIds.includes(id);
        expect(mayDeploy(tier, id) !== undefined).to.equal(isBlocked);
      }),
      { numRuns: runs(500) },
    );
  });

  it('allows on a higher tier every chain that a lower tier allows', () => {
    const tier = fc.constantFrom(...tierNames);
    fc.assert(
      fc.property(chainId, tier, tier, (id, lower, higher) => {
        fc.pre(includes(higher, lower));
        if (mayDeploy(lower, id) === undefined) expect(mayDeploy(higher, id)).to.equal(undefined);
      }),
    );
  });

  it('names the chain and the required plan in the refusal', () => {
    for (const [id, name] of mainnets) {
      const detail = mayDeploy('free', id)?.detail;
      expect(detail).to.include(name);
      expect(detail).to.include(String(id));
      expect(detail).to.match(/\bpro\b/);
    }
  });
});
