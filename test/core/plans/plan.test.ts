import { expect } from 'chai';
import { type Feature, features, needingFeature, plans, tierNames } from '../../../core/accounts/tier.ts';
import { mainnets, mayDeploy } from '../../../core/deployments/chains.ts';
import { contentsOf } from '../../../core/plans/plan.ts';

const storage = { free: 1, pro: 20, enterprise: 300 };

describe('what a plan includes', () => {
  for (const tier of tierNames) {
    it(`is what the rules allow on ${tier}`, () => {
      const plan = contentsOf(tier, storage);
      const [minute, day] = plans[tier].allowances;
      expect([plan.tier, plan.storage]).to.deep.equal([tier, storage[tier]]);
      expect([plan.callsPerMinute, plan.callsPerDay]).to.deep.equal([minute.limit, day.limit]);
      for (const [id, name] of mainnets) {
        expect(plan.mainnets.includes(name)).to.equal(mayDeploy(tier, id) === undefined);
      }
      expect(Object.keys(plan.features)).to.have.members(Object.keys(features));
      for (const name of Object.keys(features) as Feature[]) {
        expect(plan.features[name]).to.equal(needingFeature(name, tier, 'It') === undefined);
      }
    });
  }

  it('names templates of the plan and of lower plans, and mainnets from pro on', () => {
    expect(tierNames.map((tier) => contentsOf(tier, storage).templates)).to.deep.equal([
      ['free'],
      ['free', 'pro'],
      ['free', 'pro', 'enterprise'],
    ]);
    expect(tierNames.map((tier) => contentsOf(tier, storage).mainnets.length)).to.deep.equal([0, 5, 5]);
  });
});
