import { expect } from 'chai';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import { systemSecrets } from '../../../adapters/node/secrets.ts';
import { type Accounts, createAccounts } from '../../../core/accounts/accounts.ts';
import { type KeyTerms, longestKeyName, mostKeys } from '../../../core/accounts/api-key-terms.ts';
import type { Actor } from '../../../core/accounts/role.ts';
import type { User } from '../../../core/accounts/user.ts';
import { createUserAdministration } from '../../../core/accounts/user-administration.ts';
import { isRefused, type Refused } from '../../../core/refusal.ts';
import { operator } from '../../support/by.ts';
import { openStoresInMemory, type StoresInMemory } from '../../support/in-memory.ts';
import { writeLetter } from '../../support/letters.ts';

const clock = createManualClock(1_000_000);
const terms: KeyTerms = { name: 'CI', mode: 'live', scopes: null, expiresAt: null };

let stores: StoresInMemory;
let accounts: Accounts;
let admin: Extract<Actor, { kind: 'user' }>;

function good<T>(value: T | Refused): T {
  if (isRefused(value)) throw new Error(value.reason);
  return value;
}

const as = (user: User): Extract<Actor, { kind: 'user' }> => ({ kind: 'user', user });
const id = (user: User) => String(user.id);
const make = (owner: User, more: Partial<KeyTerms> = {}, actor: Actor = as(owner)) =>
  accounts.createKey(id(owner), { ...terms, ...more }, actor);
const keysOf = async (user: User) => good(await accounts.listKeys(id(user), operator));

describe('the API keys of a signed-in person', () => {
  let me: User;
  let other: User;

  beforeEach(async () => {
    stores = await openStoresInMemory();
    accounts = createAccounts({
      store: stores.accounts,
      clock,
      secrets: systemSecrets,
      service: 'lk',
      write: writeLetter,
    });
    const add = async (name: string) =>
      good(await accounts.add({ name, email: `${name.toLowerCase()}@example.com`, tier: 'pro' }, operator));
    [me, other] = [await add('Ada'), await add('Bob')];
    const cleo = await add('Cleo');
    const administration = createUserAdministration({
      store: stores.accounts,
      accounts,
      details: stores.details,
      clock,
    });
    admin = as(good(await administration.setRole(id(cleo), 'admin', operator)));
  });
  afterEach(() => stores.close());

  it('are made, listed, rotated and revoked by the owner, who is named in the audit log', async () => {
    const made = good(await make(me));
    expect(good(await accounts.authenticate(made.secret)).user.id).to.equal(me.id);
    const rotated = good(await accounts.rotateKey(String(made.key.id), 60, as(me)));
    const revoked = good(await accounts.revokeKey(String(rotated.key.id), as(me)));
    expect(good(await accounts.listKeys(id(me), as(me)))).to.deep.equal([revoked, rotated.old]);
    const told = (await stores.rows('audit_log')).filter(({ type }) => String(type).startsWith('key.'));
    expect(told.map(({ type, actor }) => [type, actor])).to.deep.equal([
      ['key.created', me.email],
      ['key.rotated', me.email],
      ['key.revoked', me.email],
    ]);
  });

  it('do not exist for another person, neither by id nor by prefix, and neither does the account', async () => {
    const { key } = good(await make(me));
    good(await make(other));
    for (const name of [id(me), me.email, '99', 'nobody@example.com']) {
      expect(await accounts.listKeys(name, as(other))).to.include({ reason: 'forbidden' });
      expect(await accounts.createKey(name, terms, as(other))).to.include({ reason: 'forbidden' });
    }
    for (const name of [String(key.id), key.prefix, '99']) {
      expect(await accounts.revokeKey(name, as(other))).to.include({ reason: 'key_not_found' });
      expect(await accounts.rotateKey(name, 0, as(other))).to.include({ reason: 'key_not_found' });
    }
    expect(isRefused(await accounts.revokeKey('lk_sk_', as(other)))).to.equal(false);
    expect(await keysOf(me)).to.deep.equal([key]);
  });

  it('are listed and revoked by an administrator, but neither made nor rotated', async () => {
    const { key } = good(await make(me));
    expect(await make(me, {}, admin)).to.include({ reason: 'forbidden' });
    expect(await accounts.rotateKey(String(key.id), 0, admin)).to.include({ reason: 'forbidden' });
    expect(good(await accounts.listKeys(me.email, admin))).to.deep.equal([key]);
    const reason = 'found on a public site';
    good(await accounts.revokeKey(key.prefix, { ...admin, reason }));
    expect((await stores.rows('audit_log')).at(-1)).to.include({ actor: 'cleo@example.com', reason });
  });

  it('have a name of 1 to 100 characters, at least one scope, and an expiry in the future', async () => {
    const names = ['', ' ', ' CI', 'C\nI', 'x'.repeat(longestKeyName + 1)];
    const wrong: readonly (readonly [string, Partial<KeyTerms>])[] = [
      ...names.map((name) => ['invalid_name', { name }] as const),
      ['no_scopes', { scopes: [] }],
      ['expiry_passed', { expiresAt: clock.now() }],
      ['expiry_passed', { expiresAt: Number.NaN }],
    ];
    for (const [reason, more] of wrong) expect(await make(me, more), JSON.stringify(more)).to.include({ reason });
    expect(await keysOf(me)).to.deep.equal([]);
    for (const name of ['x', '😀'.repeat(longestKeyName)]) good(await make(me, { name }));
    good(await make(me, { scopes: ['account:read'], expiresAt: clock.now() + 1 }));
  });

  it('cannot be made or rotated after a suspension, even if the request began before', async () => {
    const { key } = good(await make(me));
    const administration = createUserAdministration({
      store: stores.accounts,
      accounts,
      details: stores.details,
      clock,
    });
    good(await administration.suspend(id(me), operator));
    expect(await make(me)).to.include({ reason: 'forbidden' });
    expect(await accounts.rotateKey(String(key.id), 0, as(me))).to.include({ reason: 'forbidden' });
    expect(await keysOf(me)).to.deep.equal([key]);
  });

  it('are limited in number: revoked and expired ones do not count, and a rotation without overlap adds none', async () => {
    const expiresAt = clock.now() + 1_000;
    const first = good(await make(me));
    for (let n = 1; n < mostKeys; n++) good(await make(me, { expiresAt }));
    expect(await make(me)).to.include({ reason: 'too_many_keys' });
    expect(await make(me, {}, operator)).to.include({ reason: 'too_many_keys' });
    expect(await accounts.rotateKey(String(first.key.id), 60, as(me))).to.include({ reason: 'too_many_keys' });
    const second = good(await accounts.rotateKey(String(first.key.id), 0, as(me)));
    good(await make(other));
    good(await accounts.revokeKey(String(second.key.id), as(me)));
    good(await make(me));
    expect(await make(me)).to.include({ reason: 'too_many_keys' });
    clock.set(expiresAt);
    good(await make(me));
  });
});
