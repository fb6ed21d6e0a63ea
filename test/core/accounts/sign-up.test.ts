import { expect } from 'chai';
import fc from 'fast-check';
import { linkLives } from '../../../core/accounts/one-time-link.ts';
import type { SignUpPolicy } from '../../../core/accounts/sign-up-policy.ts';
import { isRefused } from '../../../core/refusal.ts';
import { addUser } from '../../support/backends.ts';
import { operator } from '../../support/by.ts';
import { good } from '../../support/good.ts';
import { openStoresInMemory, type StoresInMemory } from '../../support/in-memory.ts';
import { runs } from '../../support/runs.ts';
import { addLogin, from, password, signInWith, tokenIn } from '../../support/sign-in.ts';

const ada = { name: 'Ada', email: 'Ada@example.com', password };

const writtenTables = ['one_time_links', 'mails', 'work', 'audit_log', 'sessions', 'users', 'notifications'];

let stores: StoresInMemory;
let doors: ReturnType<typeof signInWith>;

const signIn = (given = password, email = 'ada@example.com') => doors.signIn({ email, password: given }, from);
async function me() {
  const answer = good(await signIn());
  if (answer.kind !== 'signed_in') throw new Error(answer.kind);
  const found = await doors.sessions.authenticate(answer.token);
  if (found === undefined) throw new Error('The session is not valid.');
  return { ...found, token: answer.token };
}

describe('accounts of people', () => {
  beforeEach(async () => {
    stores = await openStoresInMemory();
    doors = signInWith(stores);
  });
  afterEach(() => stores.close());

  it('are made by sign-up only when the link of the letter is used with the chosen password', async () => {
    expect(await doors.signUp(ada, from)).to.equal('letter_sent');
    expect(await stores.rows('users')).to.deep.equal([]);
    expect(isRefused(await signIn())).to.equal(true);
    const token = await doors.tokenSent();
    expect(await doors.verifyEmail({ token, password: 'what a stranger guesses' }, from)).to.include({
      reason: 'wrong_credentials',
    });
    const { login } = good(await doors.verifyEmail({ token, password }, from));
    expect(login).to.include({ email: 'ada@example.com', role: null, emailVerifiedAt: doors.clock.now() });
    expect(await doors.verifyEmail({ token, password }, from)).to.include({ reason: 'link_invalid' });
    await me();
  });

  it('cannot be told from the answers, the work or the number of letters', async () => {
    await addLogin(stores);
    const observe = async (act: (email: string) => Promise<unknown>, email: string) => {
      const hashes = doors.hashes.length;
      const count = () => Promise.all(writtenTables.map(async (name) => (await stores.rows(name)).length));
      const before = await count();
      const answer = JSON.stringify(await act(email));
      const after = await count();
      return { answer, added: after.map((rows, n) => rows - (before[n] ?? 0)), hashes: doors.hashes.slice(hashes) };
    };
    await addLogin(stores, { email: 'me@example.com' });
    const session = good(await signIn(password, 'me@example.com'));
    const mine = session.kind === 'signed_in' ? await doors.sessions.authenticate(session.token) : undefined;
    if (mine === undefined) throw new Error('The session is not valid.');
    const acts: ((email: string) => Promise<unknown>)[] = [
      (email) => doors.signUp({ ...ada, email }, from),
      (email) => doors.requestPasswordReset(email, from),
      (email) => doors.requestEmailChange(mine, email, from),
      (email) => doors.signIn({ email, password: 'wrong one' }, from),
    ];
    for (const act of acts) {
      expect(await observe(act, 'ada@example.com')).to.deep.equal(await observe(act, 'new@example.com'));
    }
    expect((await doors.sent()).map(({ kind }) => kind)).to.deep.equal([
      'already-registered',
      'verify-email',
      'reset-password',
      'no-account',
      'already-registered',
      'change-email',
    ]);
  });

  it('cannot be taken over by somebody who signs up with the address of another', async () => {
    await doors.signUp({ ...ada, password: 'of the attacker' }, from);
    const attackers = await doors.tokenSent();
    await doors.signUp(ada, from);
    good(await doors.verifyEmail({ token: await doors.tokenSent(), password }, from));
    expect(await doors.verifyEmail({ token: attackers, password: 'of the attacker' }, from)).to.include({
      reason: 'email_taken',
    });
    expect(isRefused(await signIn('of the attacker'))).to.equal(true);
  });

  it('are not made at all while they are closed, but for the first administrator; links work again afterwards', async () => {
    let policy: SignUpPolicy = 'open';
    const changing = signInWith(stores, { signUpPolicy: () => policy });
    await changing.signUp(ada, from);
    const token = await changing.tokenSent();
    const invited = { email: 'bob@example.com', role: null, deliver: 'return' } as const;
    const { token: invitation = '' } = good(await changing.invite(invited, operator));
    const setUp = (await changing.setUpToken()) ?? '';
    policy = 'closed';
    const answer = { name: 'Bob', password };
    for (const refused of [
      await changing.signUp({ ...ada, email: 'eve@example.com' }, from),
      await changing.verifyEmail({ token, password }, from),
      await changing.acceptInvitation(invitation, answer, from),
      await changing.invite({ ...invited, email: 'eve@example.com' }, operator),
    ]) {
      expect(refused).to.include({ reason: 'sign_up_closed' });
    }
    expect(await stores.rows('users')).to.deep.equal([]);
    good(await changing.setUp(setUp, { name: 'Root', email: 'root@example.com', password }, from));
    policy = 'invite';
    good(await changing.verifyEmail({ token, password }, from));
    good(await changing.acceptInvitation(invitation, answer, from));
  });

  it('need an invitation if sign-up is closed, and a good password', async () => {
    const invited = signInWith(stores, { signUpPolicy: () => 'invite' });
    expect(await invited.signUp(ada, from)).to.include({ reason: 'sign_up_closed' });
    for (const [chosen, reason] of [
      ['short', 'password_too_short'],
      ['password1', 'password_common'],
      ['ADA@example.com', 'password_personal'],
    ] as const) {
      expect(await doors.signUp({ ...ada, password: chosen }, from)).to.include({ reason });
    }
    expect(await doors.sent()).to.deep.equal([]);
  });

  it('are made by an invitation, which proves the address only if it came by letter', async () => {
    await doors.invite({ email: 'A@example.com', role: 'admin', deliver: 'letter' }, operator);
    const mailed = await doors.tokenSent();
    const { token = '' } = good(
      await doors.invite({ email: 'b@example.com', role: null, deliver: 'return' }, operator),
    );
    const a = good(await doors.acceptInvitation(mailed, { name: 'A', password }, from)).login;
    const b = good(await doors.acceptInvitation(token, { name: 'B', password }, from)).login;
    expect(a).to.include({ email: 'a@example.com', role: 'admin', emailVerifiedAt: doors.clock.now() });
    expect(b).to.include({ email: 'b@example.com', role: null, emailVerifiedAt: null });
    expect(await doors.acceptInvitation(token, { name: 'C', password }, from)).to.include({ reason: 'link_invalid' });
    expect(await doors.invite({ email: 'b@example.com', role: null, deliver: 'return' }, operator)).to.include({
      reason: 'email_taken',
    });
  });

  it('get a password by invitation if an operator added them before, and keep their role', async () => {
    const { id, email } = await addUser(stores, 'Bob');
    const { token = '' } = good(await doors.invite({ email, role: null, deliver: 'return' }, operator));
    expect(good(await doors.acceptInvitation(token, { name: 'Robert', password }, from)).login).to.include({
      id,
      name: 'Bob',
      role: null,
      generation: 1,
    });
    expect(good(await signIn(password, email))).to.include({ kind: 'signed_in' });
  });

  it('start with one administrator, made by one of several set-up links', async () => {
    const tokens = [await doors.setUpToken(), await doors.setUpToken()].map(String);
    expect(await doors.setUp('0'.repeat(64), ada, from)).to.include({ reason: 'link_invalid' });
    const answers = await Promise.all(
      [0, 1, 0, 1].map((link, n) => doors.setUp(tokens[link] ?? '', { ...ada, email: `${n}@example.com` }, from)),
    );
    const made = answers.filter((answer) => !isRefused(answer));
    expect(made).to.have.lengthOf(1);
    expect(made[0]).to.have.nested.property('login.role', 'admin');
    expect(made[0]).to.have.nested.property('login.emailVerifiedAt', null);
    expect(await doors.setUpToken()).to.equal(undefined);
  });

  it('get a new password by letter, which ends all sessions and all other links', async () => {
    await addLogin(stores, { emailVerifiedAt: null });
    const mine = await me();
    await doors.requestEmailChange(mine, 'attacker@example.com', from);
    const change = await doors.tokenSent();
    await doors.requestPasswordReset('ada@example.com', from);
    const other = await doors.tokenSent();
    await doors.requestPasswordReset('ADA@example.com', from);
    const token = await doors.tokenSent();
    expect(await doors.resetPassword(token, 'short', from)).to.include({ reason: 'password_too_short' });
    const answers = await Promise.all([1, 2, 3].map((n) => doors.resetPassword(token, `a new password ${n}`, from)));
    expect(answers.filter((answer) => !isRefused(answer))).to.have.lengthOf(1);
    const chosen = answers.findIndex((answer) => !isRefused(answer)) + 1;
    expect(await doors.sessions.authenticate(mine.token)).to.equal(undefined);
    expect(await doors.resetPassword(other, 'a later password', from)).to.include({ reason: 'link_invalid' });
    expect(await doors.confirmEmailChange(change)).to.include({ reason: 'link_invalid' });
    expect(isRefused(await signIn())).to.equal(true);
    const signed = good(await signIn(`a new password ${chosen}`));
    expect(signed).to.have.nested.property('login.emailVerifiedAt', doors.clock.now());
    await doors.requestPasswordReset('nobody@example.com', from);
    expect((await doors.sent()).at(-1)).to.include({ kind: 'no-account', to: 'nobody@example.com' });
  });

  it('change their address when the new one is confirmed, which the old one is told', async () => {
    await addLogin(stores);
    const mine = await me();
    await doors.requestEmailChange(mine, 'New@example.com', from);
    expect((await stores.logins.find(mine.login.id))?.email).to.equal('ada@example.com');
    expect(await doors.confirmEmailChange(await doors.tokenSent())).to.equal('email_changed');
    const told = (await doors.sent()).at(-1);
    expect(told).to.include({ kind: 'email-changed', to: 'ada@example.com' });
    expect(told?.text).to.include('Hello Ada,').and.include('new@example.com');
    const [notification] = await stores.notifications.list(mine.login.id, { limit: 1 });
    expect(notification?.notice).to.deep.equal({ kind: 'email_changed', email: 'new@example.com' });
    expect(await doors.sessions.authenticate(mine.token)).to.equal(undefined);
    expect(good(await signIn(password, 'new@example.com'))).to.include({ kind: 'signed_in' });
    expect(isRefused(await signIn())).to.equal(true);
  });

  it('verify their present address in the same way, and tell nobody', async () => {
    await addLogin(stores, { emailVerifiedAt: null });
    const mine = await me();
    await doors.requestEmailChange(mine, 'ada@example.com', from);
    expect((await doors.sent()).at(-1)).to.include({ kind: 'change-email', to: 'ada@example.com' });
    await doors.confirmEmailChange(await doors.tokenSent());
    expect(await doors.sent()).to.have.lengthOf(1);
    const notifications = await stores.notifications.list(mine.login.id, { limit: 9 });
    expect(notifications.map(({ notice }) => notice.kind)).to.deep.equal(['new_sign_in']);
    expect(await stores.logins.find(mine.login.id)).to.include({ emailVerifiedAt: doors.clock.now() });
  });

  it('do not get an address that somebody took meanwhile', async () => {
    await addLogin(stores);
    await doors.requestEmailChange(await me(), 'new@example.com', from);
    const token = await doors.tokenSent();
    await addLogin(stores, { email: 'new@example.com' });
    expect(await doors.confirmEmailChange(token)).to.include({ reason: 'email_taken' });
  });

  it('use each link never twice and never after its end, whatever the order of tries', async () => {
    const { id } = await addLogin(stores);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 45 * 60_000 }), { minLength: 1, maxLength: 6 }),
        async (waits) => {
          await stores.logins.change(id, (before) => ({ after: before }));
          await doors.requestPasswordReset('ada@example.com', from);
          const token = await doors.tokenSent();
          const end = doors.clock.now() + linkLives['reset-password'];
          let uses = 0;
          for (const wait of waits) {
            doors.clock.advance(wait);
            const answers = await Promise.all(
              [1, 2].map((n) => doors.resetPassword(token, `a good password ${n}`, from)),
            );
            const succeeded = answers.filter((answer) => !isRefused(answer)).length;
            expect(succeeded).to.equal(uses === 0 && doors.clock.now() < end ? 1 : 0);
            uses += succeeded;
          }
        },
      ),
      { numRuns: runs(40) },
    );
  });

  it('store no link, recovery code or password in a readable form, except the link in its letter', async () => {
    await doors.signUp(ada, from);
    await doors.invite({ email: 'x@example.com', role: null, deliver: 'letter' }, operator);
    const kept = JSON.stringify([await stores.rows('one_time_links'), await stores.rows('audit_log')]);
    for (const letter of await doors.sent()) expect(kept).to.not.include(tokenIn(letter) || 'no token');
  });
});
