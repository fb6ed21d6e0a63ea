import { expect } from 'chai';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import { systemSecrets } from '../../../adapters/node/secrets.ts';
import { type Accounts, createAccounts } from '../../../core/accounts/accounts.ts';
import { type ApiKey, maxOverlap } from '../../../core/accounts/api-key.ts';
import type { KeyTerms } from '../../../core/accounts/api-key-terms.ts';
import { plainUser } from '../../../core/accounts/user.ts';
import { event } from '../../../core/events/event.ts';
import { isRefused, type Refused } from '../../../core/refusal.ts';
import { by, operator } from '../../support/by.ts';
import { openStoresInMemory, type StoresInMemory } from '../../support/in-memory.ts';
import { writeLetter } from '../../support/letters.ts';

const clock = createManualClock(1_000_000);
const terms: KeyTerms = { name: 'CI', mode: 'test', scopes: ['webhooks:write'], expiresAt: null };

let stores: StoresInMemory;
let accounts: Accounts;

function good<T>(value: T | Refused): T {
  if (isRefused(value)) throw new Error(value.reason);
  return value;
}

const add = async (more: Partial<KeyTerms> = {}) =>
  good(await accounts.createKey('1', { ...terms, ...more }, operator));
const works = async (secret: string) => !isRefused(await accounts.authenticate(secret));

describe('the rotation of an API key', () => {
  beforeEach(async () => {
    stores = await openStoresInMemory();
    accounts = createAccounts({
      store: stores.accounts,
      clock,
      secrets: systemSecrets,
      service: 'lk',
      write: writeLetter,
    });
    good(await accounts.add({ name: 'Ada', email: 'ada@example.com', tier: 'pro' }, operator));
  });
  afterEach(() => stores.close());

  it('makes a new key with the same terms, and returns its secret only once', async () => {
    const expiresAt = clock.now() + 365 * 86_400_000;
    const old = await add({ expiresAt });
    await accounts.authenticate(old.secret);
    clock.advance(1000);
    const { key, secret } = good(await accounts.rotateKey(old.key.prefix, 60, operator));
    expect(secret).to.match(/^lk_sk_test_[0-9a-f]{32}$/);
    expect(key).to.deep.equal({
      ...{ ...old.key, id: key.id, createdAt: clock.now() },
      ...{ digest: systemSecrets.digest(secret), prefix: secret.slice(0, -28), lastFour: secret.slice(-4) },
    });
    const kept = JSON.stringify(await Promise.all(['api_keys', 'audit_log'].map(stores.rows)));
    expect(kept).to.not.include(secret.slice(-32));
  });

  for (const overlap of [0, 1, maxOverlap]) {
    it(`ends the old key after an overlap of ${overlap} seconds, to the millisecond`, async () => {
      const old = await add();
      const { key, secret, old: ended } = good(await accounts.rotateKey(String(old.key.id), overlap, operator));
      const end = clock.now() + overlap * 1000;
      expect(ended).to.deep.equal({ ...old.key, expiresAt: end, replacedBy: key.id });
      if (overlap > 0) {
        clock.set(end - 1);
        expect([await works(old.secret), await works(secret)]).to.deep.equal([true, true]);
        clock.set(end);
      }
      expect([await works(old.secret), await works(secret)]).to.deep.equal([false, true]);
    });
  }

  it('never lets the old key work longer than before', async () => {
    const expiresAt = clock.now() + 1000;
    const old = await add({ expiresAt });
    const rotated = good(await accounts.rotateKey(String(old.key.id), maxOverlap, operator));
    expect([rotated.old.expiresAt, rotated.key.expiresAt]).to.deep.equal([expiresAt, expiresAt]);
  });

  it('refuses any other overlap, and changes nothing', async () => {
    const old = await add();
    for (const overlap of [-1, 0.5, maxOverlap + 1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(await accounts.rotateKey('1', overlap, operator)).to.include({ reason: 'invalid_overlap' });
    }
    expect(await accounts.listKeys('1', operator)).to.deep.equal([old.key]);
  });

  it('refuses a key that was rotated before, because its successor would end with it', async () => {
    const old = await add();
    const { key } = good(await accounts.rotateKey('1', 60, operator));
    const again = await accounts.rotateKey(String(old.key.id), 60, operator);
    expect(again).to.include({ reason: 'key_replaced' });
    expect(again).to.have.property('detail').that.includes(`: ${key.id}.`);
    expect(isRefused(await accounts.rotateKey(String(key.id), 60, operator))).to.equal(false);
  });

  it('makes one new key if a key is rotated several times concurrently', async () => {
    await add();
    const made = await Promise.all(Array.from({ length: 10 }, () => accounts.rotateKey('1', 60, operator)));
    expect(made.filter(isRefused)).to.have.lengthOf(9);
    expect(good(await accounts.listKeys('1', operator))).to.have.lengthOf(2);
  });

  it('refuses a revoked, an expired, an unknown and an ambiguous key', async () => {
    const revoked = await add();
    good(await accounts.revokeKey(String(revoked.key.id), operator));
    const expired = await add({ expiresAt: clock.now() });
    for (const { key } of [revoked, expired]) {
      expect(await accounts.rotateKey(String(key.id), 60, operator)).to.include({ reason: 'key_ended' });
    }
    expect(await accounts.rotateKey('99', 60, operator)).to.include({ reason: 'key_not_found' });
    expect(await accounts.rotateKey('lk_sk_', 60, operator)).to.include({ reason: 'key_ambiguous' });
    expect(good(await accounts.listKeys('1', operator))).to.have.lengthOf(2);
  });

  it('is announced to the owner by mail and on the pages, like a new key; a revocation only on the pages', async () => {
    const old = await add();
    const { key } = good(await accounts.rotateKey('1', 60, operator));
    good(await accounts.revokeKey(String(key.id), operator));
    good(await accounts.revokeKey(String(key.id), operator));
    expect(isRefused(await accounts.rotateKey('1', 60, operator))).to.equal(true);
    const shown = ({ name, prefix, lastFour }: ApiKey) => ({ name, prefix, lastFour });
    const found = await stores.notifications.list(key.userId, { limit: 9 });
    expect(found.map(({ notice }) => notice)).to.deep.equal([
      { kind: 'key_revoked', ...shown(key) },
      { kind: 'key_made', ...shown(key) },
      { kind: 'key_made', ...shown(old.key) },
    ]);
    const mails = await stores.rows('mails');
    expect(mails.map(({ kind, address }) => [kind, address])).to.deep.equal([
      ['key-made', 'ada@example.com'],
      ['key-made', 'ada@example.com'],
    ]);
    expect(mails[1]?.text).to.include(`Key: ${key.prefix}…${key.lastFour}`);
    expect(JSON.stringify(mails)).to.not.include(old.secret.slice(-32)).and.not.include(old.secret);
  });

  it('is announced only on the pages if the address of the user cannot receive mail', async () => {
    const user = { ...plainUser, name: 'Old', email: 'no address', tier: 'free', createdAt: 1 } as const;
    const { id } = good(await stores.accounts.add(user, event('user.added', 'x', by, 1)));
    good(await accounts.createKey(String(id), terms, operator));
    expect(await stores.notifications.countUnread(id, 9)).to.equal(1);
    expect(await stores.rows('mails')).to.deep.equal([]);
  });

  it('is recorded in the audit log, under the old key', async () => {
    const old = await add();
    const { secret } = good(await accounts.rotateKey('1', 60, { kind: 'operator', by: { ...by, reason: 'yearly' } }));
    const { data, ...event } = (await stores.rows('audit_log')).at(-1) ?? {};
    expect(event).to.include({ type: 'key.rotated', subject: old.key.prefix, actor: by.actor, reason: 'yearly' });
    expect(JSON.parse(String(data))).to.deep.equal({
      new_prefix: secret.slice(0, -28),
      ends_at: clock.now() + 60_000,
    });
  });
});
