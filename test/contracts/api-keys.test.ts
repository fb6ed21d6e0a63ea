import { expect } from 'chai';
import fc from 'fast-check';
import { type ApiKey, revoke as revokeKey } from '../../core/accounts/api-key.ts';
import { scopeNames } from '../../core/accounts/scope.ts';
import type { User } from '../../core/accounts/user.ts';
import { event } from '../../core/events/event.ts';
import { type ApiKeyId, toApiKeyId, toUserId } from '../../core/id.ts';
import type { KeyOwner } from '../../core/ports/account-store.ts';
import { isRefused, type Refused, refuse } from '../../core/refusal.ts';
import { addUser, backends, openForAll, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { errorOf } from '../support/error-of.ts';
import { digest, newKey } from '../support/keys.ts';
import { addProduct, issuedAt, must } from '../support/license-acts.ts';
import { runs } from '../support/runs.ts';
import { sharedBackends } from '../support/shared-backends.ts';

function added(key: ApiKey | Refused): ApiKey {
  if (isRefused(key)) throw new Error(key.reason);
  return key;
}

for (const backend of backends) {
  describe(`account store: ${backend.name}: keys`, () => {
    const stores = openForEach(backend);
    let ada: User;
    let bob: User;

    beforeEach(async () => {
      await addProduct(stores.products);
      ada = await addUser(stores, 'Ada');
      bob = await addUser(stores, 'Bob');
    });

    const add = async (user: User, n: number, fields: Partial<ApiKey> = {}) => {
      const told = event('key.created', user.email, by, issuedAt, { n });
      return added(await stores.accounts.addKey(newKey(user.id, n, fields), told));
    };
    const revoke = (id: ApiKeyId, at: number) =>
      stores.accounts.changeKey(id, (before) =>
        revokeKey(before, at, event('key.revoked', 'ada@example.com', by, at, { id })),
      );
    const find = async (n: number) => must(await stores.accounts.findKey(digest(n)));

    it('returns the added key with a new id', async () => {
      const full = { mode: 'live', revokedAt: issuedAt + 7, lastUsedAt: issuedAt + 6 } as const;
      const [first, second] = [await add(bob, 1), await add(ada, 2, full)];
      const third = await add(bob, 3, { expiresAt: null });
      expect(first).to.deep.equal({ ...newKey(bob.id, 1), id: first.id });
      expect(second).to.deep.equal({ ...newKey(ada.id, 2, full), id: second.id });
      expect(third).to.deep.equal({ ...newKey(bob.id, 3, { expiresAt: null }), id: third.id });
      expect(new Set([first, second, third].map(({ id }) => id)).size).to.equal(3);
    });

    it('saves the event of each key that it adds', async () => {
      await add(ada, 1);
      await add(bob, 2);
      const [last] = await stores.audit.list({ limit: 1 });
      expect(last).to.deep.equal(event('key.created', bob.email, by, issuedAt, { n: 2 }));
    });

    it('lists all keys that work, and as many of the others as asked for, the newest', async () => {
      const old = await add(ada, 1, { expiresAt: null });
      const ending = await add(ada, 2, { expiresAt: issuedAt + 1 });
      const ended = [await add(ada, 3, { expiresAt: issuedAt }), await add(ada, 4, { revokedAt: issuedAt - 5 })];
      await add(bob, 5, { expiresAt: null });
      const last = await add(ada, 6, { revokedAt: issuedAt, expiresAt: null });
      const listed = (most: number) => stores.accounts.listKeys(ada.id, { most, by: issuedAt });
      expect(await listed(0)).to.deep.equal([ending, old]);
      expect(await listed(2)).to.deep.equal([last, ended[1], ending, old]);
      expect(await listed(9)).to.deep.equal([last, ended[1], ended[0], ending, old]);
    });

    it('gives a different id to each of many keys that are added concurrently', async () => {
      const keys = await Promise.all(Array.from({ length: 12 }, (_, n) => add(n % 2 === 0 ? ada : bob, n)));
      expect(new Set(keys.map(({ id }) => id)).size).to.equal(12);
      for (const [n, key] of keys.entries()) expect((await find(n)).key).to.deep.equal(key);
    });

    it('finds each key with its owner by its digest', async () => {
      const keys = [await add(bob, 1), await add(ada, 2), await add(bob, 3)];
      for (const [n, key] of keys.entries()) {
        expect(await find(n + 1)).to.deep.equal({ key, user: key.userId === ada.id ? ada : bob });
      }
    });

    it('finds nothing by a digest that no key has', async () => {
      await add(ada, 1);
      for (const unknown of [
        digest(2),
        digest(1).slice(0, -1),
        digest(1).toUpperCase(),
        `${'_'.repeat(64)}`,
        '%',
        '',
      ]) {
        expect(await stores.accounts.findKey(unknown)).to.equal(undefined);
      }
    });

    it('shows a revocation and a change of tier immediately', async () => {
      const key = await add(ada, 1);
      expect(await find(1)).to.deep.equal({ key, user: ada });
      await revoke(key.id, issuedAt + 9);
      expect(await find(1)).to.deep.equal({ key: { ...key, revokedAt: issuedAt + 9 }, user: ada });
      await stores.accounts.change(ada.id, (before) => ({
        after: { ...before, tier: 'enterprise' },
        event: event('user.tier_set', ada.email, by, issuedAt),
      }));
      expect((await find(1)).user).to.deep.equal({ ...ada, tier: 'enterprise' });
    });

    it('lists the keys of one user, revoked ones too, newest first', async () => {
      const [first, second] = [await add(ada, 1), await add(ada, 2)];
      const others = await add(bob, 3);
      const third = await add(ada, 4);
      await revoke(second.id, issuedAt + 9);
      await stores.accounts.touchKey(first.id, issuedAt + 10);
      expect(await stores.accounts.listKeys(ada.id)).to.deep.equal([
        third,
        { ...second, revokedAt: issuedAt + 9 },
        { ...first, lastUsedAt: issuedAt + 10 },
      ]);
      expect(await stores.accounts.listKeys(bob.id)).to.deep.equal([others]);
    });

    it('lists nothing for a user without keys or an unknown user', async () => {
      await add(ada, 1);
      expect(await stores.accounts.listKeys(bob.id)).to.deep.equal([]);
      expect(await stores.accounts.listKeys(toUserId(999))).to.deep.equal([]);
    });

    it('finds exactly the key with the given id', async () => {
      const keys = [];
      for (let n = 1; n <= 12; n++) keys.push(await add(ada, n));
      for (const key of keys) expect(await stores.accounts.findKeys(String(key.id))).to.deep.equal([key]);
      for (const unknown of ['13', '0', '999999999', '9999999999']) {
        expect(await stores.accounts.findKeys(unknown)).to.deep.equal([]);
      }
    });

    it('finds the keys of all users by the beginning of their prefix', async () => {
      const keys = [
        await add(ada, 1, { prefix: 'dk_sk_test_ab12' }),
        await add(bob, 2, { prefix: 'dk_sk_test_ab13' }),
        await add(ada, 3, { prefix: 'dk_sk_live_ab12' }),
      ];
      for (const [beginning, found] of [
        ['dk_sk_test_ab12', [0]],
        ['dk_sk_test_', [0, 1]],
        ['dk', [0, 1, 2]],
        ['ab12', []],
        ['dk_sk_test_ab121', []],
      ] as const) {
        expect(await stores.accounts.findKeys(beginning)).to.have.deep.members(found.map((index) => keys[index]));
      }
    });

    it('keeps the time of the first revocation, and saves its event once', async () => {
      const key = await add(ada, 1);
      for (const at of [issuedAt + 9, issuedAt + 5, issuedAt + 12, issuedAt + 9]) await revoke(key.id, at);
      expect((await find(1)).key.revokedAt).to.equal(issuedAt + 9);
      const events = await stores.audit.list({ subject: ada.email, limit: 9 });
      expect(events.filter(({ type }) => type === 'key.revoked')).to.deep.equal([
        event('key.revoked', ada.email, by, issuedAt + 9, { id: key.id }),
      ]);
    });

    it('saves one event if a key is revoked several times concurrently', async () => {
      const key = await add(ada, 1);
      await Promise.all(Array.from({ length: 10 }, (_, n) => revoke(key.id, issuedAt + n)));
      const events = await stores.audit.list({ subject: ada.email, limit: 99 });
      const times = events.filter(({ type }) => type === 'key.revoked').map(({ at }) => at);
      expect(times).to.deep.equal([(await find(1)).key.revokedAt]);
    });

    it('keeps some scopes, no scopes and all scopes apart', async () => {
      for (const [n, scopes] of ([['templates:read'], [], null, [...scopeNames]] as const).entries()) {
        const key = await add(ada, n, { scopes });
        expect(key.scopes).to.deep.equal(scopes);
        expect(await find(n)).to.deep.equal({ key, user: ada });
      }
    });

    it('adds the successor of a key, and stores its id and the end in the old one', async () => {
      const [old, other] = [await add(ada, 1), await add(ada, 2)];
      const successor = newKey(ada.id, 3, { name: 'New', scopes: null, expiresAt: null });
      const told = event('key.rotated', old.prefix, by, issuedAt, { n: 3 });
      const replaced = must(
        await stores.accounts.replaceKey(old.id, issuedAt, (before) => {
          expect(before).to.deep.equal(old);
          return { endsAt: issuedAt + 7, successor, event: told };
        }),
      );
      const key = { ...successor, id: isRefused(replaced) ? old.id : replaced.key.id };
      const ended = { ...old, expiresAt: issuedAt + 7, replacedBy: key.id };
      expect(replaced).to.deep.equal({ old: ended, key });
      expect(await stores.accounts.listKeys(ada.id)).to.deep.equal([key, other, ended]);
      expect((await find(3)).key).to.deep.equal(key);
      expect(await stores.audit.list({ limit: 1 })).to.deep.equal([told]);
    });

    it('replaces nothing if the decision refuses, fails or has a digest that is taken, or if the key is unknown', async () => {
      const old = await add(ada, 1);
      const told = event('key.rotated', old.prefix, by, issuedAt);
      const replacement = { endsAt: issuedAt, successor: newKey(ada.id, 1), event: told };
      expect(await stores.accounts.replaceKey(old.id, issuedAt, () => refuse('no'))).to.deep.equal(refuse('no'));
      const broken = () => {
        throw new Error('broken');
      };
      for (const decide of [broken, () => replacement]) {
        expect(await errorOf(stores.accounts.replaceKey(old.id, issuedAt, decide))).to.be.instanceOf(Error);
      }
      for (const id of [old.id + 1, 999_999_999_999]) {
        expect(await stores.accounts.replaceKey(toApiKeyId(id), issuedAt, broken)).to.equal(undefined);
      }
      expect(await stores.accounts.listKeys(ada.id)).to.deep.equal([old]);
      const events = await stores.audit.list({ limit: 99 });
      expect(events.filter(({ type }) => type === 'key.rotated')).to.deep.equal([]);
    });

    it('shows each concurrent replacement of a key the result of the one before', async () => {
      const old = await add(ada, 0);
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          stores.accounts.replaceKey(old.id, issuedAt, (before) =>
            before.replacedBy === null
              ? {
                  endsAt: issuedAt + n,
                  successor: newKey(ada.id, n + 1),
                  event: event('key.rotated', old.prefix, by, issuedAt, { n }),
                }
              : refuse('key_replaced'),
          ),
        ),
      );
      expect(answers.filter((answer) => isRefused(must(answer)))).to.have.lengthOf(7);
      expect(await stores.accounts.listKeys(ada.id)).to.have.lengthOf(2);
    });

    it('revokes no other key, and saves no event for an unknown key', async () => {
      const [first, second] = [await add(ada, 1), await add(ada, 2)];
      await revoke(first.id, issuedAt + 9);
      await revoke(toApiKeyId(second.id + 1), issuedAt + 9);
      expect((await find(2)).key).to.deep.equal(second);
      expect(await stores.audit.list({ limit: 1 })).to.deep.equal([
        event('key.revoked', ada.email, by, issuedAt + 9, { id: first.id }),
      ]);
    });
  });

  describe(`account store: ${backend.name}: keys with any prefix and any use`, () => {
    const stores = openForAll(backend);
    let ada: User;
    let number = 0;

    before(async () => {
      ada = await addUser(stores, 'Ada');
    });

    const add = async (fields: Partial<ApiKey> = {}) => {
      const told = event('key.created', ada.email, by, issuedAt);
      return added(await stores.accounts.addKey(newKey(ada.id, number++, fields), told));
    };

    it('takes every character of a prefix literally', async () => {
      const prefix = fc.string({ unit: fc.constantFrom(..."ab_%*?[]\\A'"), minLength: 1, maxLength: 3 });
      const known: ApiKey[] = [];
      for (const one of ['dk_sk', 'dkxsk', 'dk%sk', 'DK_SK', '%', '_', '\\%']) known.push(await add({ prefix: one }));
      await fc.assert(
        fc.asyncProperty(prefix, prefix, async (one, wanted) => {
          known.push(await add({ prefix: one }));
          expect(await stores.accounts.findKeys(wanted)).to.have.deep.members(
            known.filter((key) => key.prefix.startsWith(wanted)),
          );
        }),
        { numRuns: runs(40), examples: ['dk_', 'dk%', '_', '%', '\\', 'DK'].map((wanted) => ['a', wanted]) },
      );
    });

    it('keeps the latest use of a key, whether the uses come concurrently or in any order', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(50), { minLength: 1, maxLength: 5 }), async (uses) => {
          const [key, other] = [await add(), await add()];
          const [first = 0, ...rest] = uses;
          await stores.accounts.touchKey(key.id, issuedAt + first);
          await Promise.all(rest.map((use) => stores.accounts.touchKey(key.id, issuedAt + use)));
          const lastUsedAt = issuedAt + Math.max(...uses);
          expect((await stores.accounts.findKey(key.digest))?.key).to.deep.equal({ ...key, lastUsedAt });
          expect((await stores.accounts.findKey(other.digest))?.key).to.deep.equal(other);
        }),
        { numRuns: runs(15), examples: [[[9, 3]], [[3, 9, 3]]] },
      );
    });
  });
}

for (const backend of sharedBackends) {
  describe(`account store: ${backend.name}: keys of one account`, () => {
    const stores = openForEach(backend);

    it('are counted one by one, however many processes add and replace them', async () => {
      const most = 5;
      const [ada, bob] = [await addUser(stores, 'Ada'), await addUser(stores, 'Bob')];
      const told = event('key.created', 'ada@example.com', by, issuedAt);
      const limited = ({ workingKeys }: KeyOwner) => (workingKeys < most ? {} : refuse('too_many'));
      const add = (user: User, n: number) => stores.accounts.addKey(newKey(user.id, n), told, limited);
      const first = added(await add(ada, 0));
      const ended = { expiresAt: issuedAt, createdAt: issuedAt - 1 };
      added(await stores.accounts.addKey(newKey(ada.id, 98, ended), told));
      added(await stores.accounts.addKey(newKey(ada.id, 99, { revokedAt: issuedAt }), told));
      const answers = await Promise.all([
        ...Array.from({ length: 8 }, (_, n) => add(ada, n + 1)),
        ...Array.from({ length: 8 }, (_, n) =>
          stores.accounts.replaceKey(first.id, issuedAt, (before, owner) => {
            expect(owner.user).to.deep.equal(ada);
            const refused = limited(owner);
            if (isRefused(refused)) return refused;
            return { endsAt: issuedAt + 9, successor: newKey(before.userId, n + 20), event: told };
          }),
        ),
        ...Array.from({ length: 3 }, (_, n) => add(bob, n + 50)),
      ]);
      expect(answers.filter((answer) => !isRefused(must(answer)))).to.have.lengthOf(most - 1 + 3);
      expect(await stores.accounts.listKeys(ada.id)).to.have.lengthOf(most + 2);
      expect(await stores.accounts.listKeys(bob.id)).to.have.lengthOf(3);
    });
  });
}
