import { expect } from 'chai';
import fc from 'fast-check';
import {
  type Feature,
  features,
  includedTiers,
  includes,
  listedFeatures,
  needingFeature,
  plans,
  tierNames,
} from '../../../core/accounts/tier.ts';

const tier = fc.constantFrom(...tierNames);
const featureNames = Object.keys(features) as Feature[];

describe('tiers', () => {
  it('include everything that the lower tiers include', () => {
    fc.assert(
      fc.property(tier, tier, tier, (lower, higher, needed) => {
        fc.pre(includes(higher, lower));
        if (includes(lower, needed)) expect(includes(higher, needed)).to.equal(true);
        expect(includedTiers(higher)).to.include.members(includedTiers(lower));
      }),
    );
  });

  it('have one order: of two different tiers, exactly one includes the other', () => {
    for (const one of tierNames) {
      for (const other of tierNames) {
        expect(includes(one, other) || includes(other, one)).to.equal(true);
        expect(includes(one, other) && includes(other, one)).to.equal(one === other);
      }
    }
  });

  it('include themselves and all lower tiers', () => {
    expect(includedTiers('free')).to.deep.equal(['free']);
    expect(includedTiers('pro')).to.deep.equal(['free', 'pro']);
    expect(includedTiers('enterprise')).to.deep.equal(['free', 'pro', 'enterprise']);
  });

  it('have at least the features and the rate limits of every lower tier', () => {
    fc.assert(
      fc.property(tier, tier, (lower, higher) => {
        fc.pre(includes(higher, lower));
        expect(listedFeatures(higher)).to.include.members(listedFeatures(lower));
        for (const feature of featureNames) {
          if (needingFeature(feature, lower, 'It') === undefined)
            expect(needingFeature(feature, higher, 'It')).to.equal(undefined);
        }
        for (const window of [0, 1] as const) {
          expect(plans[higher].allowances[window].limit).to.be.at.least(plans[lower].allowances[window].limit);
          expect(plans[higher].allowances[window].seconds).to.equal(plans[lower].allowances[window].seconds);
        }
      }),
    );
  });

  it('list and allow the features of the spec: publishing is listed from pro on, but every tier may publish', () => {
    const mayOn = (feature: Feature) => tierNames.filter((one) => needingFeature(feature, one, 'It') === undefined);
    expect(Object.fromEntries(featureNames.map((feature) => [feature, mayOn(feature)]))).to.deep.equal({
      mainnet_deploy: ['pro', 'enterprise'],
      ai_review: ['pro', 'enterprise'],
      marketplace_publish: ['free', 'pro', 'enterprise'],
      priority_support: ['enterprise'],
    });
    expect(tierNames.map((one) => listedFeatures(one))).to.deep.equal([
      [],
      ['mainnet_deploy', 'ai_review', 'marketplace_publish'],
      ['mainnet_deploy', 'ai_review', 'marketplace_publish', 'priority_support'],
    ]);
  });

  it('refuse a feature that the plan does not have, with a sentence that names the required plan', () => {
    expect(needingFeature('priority_support', 'pro', 'Support at night')).to.deep.equal({
      kind: 'refused',
      reason: 'tier_required',
      detail: 'Support at night requires the enterprise plan.',
    });
  });

  const spec = { free: [30, 1_000], pro: [120, 50_000], enterprise: [600, 500_000] } as const;
  for (const name of tierNames) {
    it(`allow ${spec[name][0]} calls a minute and ${spec[name][1]} a day on ${name}`, () => {
      expect(plans[name].allowances).to.deep.equal([
        { limit: spec[name][0], seconds: 60 },
        { limit: spec[name][1], seconds: 86_400 },
      ]);
    });
  }
});
