import { expect } from 'chai';
import type { Session } from '../../core/accounts/session.ts';
import type { User } from '../../core/accounts/user.ts';
import { event } from '../../core/events/event.ts';
import { toSessionId, toUserId, type UserId } from '../../core/id.ts';
import { backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { errorOf } from '../support/error-of.ts';
import { issuedAt, must } from '../support/license-acts.ts';
import { newMail } from '../support/mails.ts';
import { sharedBackends } from '../support/shared-backends.ts';
import { addLogin } from '../support/sign-in.ts';

const none = { startedBefore: 0, seenBefore: 0 };
const known = { browser: 'known', forgetBefore: 0, ifNew: {} };
const told = event('user.sessions_ended', 'thing', by, issuedAt);

for (const backend of [...backends, ...sharedBackends]) {
  describe(`session store: ${backend.name}`, () => {
    const stores = openForEach(backend);
    let ada: UserId;
    let bob: UserId;
    beforeEach(async () => {
      ada = (await addLogin(stores)).id;
      bob = (await addLogin(stores, { email: 'bob@example.com', role: 'admin' })).id;
    });

    const session = (digest: string, fields: Partial<Session> = {}): Omit<Session, 'id'> => ({
      userId: ada,
      digest,
      generation: 3,
      role: 'admin',
      startedAt: issuedAt + 1,
      lastSeenAt: issuedAt + 2,
      confirmedAt: issuedAt + 3,
      browser: 'Firefox "Ü"',
      address: '2001:db8::/64',
      ...fields,
    });
    const add = (digest: string, fields: Partial<Session> = {}) =>
      stores.sessions.add(session(digest, fields), none, known);
    const found = async (digest: string) => (await stores.sessions.find(digest))?.session;
    const events = async () => (await stores.audit.list({ subject: 'thing', limit: 99 })).length;

    it('finds each session by its digest, with the login of its user', async () => {
      const one = await add('one');
      const two = await add('two', { userId: bob, role: null, generation: 0 });
      expect(one).to.deep.equal({ ...session('one'), id: one.id });
      expect(await stores.sessions.find('one')).to.deep.equal({ session: one, login: await stores.logins.find(ada) });
      expect(await stores.sessions.find('two')).to.deep.equal({ session: two, login: await stores.logins.find(bob) });
      expect(await stores.sessions.find('three')).to.equal(undefined);
    });

    it('lists the sessions of one user, newest first', async () => {
      const one = await add('one');
      await add('other', { userId: bob });
      const two = await add('two');
      expect(await stores.sessions.list(ada)).to.deep.equal([two, one]);
      expect(await stores.sessions.list(toUserId(999_999_999_999_999))).to.deep.equal([]);
    });

    it('finds a session of before a change of role or suspension with a newer generation, also when that is undone', async () => {
      await add('one', { generation: must(await stores.logins.find(ada)).generation });
      await add('bob', { userId: bob, generation: must(await stores.logins.find(bob)).generation });
      const isCurrent = async (digest: string) => {
        const { session, login } = must(await stores.sessions.find(digest));
        return session.generation === login.generation;
      };
      const change = (changes: Partial<User>) =>
        stores.accounts.changeRights(ada, (before) => ({ after: { ...before, ...changes }, event: told }));
      expect([await isCurrent('one'), await isCurrent('bob')]).to.deep.equal([true, true]);
      await change({ suspendedAt: issuedAt });
      await change({ suspendedAt: null });
      expect([await isCurrent('one'), await isCurrent('bob')]).to.deep.equal([false, true]);
    });

    it('deletes the sessions of all users that have ended, when another is added', async () => {
      await add('old', { startedAt: 10, lastSeenAt: 100 });
      await add('idle', { startedAt: 100, lastSeenAt: 10, userId: bob });
      await add('kept', { startedAt: 11, lastSeenAt: 11 });
      await stores.sessions.add(session('new'), { startedBefore: 11, seenBefore: 11 }, known);
      expect([await found('old'), await found('idle')]).to.deep.equal([undefined, undefined]);
      expect([await found('kept'), await found('new')]).to.not.include(undefined);
    });

    it('writes news about the first session of a user in a browser, and not about the next ones', async () => {
      const arrival = (browser: string, userId: UserId, forgetBefore = 0) => ({
        browser,
        forgetBefore,
        ifNew: {
          letters: [newMail(issuedAt, `${browser}@example.com`)],
          notices: [{ userId, notice: { kind: 'new_sign_in', browser, address: '' }, createdAt: issuedAt } as const],
        },
      });
      let n = 0;
      const begin = (browser: string, userId = ada, startedAt = issuedAt, forgetBefore = 0) =>
        stores.sessions.add(
          session(`session ${n++}`, { userId, startedAt }),
          none,
          arrival(browser, userId, forgetBefore),
        );
      const news = async () => [
        (await stores.mails.list({ limit: 99 })).length,
        (await stores.notifications.list(ada, { limit: 99 })).length,
        (await stores.notifications.list(bob, { limit: 99 })).length,
      ];
      await Promise.all([1, 2, 3, 4].map(() => begin('one')));
      expect(await news()).to.deep.equal([1, 1, 0]);
      await begin('two');
      await begin('one', bob);
      expect(await news()).to.deep.equal([3, 2, 1]);
      // Each sign-in makes a browser known for longer.
      await begin('one', ada, issuedAt + 10);
      await begin('three', bob, issuedAt + 10, issuedAt + 10);
      await begin('one', ada, issuedAt + 11);
      expect(await news()).to.deep.equal([4, 2, 2]);
      await begin('two', ada, issuedAt + 11);
      expect(await news()).to.deep.equal([5, 3, 2]);
    });

    it('knows the browsers of a user, by sign-in or remembered, and those of nobody else', async () => {
      await stores.sessions.add(session('one', { userId: ada }), none, { ...known, browser: 'signed in' });
      await stores.sessions.remember(ada, { browser: 'remembered', forgetBefore: 0 }, issuedAt + 5);
      await stores.sessions.remember(ada, { browser: 'remembered', forgetBefore: 0 }, issuedAt);
      const [own, other] = await Promise.all([ada, bob].map(async (id) => (await stores.logins.find(id))?.email ?? ''));
      const knows = (email = '', browser = '', since = 0) => stores.sessions.knows(email, browser, since);
      expect(await knows(own, 'signed in')).to.equal(true);
      expect(await knows(own, 'remembered', issuedAt + 5)).to.equal(true);
      expect(await knows(own, 'remembered', issuedAt + 6)).to.equal(false);
      expect(await knows(own, 'another')).to.equal(false);
      expect(await knows(other, 'signed in')).to.equal(false);
      expect(await knows('nobody@example.com', 'signed in')).to.equal(false);
    });

    it('adds neither session nor browser if the news cannot be stored', async () => {
      const broken = { ...newMail(issuedAt), subject: null as never };
      const begin = (ifNew: object) =>
        stores.sessions.add(session('one'), none, { browser: 'b', forgetBefore: 0, ifNew });
      expect(await errorOf(begin({ letters: [broken] }))).to.be.instanceOf(Error);
      expect(await found('one')).to.equal(undefined);
      await begin({ letters: [newMail(issuedAt)] });
      expect(await stores.mails.list({ limit: 9 })).to.have.lengthOf(1);
    });

    it('sets the time of the last use, and never an earlier one', async () => {
      const one = await add('one');
      const two = await add('two');
      await Promise.all([7, 9, 8].map((n) => stores.sessions.touch(one.id, issuedAt + n)));
      await stores.sessions.touch(one.id, issuedAt + 5);
      expect(await found('one')).to.deep.equal({ ...one, lastSeenAt: issuedAt + 9 });
      expect(await found('two')).to.deep.equal(two);
    });

    it('gives a session a new token once, and none to a session that has ended', async () => {
      const one = await add('one');
      const two = await add('two');
      const renewed = (digest: string) =>
        ({ digest, generation: 4, role: null, lastSeenAt: 50, confirmedAt: 60 }) as const;
      const answers = await Promise.all(['a', 'b', 'c'].map((digest) => stores.sessions.renew(one, renewed(digest))));
      expect(answers.filter(Boolean)).to.have.lengthOf(1);
      const digest = ['a', 'b', 'c'][answers.indexOf(true)] ?? '';
      expect(await found(digest)).to.deep.equal({ ...one, ...renewed(digest) });
      expect(await found('one')).to.equal(undefined);
      expect(await found('two')).to.deep.equal(two);
      await stores.sessions.end(ada, { only: one.id }, told);
      expect(await stores.sessions.renew({ id: one.id, digest }, renewed('d'))).to.equal(false);
      expect(await found('d')).to.equal(undefined);
    });

    it('ends one, all but one, or all sessions of one user, with an event if there are any', async () => {
      const { id } = await add('a');
      for (const digest of ['b', 'c', 'd']) await add(digest);
      const other = await add('other', { userId: bob });
      expect(await stores.sessions.end(ada, { only: other.id }, told), 'of another user').to.equal(0);
      expect(await stores.sessions.end(ada, { only: toSessionId(other.id + 99) }, told)).to.equal(0);
      expect(await events()).to.equal(0);
      expect(await stores.sessions.end(ada, { only: id }, told)).to.equal(1);
      expect(await found('a')).to.equal(undefined);
      const kept = await found('c');
      expect(await stores.sessions.end(ada, { allBut: kept?.id ?? id }, told)).to.equal(2);
      expect(await stores.sessions.list(ada)).to.deep.equal([kept]);
      expect(await stores.sessions.end(ada, 'all', told)).to.equal(1);
      expect(await stores.sessions.end(ada, 'all', told)).to.equal(0);
      expect(await events()).to.equal(3);
      expect(await found('other')).to.deep.equal(other);
    });
  });
}
