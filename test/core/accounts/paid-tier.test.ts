import { expect } from 'chai';
import fc from 'fast-check';
import { assignedTier, withAssignedTier, withPaidTier } from '../../../core/accounts/paid-tier.ts';
import { type SoldTier, type Tier, tierNames } from '../../../core/accounts/tier.ts';
import { plainUser, type User } from '../../../core/accounts/user.ts';
import { toUserId } from '../../../core/id.ts';

const tier = fc.constantFrom(...tierNames);
const act = fc.oneof(
  fc.record({ kind: fc.constant('assign' as const), tier }),
  fc.record({ kind: fc.constant('pay' as const), tier: fc.constantFrom<SoldTier | null>('pro', 'enterprise', null) }),
);
const userOf = (tier: Tier): User => ({
  ...{ ...plainUser, id: toUserId(1), name: 'Ada', email: 'ada@example.com', createdAt: 1, tier },
});

describe('the plan of a user', () => {
  it('is the higher of what is paid and what was assigned last, in whatever order both change', () => {
    fc.assert(
      fc.property(tier, fc.array(act), (first, acts) => {
        let user = userOf(first);
        let [paid, assigned]: [SoldTier | null, Tier] = [null, first];
        for (const one of acts) {
          if (one.kind === 'assign') assigned = one.tier;
          else paid = one.tier;
          user = one.kind === 'assign' ? withAssignedTier(user, one.tier) : withPaidTier(user, one.tier);
          const height = Math.max(tierNames.indexOf(assigned), tierNames.indexOf(paid ?? 'free'));
          const expected = userOf(tierNames[height] ?? 'free');
          expect(user).to.deep.equal(paid === null ? expected : { ...expected, plan: { paid, assigned } });
          expect(assignedTier(user)).to.equal(assigned);
        }
      }),
    );
  });

  it('stays the same object if the same is paid as before', () => {
    fc.assert(
      fc.property(tier, fc.constantFrom<SoldTier | null>('pro', 'enterprise', null), (assigned, paid) => {
        const user = withPaidTier(userOf(assigned), paid);
        expect(withPaidTier(user, paid)).to.equal(user);
      }),
    );
  });
});
