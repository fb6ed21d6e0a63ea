import { expect } from 'chai';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import { systemSecrets } from '../../../adapters/node/secrets.ts';
import { type Accounts, createAccounts } from '../../../core/accounts/accounts.ts';
import { lastUsedPrecision } from '../../../core/accounts/api-key.ts';
import type { AccountStore } from '../../../core/ports/account-store.ts';
import { isRefused, type Refused } from '../../../core/refusal.ts';
import { by, operator } from '../../support/by.ts';
import { openStoresInMemory, type StoresInMemory } from '../../support/in-memory.ts';
import { writeLetter } from '../../support/letters.ts';

const terms = { name: 'laptop', mode: 'live', scopes: null, expiresAt: null } as const;

let stores: StoresInMemory;

function start() {
  const clock = createManualClock(1_000_000);
  const store = stores.accounts;
  let touches = 0;
  let lookUps = 0;
  const counted: AccountStore = {
    ...store,
    findKey(digest) {
      lookUps++;
      return store.findKey(digest);
    },
    async touchKey(id, at) {
      touches++;
      await store.touchKey(id, at);
    },
  };
  const accounts = createAccounts({ store: counted, clock, secrets: systemSecrets, service: 'lk', write: writeLetter });
  return { accounts, clock, touches: () => touches, lookUps: () => lookUps };
}

function good<T>(value: T | Refused): T {
  if (isRefused(value)) throw new Error(value.reason);
  return value;
}

const add = async (accounts: Accounts, email = 'ada@example.com') =>
  good(await accounts.add({ name: 'Ada', email, tier: 'pro' }, operator));

describe('accounts', () => {
  beforeEach(async () => {
    stores = await openStoresInMemory();
  });
  afterEach(() => stores.close());

  it('find a user by id, and by e-mail address in upper or lower case', async () => {
    const { accounts } = start();
    const user = await add(accounts, 'Ada@Example.COM');
    expect(user.email).to.equal('ada@example.com');
    expect(await accounts.find('ADA@example.com')).to.deep.equal(user);
    expect(await accounts.find(String(user.id))).to.deep.equal(user);
    for (const unknown of ['bob@example.com', '99', '', '-1', '9'.repeat(40)]) {
      expect(await accounts.find(unknown)).to.include({ kind: 'refused', reason: 'user_not_found' });
    }
  });

  it('refuse a second user with the same e-mail address', async () => {
    const { accounts } = start();
    await add(accounts);
    const again = await accounts.add({ name: 'Other', email: 'ADA@example.com', tier: 'free' }, operator);
    expect(again).to.include({ kind: 'refused', reason: 'email_taken' });
  });

  it('return the secret of a key only once, and store nothing that reveals it', async () => {
    const { accounts } = start();
    await add(accounts);
    const { secret, key } = good(await accounts.createKey('ada@example.com', terms, operator));
    const random = secret.slice('lk_sk_live_'.length);
    const kept = JSON.stringify(await Promise.all(['api_keys', 'users', 'audit_log'].map(stores.rows)));
    expect(kept).to.not.include(random);
    expect(kept).to.not.include(random.slice(0, 10));
    expect(kept).to.not.include(random.slice(-10));
    expect(key.digest).to.match(/^[0-9a-f]{64}$/);
  });

  it('authenticate a user by the exact key of that user, with the mode of the key, and by no other text', async () => {
    const { accounts } = start();
    const ada = await add(accounts);
    const bob = await add(accounts, 'bob@example.com');
    const live = good(await accounts.createKey(ada.email, terms, operator)).secret;
    const test = good(
      await accounts.createKey(
        bob.email,
        { ...terms, mode: 'test', scopes: ['templates:read', 'account:read', 'templates:read'] },
        operator,
      ),
    ).secret;
    const [liveKey, testKey] = [
      good(await accounts.listKeys(ada.email, operator))[0],
      good(await accounts.listKeys(bob.email, operator))[0],
    ];
    const scopes = ['account:read', 'templates:read'];
    expect(await accounts.authenticate(live)).to.deep.equal({
      user: ada,
      mode: 'live',
      keyId: liveKey?.id,
      scopes: null,
    });
    expect(await accounts.authenticate(test)).to.deep.equal({ user: bob, mode: 'test', keyId: testKey?.id, scopes });
    const refused = { kind: 'refused', reason: 'unauthorized' };
    for (const text of [undefined, '', ` ${live}`, live.replace('live', 'test'), live.toUpperCase(), `${live}0`]) {
      expect(await accounts.authenticate(text), text).to.deep.equal(refused);
    }
  });

  it('do not look up a text that cannot be a key', async () => {
    const { accounts, lookUps } = start();
    for (const text of [undefined, '', 'x', 'lk_sk_live_', `xx_sk_live_${'0'.repeat(32)}`, 'a'.repeat(10_000)]) {
      await accounts.authenticate(text);
    }
    expect(lookUps()).to.equal(0);
  });

  it('refuse an expired, a revoked and an unknown key in exactly the same way', async () => {
    const { accounts, clock } = start();
    await add(accounts);
    const expiring = good(await accounts.createKey('1', { ...terms, expiresAt: clock.now() + 1000 }, operator)).secret;
    const { secret, key } = good(await accounts.createKey('1', terms, operator));
    expect(isRefused(await accounts.authenticate(expiring))).to.equal(false);
    clock.advance(1000);
    await accounts.revokeKey(String(key.id), operator);
    const refusals = [];
    for (const text of [expiring, secret, `lk_sk_live_${'0'.repeat(32)}`])
      refusals.push(await accounts.authenticate(text));
    expect(new Set(refusals.map((refusal) => JSON.stringify(refusal)))).to.have.property('size', 1);
  });

  it('return the current tier of a user', async () => {
    const { accounts } = start();
    await add(accounts);
    const { secret } = good(await accounts.createKey('1', terms, operator));
    await accounts.setTier('1', 'enterprise', operator);
    expect(good(await accounts.authenticate(secret)).user.tier).to.equal('enterprise');
  });

  it('save the last use of a key at most once in five minutes', async () => {
    const { accounts, clock, touches } = start();
    await add(accounts);
    const { secret } = good(await accounts.createKey('1', terms, operator));
    const lastUse = async () => good(await accounts.listKeys('1', operator))[0]?.lastUsedAt;
    expect(await lastUse()).to.equal(null);
    const first = clock.now();
    for (let call = 0; call < 50; call++) {
      await accounts.authenticate(secret);
      clock.advance(lastUsedPrecision / 50 - 1);
    }
    expect(touches()).to.equal(1);
    expect(await lastUse()).to.equal(first);
    clock.set(first + lastUsedPrecision);
    await accounts.authenticate(secret);
    expect(touches()).to.equal(2);
    expect(await lastUse()).to.equal(first + lastUsedPrecision);
  });

  it('do not save the use of a key that is not valid', async () => {
    const { accounts, clock, touches } = start();
    await add(accounts);
    const { secret } = good(await accounts.createKey('1', { ...terms, expiresAt: clock.now() }, operator));
    await accounts.authenticate(secret);
    expect(touches()).to.equal(0);
  });

  it('revoke a key by its id or its prefix, and keep the time of the first revocation', async () => {
    const { accounts, clock } = start();
    await add(accounts);
    const one = good(await accounts.createKey('1', terms, operator));
    const other = good(await accounts.createKey('1', { ...terms, mode: 'test' }, operator));
    expect(await accounts.revokeKey('lk_sk_', operator)).to.include({ reason: 'key_ambiguous' });
    expect(await accounts.revokeKey('nothing', operator)).to.include({ reason: 'key_not_found' });
    expect(await accounts.revokeKey('99', operator)).to.include({ reason: 'key_not_found' });
    const revokedAt = clock.now();
    expect(await accounts.revokeKey(one.key.prefix, operator)).to.include({ id: one.key.id, revokedAt });
    clock.advance(1);
    expect(await accounts.revokeKey(String(one.key.id), operator)).to.include({ revokedAt });
    expect(isRefused(await accounts.authenticate(one.secret))).to.equal(true);
    expect(isRefused(await accounts.authenticate(other.secret))).to.equal(false);
  });

  it('never create the same key twice', async () => {
    const { accounts } = start();
    await add(accounts);
    const made = await Promise.all(Array.from({ length: 100 }, () => accounts.createKey('1', terms, operator)));
    expect(new Set(made.map((one) => good(one).secret)).size).to.equal(100);
  });

  it('record in the audit log each new user, change of tier, new key and revoked key', async () => {
    const { accounts } = start();
    await add(accounts);
    const { key } = good(await accounts.createKey('1', terms, operator));
    await accounts.setTier('1', 'free', operator);
    await accounts.revokeKey(String(key.id), operator);
    const told = await stores.rows('audit_log');
    expect(told.map(({ type, subject, actor }) => [type, subject, actor])).to.deep.equal([
      ['user.added', 'ada@example.com', by.actor],
      ['key.created', 'ada@example.com', by.actor],
      ['user.tier_set', 'ada@example.com', by.actor],
      ['key.revoked', key.prefix, by.actor],
    ]);
  });

  it('refuse to create or list keys or to set a tier if the user does not exist', async () => {
    const { accounts } = start();
    expect(await accounts.createKey('nobody@example.com', terms, operator)).to.include({ reason: 'user_not_found' });
    expect(await accounts.setTier('7', 'pro', operator)).to.include({ reason: 'user_not_found' });
    expect(await accounts.listKeys('7', operator)).to.include({ reason: 'user_not_found' });
    expect([await stores.rows('api_keys'), await stores.rows('audit_log')]).to.deep.equal([[], []]);
  });
});
