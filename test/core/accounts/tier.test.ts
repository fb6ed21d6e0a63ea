import { expect } from 'chai';
import fc from 'fast-check';
import { includedTiers, includes, plans, tierNames } from '../../../core/accounts/tier.ts';

const tier = fc.constantFrom(...tierNames);

describe('tiers', () => {
  it('grow: whoever is shown what needs a tier is shown it on every higher one too', () => {
    fc.assert(
      fc.property(tier, tier, tier, (lower, higher, needed) => {
        fc.pre(includes(higher, lower));
        if (includes(lower, needed)) expect(includes(higher, needed)).to.equal(true);
        expect(includedTiers(higher)).to.include.members(includedTiers(lower));
      }),
    );
  });

  it('are in one order: of two, one includes the other, and both do only where they are the same', () => {
    for (const one of tierNames) {
      for (const other of tierNames) {
        expect(includes(one, other) || includes(other, one)).to.equal(true);
        expect(includes(one, other) && includes(other, one)).to.equal(one === other);
      }
    }
  });

  it('show free to everybody, and everything to enterprise', () => {
    expect(includedTiers('free')).to.deep.equal(['free']);
    expect(includedTiers('pro')).to.deep.equal(['free', 'pro']);
    expect(includedTiers('enterprise')).to.deep.equal(['free', 'pro', 'enterprise']);
  });

  it('never lose a feature or an allowance on the way up', () => {
    fc.assert(
      fc.property(tier, tier, (lower, higher) => {
        fc.pre(includes(higher, lower));
        expect(plans[higher].features).to.include.members([...plans[lower].features]);
        for (const window of [0, 1] as const) {
          expect(plans[higher].allowances[window].limit).to.be.at.least(plans[lower].allowances[window].limit);
          expect(plans[higher].allowances[window].seconds).to.equal(plans[lower].allowances[window].seconds);
        }
      }),
    );
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
