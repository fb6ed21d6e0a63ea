import { expect } from 'chai';
import type { Actor } from '../../../core/accounts/role.ts';
import { providers } from '../../../core/purchases/order.ts';
import { shownActor } from '../../../core/selling/seller.ts';
import { operator } from '../../support/by.ts';

const ada = { id: 7, email: 'ada@example.com', role: null } as unknown as Extract<Actor, { kind: 'user' }>['user'];
const seller = { actor: { kind: 'user', user: ada }, mode: 'live' } as const;

describe('who a seller sees in a history', () => {
  it('is the seller, the buyer and every machine by name, and anybody else as an administrator', () => {
    const shown = (actor: string) => shownActor(actor, seller, ['zoe@example.com']);
    for (const actor of ['ada@example.com', 'zoe@example.com', 'license-api', 'server', ...providers]) {
      expect(shown(actor)).to.equal(actor);
    }
    expect(shown('root@example.com')).to.equal('administrator');
  });

  it('is everybody by name for the operator', () => {
    expect(shownActor('root@example.com', { actor: operator, mode: 'live' })).to.equal('root@example.com');
  });
});
