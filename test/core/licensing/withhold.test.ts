import { expect } from 'chai';
import fc from 'fast-check';
import { toProductId, toUserId } from '../../../core/id.ts';
import {
  type License,
  neverActivated,
  type PlainTransition,
  plainTransitions,
  renew,
  type Standing,
  standings,
  transit,
  type Withheld,
  withhold,
} from '../../../core/licensing/license.ts';
import { decideTransition } from '../../../core/licensing/transitions.ts';
import { isRefused } from '../../../core/refusal.ts';
import { by } from '../../support/by.ts';
import { good } from '../../support/good.ts';
import { keyNumber, issuedAt as now } from '../../support/license-acts.ts';
import { runs } from '../../support/runs.ts';

const fresh: License = {
  ...neverActivated,
  key: keyNumber(1),
  productId: toProductId(7),
  ownerId: toUserId(4),
  isLive: true,
  standing: 'active',
  maxDomains: 3,
  expiresAt: now + 100,
  createdAt: now,
};

type Payment = Withheld | null;
type Act = { readonly people: PlainTransition } | { readonly payment: Payment };

const people = fc.constantFrom(...plainTransitions);
const payment = fc.constantFrom<Payment>(null, 'suspended', 'revoked');
const acts = fc.array(
  fc.oneof(fc.record({ people }), fc.record({ payment })) satisfies fc.Arbitrary<Act> as fc.Arbitrary<Act>,
  { maxLength: 12 },
);

function done(license: License, act: Act): License {
  if ('payment' in act) return withhold(license, act.payment);
  const after = transit(license, act.people, now);
  return isRefused(after) ? license : after;
}

function worse(one: Standing, other: Standing): Standing {
  return standings[Math.max(standings.indexOf(one), standings.indexOf(other))] ?? one;
}

describe('a license that a payment withholds', () => {
  it('has the worse of the standings that people and the payment give it, in whatever order they act', () => {
    fc.assert(
      fc.property(acts, (all) => {
        // What people alone, and the payment alone, would have done.
        const own = all.filter((act) => 'people' in act).reduce(done, fresh).standing;
        const effect = all.reduce<Payment>((last, act) => ('payment' in act ? act.payment : last), null);
        expect(all.reduce(done, fresh)).to.deep.equal({
          ...fresh,
          standing: effect === null ? own : worse(own, effect),
          ownStanding: effect === null ? null : own,
        });
      }),
      { numRuns: runs(3_000) },
    );
  });

  it('gets the same refusals of transitions as without the payment', () => {
    fc.assert(
      fc.property(acts, people, (all, next) => {
        const alone = all.filter((act) => 'people' in act).reduce(done, fresh);
        const isAllowed = !isRefused(transit(alone, next, now));
        expect(isRefused(transit(all.reduce(done, fresh), next, now))).to.equal(!isAllowed);
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('can be renewed, and stays withheld', () => {
    const withheld = withhold(fresh, 'suspended');
    expect(renew(withheld, now + 200, now)).to.deep.equal({ ...withheld, expiresAt: now + 200 });
    expect(renew(withhold({ ...fresh, standing: 'suspended' }, 'suspended'), now + 200, now)).to.include({
      reason: 'transition_not_allowed',
    });
  });

  it('says so if people cannot change it', () => {
    expect(transit(withhold(fresh, 'suspended'), 'reinstate', now)).to.deep.include({
      reason: 'transition_not_allowed',
      detail:
        'Cannot reinstate this license: its payment is disputed, refunded or taken back. Without that, it would be active.',
    });
  });

  it('is not reported as suspended or reinstated by an act of people that changes nothing yet', () => {
    const withheld = withhold(fresh, 'suspended');
    const suspended = good(decideTransition(withheld, { transition: 'suspend' }, by, now));
    expect(suspended.event).to.deep.include({ type: 'license.changed', data: dataOf('suspended') });
    const reinstated = good(decideTransition(suspended.license, { transition: 'reinstate' }, by, now));
    expect(reinstated.event).to.deep.include({ type: 'license.changed', data: dataOf('active') });
    const revoked = good(decideTransition(withheld, { transition: 'revoke' }, by, now));
    expect(revoked.event).to.include({ type: 'license.revoked' });
  });
});

function dataOf(without: Standing) {
  return { status: 'suspended', expires_at: fresh.expiresAt, without_payment: without };
}
