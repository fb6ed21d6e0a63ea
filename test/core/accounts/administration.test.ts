import { expect } from 'chai';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import { systemSecrets } from '../../../adapters/node/secrets.ts';
import { createAccounts } from '../../../core/accounts/accounts.ts';
import type { Actor } from '../../../core/accounts/role.ts';
import { createUserAdministration } from '../../../core/accounts/user-administration.ts';
import { isRefused } from '../../../core/refusal.ts';
import { by, operator } from '../../support/by.ts';
import { good } from '../../support/good.ts';
import { openStoresInMemory, type StoresInMemory } from '../../support/in-memory.ts';
import { writeLetter } from '../../support/letters.ts';

describe('administration of users', () => {
  let stores: StoresInMemory;
  beforeEach(async () => {
    stores = await openStoresInMemory();
  });
  afterEach(() => stores.close());

  async function start() {
    const clock = createManualClock(1_000_000);
    const accounts = createAccounts({
      store: stores.accounts,
      clock,
      secrets: systemSecrets,
      service: 'lk',
      write: writeLetter,
    });
    const administration = createUserAdministration({
      store: stores.accounts,
      accounts,
      details: stores.details,
      clock,
    });
    const add = async (name: string) =>
      good(await accounts.add({ name, email: `${name.toLowerCase()}@example.com`, tier: 'pro' }, operator));
    const [ada, bob, cleo] = [await add('Ada'), await add('Bob'), await add('Cleo')];
    const admin = good(await administration.setRole(ada.email, 'admin', operator));
    return { clock, accounts, administration, ada: admin, bob, cleo };
  }

  it('refuses the keys of a suspended user like unknown keys, and accepts them again after reinstating', async () => {
    const { accounts, administration, bob, cleo, clock } = await start();
    const terms = { name: 'laptop', mode: 'live', scopes: null, expiresAt: null } as const;
    const { secret } = good(await accounts.createKey(bob.email, terms, operator));
    const other = good(await accounts.createKey(cleo.email, terms, operator)).secret;
    const isAccepted = async (key: string) => !isRefused(await accounts.authenticate(key));
    const suspended = good(await administration.suspend(String(bob.id), operator));
    expect(suspended).to.deep.equal({ ...bob, suspendedAt: clock.now() });
    expect(await accounts.authenticate(secret)).to.deep.equal(
      await accounts.authenticate(`lk_sk_live_${'0'.repeat(32)}`),
    );
    expect([await isAccepted(secret), await isAccepted(other)]).to.deep.equal([false, true]);
    expect(good(await accounts.listKeys(bob.email, operator))[0]?.lastUsedAt).to.equal(null);
    expect(good(await administration.reinstate(bob.email, operator))).to.deep.equal(bob);
    expect(await isAccepted(secret)).to.equal(true);
  });

  it('records who suspended, reinstated or gave a role, and why, and records nothing that changes nothing', async () => {
    const { administration, ada, bob, clock } = await start();
    const actor: Actor = { kind: 'user', user: ada, reason: 'spam' };
    for (let time = 0; time < 2; time++) await administration.suspend(bob.email, actor);
    for (let time = 0; time < 2; time++) await administration.reinstate(bob.email, actor);
    for (let time = 0; time < 2; time++) await administration.setRole(bob.email, 'admin', actor);
    await administration.setRole(bob.email, null, operator);
    const told = { at: clock.now(), actor: ada.email, reason: 'spam', subject: bob.email };
    expect((await stores.audit.list({ subject: bob.email, limit: 9 })).slice(0, -1)).to.deep.equal([
      { ...told, type: 'user.role_set', ...by, data: { role: null } },
      { ...told, type: 'user.role_set', data: { role: 'admin' } },
      { ...told, type: 'user.reinstated', data: {} },
      { ...told, type: 'user.suspended', data: {} },
    ]);
  });

  it('keeps the time of the first suspension', async () => {
    const { administration, bob, clock } = await start();
    const { suspendedAt } = good(await administration.suspend(bob.email, operator));
    clock.advance(5);
    expect(good(await administration.suspend(bob.email, operator)).suspendedAt).to.equal(suspendedAt);
  });

  it('refuses to demote or suspend the last administrator, also by that administrator', async () => {
    const { administration, ada, bob } = await start();
    for (const actor of [operator, { kind: 'user', user: ada }] as const) {
      expect(await administration.suspend(ada.email, actor)).to.include({ reason: 'last_admin' });
      expect(await administration.setRole(ada.email, null, actor)).to.include({ reason: 'last_admin' });
    }
    await administration.setRole(bob.email, 'admin', operator);
    await administration.suspend(bob.email, operator);
    expect(await administration.suspend(ada.email, operator), 'a suspended one does not count').to.include({
      reason: 'last_admin',
    });
    expect(good(await administration.setRole(bob.email, null, operator)).role).to.equal(null);
    expect(await administration.show(ada.email, operator)).to.deep.equal(ada);
  });

  it('refuses everything to plain and suspended users, and does not tell them who exists', async () => {
    const { administration, ada, bob, cleo } = await start();
    const suspended = { ...ada, suspendedAt: 1 };
    for (const user of [cleo, suspended]) {
      const actor: Actor = { kind: 'user', user };
      for (const name of [bob.email, cleo.email, 'nobody@example.com']) {
        for (const answer of [
          await administration.show(name, actor),
          await administration.suspend(name, actor),
          await administration.reinstate(name, actor),
          await administration.setRole(name, 'admin', actor),
          await administration.detail(name, actor),
          await administration.list({ limit: 9, after: 'nothing' }, actor),
        ]) {
          expect(answer).to.include({ kind: 'refused', reason: 'forbidden' });
        }
      }
    }
    expect(await administration.show(bob.email, operator)).to.deep.equal(bob);
  });

  it('refuses an administrator who was demoted or suspended after the request began', async () => {
    const { administration, ada, bob, cleo } = await start();
    const admin = good(await administration.setRole(bob.email, 'admin', operator));
    const stale: Actor = { kind: 'user', user: ada };
    await administration.setRole(ada.email, null, operator);
    expect(await administration.suspend(cleo.email, stale)).to.include({ reason: 'forbidden' });
    expect(await administration.setRole(ada.email, 'admin', stale)).to.include({ reason: 'forbidden' });
    await administration.setRole(ada.email, 'admin', operator);
    await administration.suspend(ada.email, { kind: 'user', user: admin });
    expect(await administration.reinstate(ada.email, stale)).to.include({ reason: 'forbidden' });
  });

  it('lists pages: each tells the start of the next one', async () => {
    const { administration, ada, bob, cleo } = await start();
    expect(await administration.list({ limit: 2 }, operator)).to.deep.equal({
      users: [cleo, bob],
      next: String(bob.id),
    });
    const rest = { users: [ada], next: null };
    expect(await administration.list({ limit: 2, after: String(bob.id) }, operator)).to.deep.equal(rest);
    expect(await administration.list({ limit: 1, role: 'admin' }, operator)).to.deep.equal(rest);
    expect(await administration.list({ limit: 3 }, operator)).to.deep.include({ next: null });
    for (const after of ['', 'x', '1~%', '1~%00', '~a']) {
      expect(await administration.list({ limit: 2, after }, operator)).to.include({ reason: 'unknown_place' });
    }
  });

  it('lists pages of a search: `next` can be part of a URL', async () => {
    const { administration, ada, bob, cleo } = await start();
    const users = [];
    const places = [];
    for (let after: string | undefined; ; ) {
      const page = good(await administration.list({ search: 'example', limit: 1, after }, operator));
      users.push(...page.users);
      if (page.next === null) break;
      places.push(page.next);
      after = page.next;
    }
    expect(users).to.deep.equal([ada, bob, cleo]);
    expect(places).to.deep.equal([`${ada.id}~example.com`, `${bob.id}~example.com`]);
  });

  it('shows the details of an account', async () => {
    const { accounts, administration, bob, clock } = await start();
    const nothing = { keys: 0, keyUsedAt: null, lastSeenAt: null, emailVerifiedAt: null };
    const bare = { user: bob, ...nothing, hasPassword: false, hasSecondFactor: false };
    expect(await administration.detail(bob.email, operator)).to.deep.equal(bare);
    const terms = { name: 'laptop', mode: 'live', scopes: null, expiresAt: null } as const;
    const { secret } = good(await accounts.createKey(bob.email, terms, operator));
    good(await accounts.createKey(bob.email, terms, operator));
    clock.advance(7);
    await accounts.authenticate(secret);
    const used = { ...bare, keys: 2, keyUsedAt: clock.now() };
    expect(await administration.detail(String(bob.id), operator)).to.deep.equal(used);
    expect(await administration.detail('99', operator)).to.include({ reason: 'user_not_found' });
  });

  it('refuses an unknown user', async () => {
    const { administration } = await start();
    for (const name of ['99', 'nobody@example.com', '']) {
      expect(await administration.show(name, operator)).to.include({ reason: 'user_not_found' });
      expect(await administration.suspend(name, operator)).to.include({ reason: 'user_not_found' });
      expect(await administration.setRole(name, 'admin', operator)).to.include({ reason: 'user_not_found' });
    }
  });
});
