import { expect } from 'chai';
import { createMemoryRateLimiter } from '../../../adapters/limits/memory.ts';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import { browserLife } from '../../../core/accounts/known-browser.ts';
import { passwordsOfAccount, signInLimits } from '../../../core/accounts/sign-in-limits.ts';
import type { UserId } from '../../../core/id.ts';
import { isRefused } from '../../../core/refusal.ts';
import { operator } from '../../support/by.ts';
import { good } from '../../support/good.ts';
import { openStoresInMemory, type StoresInMemory } from '../../support/in-memory.ts';
import { issuedAt } from '../../support/license-acts.ts';
import { addLogin, codeAt, from, password, signInWith } from '../../support/sign-in.ts';

const ada = { email: 'ada@example.com', password };
type Doors = ReturnType<typeof signInWith>;

let stores: StoresInMemory;
let doors: Doors;

async function signedIn({ signIn, sessions }: Doors = doors, who = ada) {
  const answer = good(await signIn(who, from));
  if (answer.kind !== 'signed_in') throw new Error(answer.kind);
  const me = await sessions.authenticate(answer.token);
  if (me === undefined) throw new Error('The session is not valid.');
  return { token: answer.token, me };
}

async function challenge() {
  const answer = good(await doors.signIn(ada, from));
  if (answer.kind !== 'second_factor') throw new Error('There is no second factor.');
  return answer.challenge;
}

/** Switches the second factor on, and waits until a new code is needed. */
async function enabled() {
  const { me } = await signedIn();
  const { secret } = doors.secondFactor.propose(me, 'Shop');
  const code = codeAt(secret, doors.clock.now());
  const { session, recoveryCodes } = good(await doors.secondFactor.enable(me, { secret, code }));
  return { secret, recoveryCodes, token: session.token, used: code };
}

/** The notifications of a user but those about new browsers, newest first. */
const noticesOf = async (id: UserId) =>
  (await stores.notifications.list(id, { limit: 99 }))
    .map(({ notice }) => notice)
    .filter(({ kind }) => kind !== 'new_sign_in');
const isValid = async (token: string) => (await doors.sessions.authenticate(token)) !== undefined;

describe('signing in', () => {
  beforeEach(async () => {
    stores = await openStoresInMemory();
    doors = signInWith(stores);
  });
  afterEach(() => stores.close());

  it('gives a new token of 256 bits each time, and stores nothing that reveals it', async () => {
    await addLogin(stores);
    const [one, two] = [await signedIn(), await signedIn()];
    expect(one.token)
      .to.match(/^[0-9a-f]{64}$/)
      .and.not.equal(two.token);
    const kept = JSON.stringify([await stores.rows('sessions'), await stores.rows('audit_log')]);
    expect(kept).to.not.include(one.token.slice(0, 20));
    expect(one.me.login.email).to.equal(ada.email);
    for (const wrong of [undefined, '', one.token.slice(1), '0'.repeat(64), one.me.session.digest]) {
      expect(await doors.sessions.authenticate(wrong)).to.equal(undefined);
    }
  });

  it('refuses an unknown address, a wrong password, a suspended user and one without a password alike', async () => {
    await addLogin(stores);
    await addLogin(stores, { email: 'none@example.com', passwordHash: null });
    await addLogin(stores, { email: 'gone@example.com' });
    const answers = [];
    const hashes = [];
    for (const email of ['nobody@example.com', 'ada@example.com', 'none@example.com', 'gone@example.com']) {
      const isGone = email === 'gone@example.com';
      const logins = {
        ...stores.logins,
        findByEmail: async (address: string) => {
          const found = await stores.logins.findByEmail(address);
          return found && isGone ? { ...found, suspendedAt: 1 } : found;
        },
      };
      const door = signInWith({ ...stores, logins });
      answers.push(JSON.stringify(await door.signIn({ email, password: isGone ? password : 'wrong one' }, from)));
      hashes.push(door.hashes.join());
    }
    expect(new Set(answers).size, answers.join()).to.equal(1);
    expect(hashes).to.deep.equal(['verify', 'verify', 'verify', 'verify']);
  });

  it('accepts the address in any letter case, and an outdated hash, which it replaces', async () => {
    const { id } = await addLogin(stores, { passwordHash: `old:${password}` });
    await signedIn(doors, { ...ada, email: 'ADA@example.com' });
    expect((await stores.logins.find(id))?.passwordHash).to.equal(`new:${password}`);
    await signedIn();
    expect(doors.hashes).to.deep.equal(['verify', 'hash', 'verify']);
  });

  it('stops guessing from one address, and not the owner at another', async () => {
    await addLogin(stores);
    const clock = createManualClock(issuedAt);
    doors = signInWith(stores, { clock, limiter: createMemoryRateLimiter(clock) });
    for (let time = 0; time < signInLimits.password.byAccount[0].limit; time++) {
      expect(await doors.signIn({ ...ada, password: 'guess' }, from)).to.include({ reason: 'wrong_credentials' });
    }
    expect(await doors.signIn(ada, from)).to.include({ reason: 'too_many_attempts' });
    expect(good(await doors.signIn(ada, { ...from, address: '198.51.100.1' }))).to.include({ kind: 'signed_in' });
  });

  it('stops guessing with a stolen session, from however many addresses', async () => {
    await addLogin(stores);
    const clock = createManualClock(issuedAt);
    doors = signInWith(stores, { clock, limiter: createMemoryRateLimiter(clock) });
    const [stolen, own] = [await signedIn(), await signedIn()];
    const [{ limit }] = passwordsOfAccount;
    for (let n = 0; n < limit; n++) {
      expect(await doors.sessions.confirm(stolen.me, 'guess', `203.0.113.${n}`)).to.include({
        reason: 'wrong_credentials',
      });
    }
    const last = await doors.sessions.confirm(stolen.me, password, '198.51.100.1');
    expect(last).to.include({ reason: 'too_many_attempts' });
    expect(good(await doors.sessions.confirm(own.me, password, '198.51.100.1'))).to.include({ kind: 'signed_in' });
  });

  it('ends one, the other or all sessions of a user, and lists those that are left', async () => {
    const { id } = await addLogin(stores);
    const [one, two, three] = [await signedIn(), await signedIn(), await signedIn()];
    await doors.sessions.signOut(one.me);
    expect([await isValid(one.token), await isValid(two.token)]).to.deep.equal([false, true]);
    expect(await doors.sessions.end(id, { allBut: two.me.session.id }, operator)).to.equal(1);
    expect(await isValid(three.token)).to.equal(false);
    expect((await doors.sessions.list(id)).map((session) => session.id)).to.deep.equal([two.me.session.id]);
    expect(await doors.sessions.end(id, 'all', operator)).to.equal(1);
    expect(await isValid(two.token)).to.equal(false);
  });

  it('ends all other sessions, and gives this one a new token, when the password changes', async () => {
    await addLogin(stores);
    const [mine, other] = [await signedIn(), await signedIn()];
    expect(await doors.changePassword(mine.me, 'password1')).to.include({ reason: 'password_common' });
    expect(await doors.changePassword(mine.me, 'ada@example.com')).to.include({ reason: 'password_personal' });
    const { token } = good(await doors.changePassword(mine.me, 'another good one'));
    expect([await isValid(mine.token), await isValid(other.token), await isValid(token)]).to.deep.equal([
      false,
      false,
      true,
    ]);
    expect(await doors.changePassword(other.me, 'a third good one')).to.include({ reason: 'signed_out' });
    expect(isRefused(await doors.signIn(ada, from))).to.equal(true);
    expect((await doors.sent()).map(({ kind, to }) => [kind, to])).to.deep.equal([['password-changed', ada.email]]);
    expect(await noticesOf(mine.me.login.id)).to.deep.equal([{ kind: 'password_changed' }]);
  });

  it('ends the sessions of a user whose role changes or who is suspended', async () => {
    const { id } = await addLogin(stores);
    const other = await addLogin(stores, { email: 'bob@example.com' });
    const mine = await signedIn();
    const theirs = await signedIn(doors, { ...ada, email: other.email });
    const grant = {
      digest: 'grant',
      purpose: { kind: 'reset-password' },
      of: { userId: id, generation: 0 },
      expiresAt: issuedAt + 1,
    } as const;
    await stores.links.add(grant, issuedAt);
    await stores.links.use('grant', ({ login = other, link: _ }) => ({
      change: { ...login, role: 'admin' },
      event: { type: 'user.added', at: issuedAt, actor: 'x', reason: null, subject: 'x', data: {} },
    }));
    expect([await isValid(mine.token), await isValid(theirs.token)]).to.deep.equal([false, true]);
    const find = async (digest: string) => {
      const found = await stores.sessions.find(digest);
      return found && { ...found, login: { ...found.login, suspendedAt: 1 } };
    };
    const suspended = signInWith({ ...stores, sessions: { ...stores.sessions, find } });
    expect(await suspended.sessions.authenticate(theirs.token)).to.equal(undefined);
  });

  describe('in a new browser', () => {
    const device = async (sent?: string) => {
      const answer = good(await doors.signIn(ada, { ...from, device: sent }));
      return answer.kind === 'signed_in' ? (answer.device ?? '') : '';
    };
    const told = async () => {
      const mails = await stores.mails.list({ limit: 99 });
      return [mails.filter(({ kind }) => kind === 'new-sign-in').length, (await stores.rows('notifications')).length];
    };

    it('is announced to the user by letter and on the pages, once for each browser', async () => {
      const { id } = await addLogin(stores);
      const one = await device();
      expect(one).to.match(/^[0-9a-f]{64}$/);
      expect(await told()).to.deep.equal([1, 1]);
      expect(await device(one)).to.equal(one);
      expect(await told()).to.deep.equal([1, 1]);
      const two = await device('not a token');
      expect(two)
        .to.match(/^[0-9a-f]{64}$/)
        .and.not.equal(one);
      expect(await told()).to.deep.equal([2, 2]);
      const [last] = await stores.notifications.list(id, { limit: 1 });
      expect(last?.notice).to.deep.equal({ kind: 'new_sign_in', ...from });
      const [entry] = await stores.mails.list({ limit: 1 });
      const mail = entry && (await stores.mails.find(entry.id));
      expect(mail).to.include({ kind: 'new-sign-in' }).and.have.nested.property('to.address', ada.email);
      expect(mail?.text).to.include(from.browser).and.include(from.address);
      const kept = JSON.stringify(await stores.rows('known_browsers'));
      for (const token of [one, two]) expect(kept).to.not.include(token.slice(0, 20));
    });

    it('is new to each user who signs in there, and is forgotten after 400 days without a sign-in', async () => {
      await addLogin(stores);
      await addLogin(stores, { email: 'bob@example.com' });
      const one = await device();
      await doors.signIn({ email: 'bob@example.com', password }, { ...from, device: one });
      expect(await told()).to.deep.equal([2, 2]);
      doors.clock.advance(browserLife);
      await device(one);
      doors.clock.advance(browserLife);
      await device(one);
      expect(await told()).to.deep.equal([2, 2]);
      doors.clock.advance(browserLife + 1);
      await device(one);
      expect(await told()).to.deep.equal([3, 3]);
    });

    it('is not announced at the first sign-in of an account, whose browser is known from then on', async () => {
      await doors.signUp({ name: 'Ada', ...ada }, from);
      const token = await doors.tokenSent();
      const first = good(await doors.verifyEmail({ token, password }, from));
      expect(await told()).to.deep.equal([0, 0]);
      await device(first.device);
      expect(await told()).to.deep.equal([0, 0]);
      await device();
      expect(await told()).to.deep.equal([1, 1]);
    });

    it('is not announced after a refusal', async () => {
      await addLogin(stores);
      await doors.signIn({ ...ada, password: 'wrong one' }, from);
      expect(await told()).to.deep.equal([0, 0]);
    });
  });

  describe('with a second factor', () => {
    beforeEach(() => addLogin(stores));

    it('needs a code of the app after the password, and accepts each code once', async () => {
      const { secret, used } = await enabled();
      expect(await doors.signInWithCode({ challenge: await challenge(), code: used }, from)).to.include({
        reason: 'wrong_code',
      });
      doors.clock.advance(30_000);
      const code = codeAt(secret, doors.clock.now());
      const [first, second] = [await challenge(), await challenge()];
      const answers = await Promise.all(
        [first, second, first].map((one) => doors.signInWithCode({ challenge: one, code }, from)),
      );
      expect(answers.filter((answer) => !isRefused(answer))).to.have.lengthOf(1);
    });

    it('keeps the challenge after a wrong code, for ten minutes, and uses it up with a right one', async () => {
      const { secret } = await enabled();
      doors.clock.advance(60_000);
      const [one, late] = [await challenge(), await challenge()];
      const answer = (text: string, code = codeAt(secret, doors.clock.now())) =>
        doors.signInWithCode({ challenge: text, code }, from);
      expect(await answer(one, '000000')).to.include({ reason: 'wrong_code' });
      expect(good(await answer(one)))
        .to.include({ kind: 'signed_in' })
        .and.have.property('device');
      doors.clock.advance(60_000);
      expect(await answer(one)).to.include({ reason: 'link_invalid' });
      expect(await answer('0'.repeat(64))).to.include({ reason: 'link_invalid' });
      doors.clock.advance(10 * 60_000);
      expect(await answer(late)).to.include({ reason: 'link_invalid' });
    });

    it('accepts each recovery code once, and new ones replace the old', async () => {
      const { recoveryCodes, token } = await enabled();
      const [code = ''] = recoveryCodes;
      expect(good(await doors.signInWithCode({ challenge: await challenge(), code }, from))).to.have.property('token');
      expect(await doors.signInWithCode({ challenge: await challenge(), code }, from)).to.include({
        reason: 'wrong_code',
      });
      const me = await doors.sessions.authenticate(token);
      if (me === undefined) throw new Error('signed out');
      const renewed = good(await doors.secondFactor.renewRecoveryCodes(me)).recoveryCodes;
      const old = recoveryCodes[1] ?? '';
      expect(await doors.signInWithCode({ challenge: await challenge(), code: old }, from)).to.include({
        reason: 'wrong_code',
      });
      const fresh = renewed[0] ?? '';
      expect(good(await doors.signInWithCode({ challenge: await challenge(), code: fresh }, from))).to.have.property(
        'token',
      );
    });

    it('cannot be switched on with a wrong code or a secret of another form', async () => {
      const { me } = await signedIn();
      const { secret } = doors.secondFactor.propose(me, 'Shop');
      const code = codeAt(secret, doors.clock.now());
      for (const app of [
        { secret, code: '000000' },
        { secret: secret.slice(1), code },
        { secret: '', code },
      ]) {
        expect(await doors.secondFactor.enable(me, app)).to.include({ reason: 'wrong_code' });
      }
      expect(await doors.secondFactor.disable(me)).to.include({ reason: 'second_factor_off' });
      await signedIn();
    });

    it('cannot be switched on twice with one code; a code of another secret replaces it', async () => {
      const { secret, used, token } = await enabled();
      const me = await doors.sessions.authenticate(token);
      if (me === undefined) throw new Error('signed out');
      expect(await doors.secondFactor.enable(me, { secret, code: used })).to.include({ reason: 'wrong_code' });
      expect(await isValid(token)).to.equal(true);
      const other = doors.secondFactor.propose(me, 'Shop').secret;
      const code = codeAt(other, doors.clock.now());
      expect(good(await doors.secondFactor.enable(me, { secret: other, code })).recoveryCodes).to.have.lengthOf(10);
    });

    it('is proposed with the secret that the form sent back, if that has the form of one', async () => {
      const { me } = await signedIn();
      const first = doors.secondFactor.propose(me, 'Shop');
      expect(doors.secondFactor.propose(me, 'Shop', first.secret)).to.deep.equal(first);
      for (const wrong of ['', 'x', first.secret.toLowerCase(), `${first.secret}A`]) {
        expect(doors.secondFactor.propose(me, 'Shop', wrong).secret).to.match(/^[A-Z2-7]{32}$/);
      }
    });

    it('ends other sessions and unfinished sign-ins when it is switched on or off', async () => {
      const other = await signedIn();
      const { token } = await enabled();
      expect([await isValid(other.token), await isValid(token)]).to.deep.equal([false, true]);
      const open = await challenge();
      const me = await doors.sessions.authenticate(token);
      if (me === undefined) throw new Error('signed out');
      expect(good(await doors.secondFactor.disable(me)).token).to.not.equal(token);
      expect(await doors.signInWithCode({ challenge: open, code: '123456' }, from)).to.include({
        reason: 'link_invalid',
      });
      await signedIn();
      expect((await doors.sent()).map(({ kind }) => kind)).to.deep.equal([
        'second-factor-changed',
        'second-factor-changed',
      ]);
      expect(await noticesOf(me.login.id)).to.deep.equal(
        ['off', 'on'].map((change) => ({ kind: 'second_factor_changed', change })),
      );
    });
  });
});
