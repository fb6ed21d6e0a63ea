import { expect } from 'chai';
import fc from 'fast-check';
import { type Action, type Actor, asOfNow, byOf, may, needing, rankOf, rights } from '../../../core/accounts/role.ts';
import { toUserId } from '../../../core/id.ts';
import { runs } from '../../support/runs.ts';

const actions = Object.keys(rights) as Action[];
const userId = fc.integer({ min: 1, max: 4 }).map(toUserId);
const operator: Actor = { kind: 'operator', by: { actor: 'admin:root', reason: 'asked' } };
const person: fc.Arbitrary<Extract<Actor, { kind: 'user' }>> = fc
  .record({
    id: userId,
    email: fc.constantFrom('ada@example.com', 'bob@example.com'),
    role: fc.constantFrom('admin' as const, null),
    suspendedAt: fc.constantFrom(1, 0, null),
  })
  .map((user) => ({ kind: 'user', user }));
const anyActor: fc.Arbitrary<Actor> = fc.oneof(fc.constant(operator), person);
const anything = [anyActor, fc.constantFrom(...actions), fc.option(userId, { nil: undefined })] as const;

describe('roles', () => {
  it('give nobody what the table denies, and everybody what it gives', () => {
    fc.assert(
      fc.property(...anything, (actor, action, ownerId) => {
        const isOwn = actor.kind === 'user' && actor.user.id === ownerId;
        const expected = { all: true, own: isOwn, none: false }[rights[action][rankOf(actor)]];
        expect(may(actor, action, ownerId)).to.equal(expected);
        expect(needing(actor, action, ownerId)?.reason).to.equal(expected ? undefined : 'forbidden');
      }),
      { numRuns: runs(500) },
    );
  });

  it('let the operator do everything, and a suspended user nothing, not even an administrator', () => {
    fc.assert(
      fc.property(...anything, (actor, action, ownerId) => {
        expect(may(operator, action, ownerId)).to.equal(true);
        if (actor.kind === 'operator') return;
        const suspended = { ...actor, user: { ...actor.user, suspendedAt: 5 } };
        expect(may(suspended, action, ownerId)).to.equal(false);
      }),
    );
  });

  it('let a plain user manage only things of the same user, and an administrator no things of others as own', () => {
    const ofOneself: readonly Action[] = [
      'own:manage',
      'sessions:end',
      'products:manage',
      'licenses:manage',
      'webhooks:manage',
      'orders:manage',
    ];
    const [me, other] = [toUserId(1), toUserId(2)];
    for (const role of ['admin', null] as const) {
      const actor: Actor = { kind: 'user', user: { id: me, email: 'ada@example.com', role, suspendedAt: null } };
      for (const action of actions) {
        const isOfOneself = ofOneself.includes(action);
        expect(may(actor, action, me), `${action} of oneself`).to.equal(role === 'admin' || isOfOneself);
        expect(may(actor, action, other), `${action} of others`).to.equal(role === 'admin' && action !== 'own:manage');
        expect(may(actor, action), `${action} of nobody`).to.equal(role === 'admin' && action !== 'own:manage');
      }
    }
  });

  it('are those of this moment: who is no administrator any more has the rights of a plain user', () => {
    fc.assert(
      fc.property(person, fc.constantFrom(...actions), fc.array(userId), (actor, action, administrators) => {
        const now = asOfNow(actor, administrators);
        if (administrators.includes(actor.user.id)) expect(now).to.equal(actor);
        else expect(may(now, action)).to.equal(may({ ...actor, user: { ...actor.user, role: null } }, action));
      }),
    );
    expect(asOfNow(operator, [])).to.equal(operator);
  });

  it('are recorded with the actor and the reason', () => {
    expect(byOf(operator)).to.deep.equal({ actor: 'admin:root', reason: 'asked' });
    const user = { id: toUserId(7), email: 'ada@example.com', role: null, suspendedAt: null };
    expect(byOf({ kind: 'user', user, reason: 'spam' })).to.deep.equal({ actor: 'ada@example.com', reason: 'spam' });
  });
});
