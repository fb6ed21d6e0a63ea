import { expect } from 'chai';
import fc from 'fast-check';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import { systemSecrets } from '../../../adapters/node/secrets.ts';
import { type Accounts, createAccounts } from '../../../core/accounts/accounts.ts';
import { type KeyAct, keyRights, mayWithKeys } from '../../../core/accounts/api-key-rights.ts';
import type { KeyTerms } from '../../../core/accounts/api-key-terms.ts';
import { type Actor, may } from '../../../core/accounts/role.ts';
import { plainUser, type User } from '../../../core/accounts/user.ts';
import { event } from '../../../core/events/event.ts';
import { isRefused, type Refused } from '../../../core/refusal.ts';
import { by, operator } from '../../support/by.ts';
import { openStoresInMemory, type StoresInMemory } from '../../support/in-memory.ts';
import { writeLetter } from '../../support/letters.ts';
import { runs } from '../../support/runs.ts';

const clock = createManualClock(1_000_000);
const terms: KeyTerms = { name: 'CI', mode: 'live', scopes: null, expiresAt: null };
const people = [
  { role: null, suspendedAt: null },
  { role: null, suspendedAt: 1 },
  { role: 'admin', suspendedAt: null },
  { role: 'admin', suspendedAt: 1 },
] as const;

function good<T>(value: T | Refused): T {
  if (isRefused(value)) throw new Error(value.reason);
  return value;
}

describe('the rights to API keys', () => {
  let stores: StoresInMemory;
  let accounts: Accounts;
  const users: User[] = [];

  before(async () => {
    stores = await openStoresInMemory();
    accounts = createAccounts({
      store: stores.accounts,
      clock,
      secrets: systemSecrets,
      service: 'lk',
      write: writeLetter,
    });
    for (const [n, standing] of people.entries()) {
      const user = {
        ...plainUser,
        ...standing,
        name: 'U',
        email: `u${n}@example.com`,
        tier: 'free',
        createdAt: 1,
      } as const;
      users.push(good(await stores.accounts.add(user, event('user.added', user.email, by, 1))));
    }
  });
  after(() => stores.close());

  /** Each act by the way in which people name the account or the key. */
  const acts: Readonly<Record<KeyAct, (owner: User, keyId: string, actor: Actor) => Promise<unknown>>> = {
    list: (owner, _, actor) => accounts.listKeys(owner.email, actor),
    make: (owner, _, actor) => accounts.createKey(String(owner.id), terms, actor),
    rotate: (_owner, keyId, actor) => accounts.rotateKey(keyId, 0, actor),
    revoke: (_owner, keyId, actor) => accounts.revokeKey(keyId, actor),
  };
  const act = fc.constantFrom(...(Object.keys(acts) as KeyAct[]));
  const person = fc.nat(people.length - 1);

  it('come from the table of rights: use cases allow what it allows, and refuse everything else', async () => {
    await fc.assert(
      fc.asyncProperty(act, fc.option(person), person, async (name, acting, owning) => {
        const owner = users[owning] as User;
        const actor: Actor = acting === null ? operator : { kind: 'user', user: users[acting] as User };
        const { key } = good(await accounts.createKey(String(owner.id), terms, operator));
        const before = await stores.rows('api_keys');
        const events = (await stores.rows('audit_log')).length;
        const answer = await acts[name](owner, String(key.id), actor);
        const allowed = keyRights[name].some((action) => may(actor, action, owner.id));
        expect(isRefused(answer)).to.equal(!allowed);
        if (!allowed) {
          expect(await stores.rows('api_keys')).to.deep.equal(before);
          expect(await stores.rows('audit_log')).to.have.lengthOf(events);
        }
        for (const one of await stores.accounts.listKeys(owner.id)) {
          if (one.revokedAt === null) good(await accounts.revokeKey(String(one.id), operator));
        }
      }),
      { numRuns: runs(150) },
    );
  });

  it('let only the operator and the owner make or rotate a key, because its secret would let others act as the owner', () => {
    for (const name of ['make', 'rotate'] as const) {
      for (const user of users) {
        for (const owner of users) {
          if (mayWithKeys({ kind: 'user', user }, name, owner.id)) expect(user.id).to.equal(owner.id);
        }
      }
    }
  });

  it('give a suspended caller of the account API nothing', async () => {
    for (const user of users.filter(({ suspendedAt }) => suspendedAt !== null)) {
      const { key } = good(await accounts.createKey(String(user.id), terms, operator));
      const caller = { user, mode: 'live', keyId: key.id, scopes: null } as const;
      expect(await accounts.ownKeys(caller)).to.include({ reason: 'forbidden' });
      expect(await accounts.revokeOwnKey(caller, String(key.id))).to.include({ reason: 'forbidden' });
    }
  });
});
