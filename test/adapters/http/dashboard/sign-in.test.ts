import { expect } from 'chai';
import { setUpLink } from '../../../../apps/server/announce.ts';
import { t } from '../../../../apps/wiring/tokens.ts';
import type { Actor } from '../../../../core/accounts/role.ts';
import { by } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { itLong } from '../../../support/required-service.ts';
import type { WebAnswer, WebClient } from '../../../support/web-client.ts';
import { type DashboardService, goodPassword, startDashboardService } from './dashboard-service.ts';

const operator: Actor = { kind: 'operator', by };
const minute = 60_000;
const day = 24 * 60 * minute;
const seen = ({ status, location }: WebAnswer) => [status, location];

describe('the sign-in pages', () => {
  let service: DashboardService;
  before(async () => {
    service = await startDashboardService();
  });
  after(() => service.close());

  const me = async (browser: WebClient, cookie = 'session') =>
    (await service.parts.get(t.sessions)).authenticate(browser.cookies.get(cookie));

  itLong('lead to the page that was wanted, or else to the home of who signs in', async () => {
    const homes: string[] = [];
    for (const { role, sells } of [
      { role: null, sells: undefined },
      { role: 'admin', sells: undefined },
      { role: 'admin', sells: true },
      { role: null, sells: true },
      { role: null, sells: false },
    ] as const) {
      const person = await service.signedInUser({ role });
      const { id: ownerId } = (await person.me()).login;
      if (sells !== undefined) {
        const { id } = good(await service.products.add({ title: 'Sold', ownerId }, operator));
        await service.database.write((trx) =>
          trx('products')
            .where({ id })
            .update({ is_live: Number(sells) }),
        );
      }
      homes.push((await service.signIn(service.browser(), person)).location ?? '');
      const wanted = await service.browser().fill('/sign-in?next=/account/notifications', {
        email: person.email,
        password: person.password,
      });
      expect(wanted.location).to.equal('/account/notifications');
    }
    expect(homes).to.deep.equal(['/account/purchases', '/admin', '/selling/live', '/selling/live', '/selling/test']);
  });

  describe('for a new account', () => {
    const ada = { name: 'Ada', email: 'ada@example.com', password: goodPassword };

    it('lead from the form to the letter, and from its link into the account', async () => {
      const browser = service.browser();
      const mailed = await browser.fill('/sign-up', ada);
      expect([mailed.status, mailed.heading]).to.deep.equal([200, 'Ask for your link']);
      expect(mailed.text).to.include(ada.email);
      const token = await service.tokenSent(ada.email);
      const answer = await browser.fill('/verify-email', { token, password: goodPassword });
      expect(seen(answer)).to.deep.equal([303, '/account/purchases']);
      expect((await me(browser))?.login).to.include({
        name: 'Ada',
        email: ada.email,
        role: null,
        emailVerifiedAt: service.clock.now(),
      });
    });

    itLong('say that a mail was sent only if this site sends mails', async () => {
      await using mailing = await startDashboardService({ MAIL_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'a@example.com' });
      const asked = async (path: string, typed: Record<string, string>) => {
        const answers = [mailing, service].map((one) => one.browser().fill(path, typed));
        return (await Promise.all(answers)).map(({ heading }) => heading);
      };
      const expected = ['Check your e-mail', 'Ask for your link'];
      expect(await asked('/sign-up', { ...ada, email: 'bob@example.com' })).to.deep.equal(expected);
      expect(await asked('/forgot-password', { email: 'bob@example.com' })).to.deep.equal(expected);
    });

    it('accept the link of the letter once, for a day, and only with the password of the sign-up', async () => {
      const browser = service.browser();
      await browser.fill('/sign-up', { ...ada, email: 'bo@example.com' });
      const token = await service.tokenSent('bo@example.com');
      const wrong = await browser.fill('/verify-email', { token, password: 'another good one' });
      expect([wrong.status, wrong.faults]).to.deep.equal([
        422,
        { password: 'This is not the password that you chose when you signed up.' },
      ]);
      expect(seen(await browser.fill('/verify-email', { token, password: goodPassword }))).to.deep.equal([
        303,
        '/account/purchases',
      ]);
      const again = await service.browser().fill('/verify-email', { token, password: goodPassword });
      expect([again.status, again.faults.token]).to.deep.equal([
        422,
        'This link has expired or was already used. Ask for a new one.',
      ]);

      const late = service.browser();
      await late.fill('/sign-up', { ...ada, email: 'late@example.com' });
      const expired = await service.tokenSent('late@example.com');
      service.clock.advance(day);
      expect((await late.fill('/verify-email', { token: expired, password: goodPassword })).status).to.equal(422);
    });

    it('come back with what was typed, except the password, and with a message beside each field', async () => {
      const answer = await service.browser().fill('/sign-up', { name: ' ', email: 'no address', password: 'short' });
      expect(answer.status).to.equal(422);
      expect(answer.faults).to.deep.equal({
        name: 'Enter a name.',
        email: 'Enter one e-mail address, such as ada@example.com.',
      });
      expect(answer.forms[0]?.values).to.deep.include({ email: ['no address'], password: [''] });
      const passwords = {
        short: /at least 8/,
        password1: /too common/,
        'ada@example.com': /not your name/,
        ['x'.repeat(257)]: /at most 256/,
      };
      for (const [password, message] of Object.entries(passwords)) {
        // No letter is sent, so these attempts use up none of the letters.
        const refused = await service.browser().fill('/sign-up', { ...ada, password });
        expect([refused.status, Object.keys(refused.faults)], password).to.deep.equal([422, ['password']]);
        expect(refused.faults.password).to.match(message);
        expect(refused.forms[0]?.values.password).to.deep.equal(['']);
      }
    });

    it('say that an invitation is needed, and then make no account', async () => {
      await using closed = await startDashboardService({ SIGN_UP: 'invite' });
      const page = await closed.browser().open('/sign-up');
      expect([page.status, page.heading, page.forms]).to.deep.equal([200, 'You need an invitation', []]);
      const answer = await closed.browser().post('/sign-up', ada);
      expect([answer.status, await closed.letters()]).to.deep.equal([422, []]);
    });

    it('take an invitation once, and give the role that it names', async () => {
      const email = 'ivy@example.com';
      const { invite } = await service.parts.get(t.signUp);
      good(await invite({ email, role: 'admin', deliver: 'letter' }, operator));
      const token = await service.tokenSent(email, 'invite');
      const browser = service.browser();
      const first = await browser.fill('/invitation', { token, name: 'Ivy', password: goodPassword });
      expect(first.status).to.equal(303);
      expect((await me(browser))?.login).to.include({ role: 'admin', emailVerifiedAt: service.clock.now() });
      const again = await service.browser().fill('/invitation', { token, name: 'X', password: goodPassword });
      expect([again.status, Object.keys(again.faults)]).to.deep.equal([422, ['token']]);
    });
  });

  describe('for the set-up', () => {
    const root = { name: 'Root', email: 'root@example.com', password: goodPassword };
    const tokenOf = async ({ parts }: DashboardService) => {
      const link = await setUpLink(parts, await parts.get(t.config));
      return link?.split('#')[1] ?? '';
    };

    it('make one administrator, even if two browsers send two links at once', async () => {
      await using empty = await startDashboardService();
      const tokens = [await tokenOf(empty), await tokenOf(empty)];
      const answers = await Promise.all(
        tokens.map((token, n) => empty.browser().fill('/setup', { ...root, email: `root${n}@example.com`, token })),
      );
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([303, 422]);
      expect(answers.find(({ status }) => status === 422)?.faults.token).to.match(/This link was already used/);
      expect((await empty.rows('users')).map(({ role }) => role)).to.deep.equal(['admin']);
      expect(await tokenOf(empty)).to.equal('');
      for (const token of tokens) {
        expect((await empty.browser().fill('/setup', { ...root, token })).status).to.equal(422);
      }
    });

    it('need only an address and a password', async () => {
      await using empty = await startDashboardService();
      const { email, password } = root;
      expect((await empty.browser().fill('/setup', { email, password, token: await tokenOf(empty) })).status).to.equal(
        303,
      );
      expect((await empty.rows('users')).map(({ name }) => name)).to.deep.equal(['root']);
    });

    it('welcome the administrator once, and take no link that is older than 30 minutes', async () => {
      await using empty = await startDashboardService();
      const old = await tokenOf(empty);
      empty.clock.advance(30 * minute);
      expect((await empty.browser().fill('/setup', { ...root, token: old })).status).to.equal(422);
      const browser = empty.browser();
      const answer = await browser.fill('/setup', { ...root, token: await tokenOf(empty) });
      expect(seen(answer)).to.deep.equal([303, '/admin']);
      expect(answer.setCookies.notice).to.match(/^notice=set_up; path=\/; expires=[^;]+; samesite=lax; httponly$/);
    });

    it('print no link where this process does not serve the page', async () => {
      await using license = await startDashboardService({ SURFACE: 'license' });
      expect(await tokenOf(license)).to.equal('');
      expect((await license.browser().get('/setup')).status).to.equal(404);
    });
  });

  describe('for signing in', () => {
    it('lead back to the page that the person came for', async () => {
      const { email } = await service.signedInUser();
      const browser = service.browser();
      const form = await browser.open('/sign-in?next=%2Faccount%2Fkeys%3Fpage%3D2%26q%3Da%2526b');
      const wrong = await browser.submit(form, { email, password: 'wrong one' });
      expect([wrong.status, wrong.alert]).to.deep.equal([422, 'Incorrect e-mail address or password.']);
      const answer = await browser.submit(wrong, { email, password: goodPassword });
      expect(seen(answer)).to.deep.equal([303, '/account/keys?page=2&q=a%26b']);
      expect(seen(await browser.get('/sign-in'))).to.deep.equal([303, '/account/purchases']);
    });

    it('never lead to another site', async () => {
      const { email } = await service.signedInUser();
      const hostile = [
        '//evil.example',
        '///evil.example',
        '/\\evil.example',
        '\\\\evil.example',
        '/\t/evil.example',
        '\t//evil.example',
        '/\n/evil.example',
        '/.//evil.example',
        '/a/..//evil.example',
        '/%2e//evil.example',
        'https://evil.example',
        'https:evil.example',
        'javascript:alert(1)',
        'evil.example',
        '/\r\nSet-Cookie: session=x',
        '/a\r\nLocation: https://evil.example',
        '@evil.example',
        '/\0',
        '',
        '/',
      ];
      for (const next of hostile) {
        for (const query of [encodeURIComponent(next), next.replace(/[\s\0]/g, encodeURIComponent)]) {
          service.clock.advance(15 * minute);
          const browser = service.browser();
          const answer = await browser.post(`/sign-in?next=${query}`, { email, password: goodPassword });
          expect(answer.status, next).to.equal(303);
          const at = new URL(answer.headers.get('Location') ?? '', `${service.url}/sign-in`);
          expect(at.origin, next).to.equal(service.url);
          expect(at.pathname, next).to.not.match(/^\/\//);
          expect(URL.canParse(at.pathname.slice(1)), next).to.equal(false);
          expect([...browser.cookies.keys()].sort(), next).to.deep.equal(['device', 'notice', 'session']);
          expect(browser.cookies.get('session')).to.match(/^[0-9a-f]{64}$/);
        }
      }
    });

    it('never lead to another site after the code either', async () => {
      const person = await service.secure(await service.signedInUser());
      const next = '/https://evil.example/x';
      const browser = service.browser();
      const first = await browser.post(`/sign-in?next=${next}`, { email: person.email, password: goodPassword });
      expect(seen(first)).to.deep.equal([303, '/sign-in/code']);
      const answer = await browser.post(`/sign-in/code?next=${next}`, { code: person.nextCode() });
      expect(seen(answer)).to.deep.equal([303, '/account/purchases']);
    });

    it('ask for the code if there is a second factor, then lead back; take each code once', async () => {
      const person = await service.secure(await service.signedInUser());
      const browser = service.browser();
      const first = await browser.post('/sign-in?next=/account/keys', { email: person.email, password: goodPassword });
      expect(seen(first)).to.deep.equal([303, '/sign-in/code?next=%2Faccount%2Fkeys']);
      expect(await me(browser), 'the password is not enough').to.equal(undefined);
      const form = await browser.follow(first);
      const wrong = await browser.submit(form, { code: '000000' });
      expect([wrong.status, Object.keys(wrong.faults)]).to.deep.equal([422, ['code']]);
      const code = person.nextCode();
      const answer = await browser.submit(wrong, { code: `${code.slice(0, 3)} ${code.slice(3)}` });
      expect(seen(answer)).to.deep.equal([303, '/account/keys']);
      expect(browser.cookies.has('challenge')).to.equal(false);
      expect((await me(browser))?.login.email).to.equal(person.email);

      const second = service.browser();
      await service.signIn(second, person);
      expect((await second.fill('/sign-in/code', { code })).status, 'the same code').to.equal(422);
      const recovery = person.recoveryCodes[0] ?? '';
      expect(seen(await second.fill('/sign-in/code', { code: recovery }))).to.deep.equal([303, '/account/purchases']);
      const third = service.browser();
      await service.signIn(third, person);
      expect((await third.fill('/sign-in/code', { code: recovery })).status, 'the same recovery code').to.equal(422);
    });

    it('take a code only after the password, in the same browser, and within ten minutes', async () => {
      const person = await service.secure(await service.signedInUser());
      const alone = await service.browser().fill('/sign-in/code', { code: person.nextCode() });
      expect([alone.status, alone.alert]).to.deep.equal([422, 'This sign-in has expired. Sign in again.']);
      const slow = service.browser();
      await service.signIn(slow, person);
      service.clock.advance(10 * minute);
      expect((await slow.fill('/sign-in/code', { code: person.nextCode() })).status).to.equal(422);
    });

    it('give a new token, never one that the browser had before, and sign out in this browser only', async () => {
      const { email } = await service.signedInUser();
      const chosen = 'a'.repeat(64);
      const [one, other] = [service.browser(), service.browser()];
      one.cookies.set('session', chosen);
      await service.signIn(one, { email });
      await service.signIn(other, { email });
      const token = one.cookies.get('session') ?? '';
      expect(new Set([chosen, token, other.cookies.get('session')]).size).to.equal(3);
      one.cookies.set('session', chosen);
      expect(await me(one)).to.equal(undefined);
      one.cookies.set('session', token);
      const out = await one.post('/sign-out', {});
      expect(seen(out)).to.deep.equal([303, '/sign-in']);
      expect((await one.follow(out)).notice).to.equal('You are signed out.');
      expect(one.cookies.has('session')).to.equal(false);
      one.cookies.set('session', token);
      expect([await me(one), (await me(other))?.login.email]).to.deep.equal([undefined, email]);
    });

    it('end a session at once when its person is suspended, or gets another role', async () => {
      const administration = await service.parts.get(t.userAdministration);
      const [suspended, changed] = [await service.signedInUser(), await service.signedInUser({ role: 'admin' })];
      await administration.suspend(suspended.email, operator);
      await administration.setRole(changed.email, null, operator);
      for (const { browser } of [suspended, changed]) {
        const answer = await browser.post('/sign-out', {});
        expect(seen(answer)).to.deep.equal([303, '/sign-in']);
        expect((await browser.follow(answer)).notice).to.equal('Your session has ended. Sign in again.');
        expect((await browser.open('/sign-in')).notice, 'shown once').to.equal(undefined);
        expect(await me(browser)).to.equal(undefined);
      }
      expect((await service.signIn(service.browser(), suspended)).status).to.equal(422);
    });
  });

  describe('for a forgotten password', () => {
    it('set a new password once, which ends all sessions and other links', async () => {
      const person = await service.signedInUser();
      const browser = service.browser();
      await browser.fill('/forgot-password', { email: person.email });
      const older = await service.tokenSent(person.email, 'reset-password');
      const mailed = await browser.fill('/forgot-password', { email: person.email.toUpperCase() });
      expect([mailed.status, mailed.heading]).to.deep.equal([200, 'Ask for your link']);
      const token = await service.tokenSent(person.email, 'reset-password');
      const weak = await browser.fill('/reset-password', { token, password: 'short' });
      expect([weak.status, Object.keys(weak.faults)]).to.deep.equal([422, ['password']]);
      const answer = await browser.fill('/reset-password', { token, password: 'a quite new one' });
      expect(seen(answer)).to.deep.equal([303, '/sign-in']);
      expect((await browser.follow(answer)).notice).to.equal('Your password was reset. Sign in with the new one.');
      expect(await me(person.browser)).to.equal(undefined);
      for (const spent of [token, older]) {
        expect((await browser.fill('/reset-password', { token: spent, password: 'another new one' })).status).to.equal(
          422,
        );
      }
      expect((await service.signIn(service.browser(), person)).status).to.equal(422);
      const signedIn = await service.signIn(service.browser(), { ...person, password: 'a quite new one' });
      expect(signedIn.status).to.equal(303);
    });
  });

  it('confirm a new address, once, which ends all sessions', async () => {
    const person = await service.signedInUser();
    const email = 'moved@example.com';
    await (await service.parts.get(t.credentials)).requestEmailChange(await person.me(), email, {
      address: '::1',
      browser: '',
    });
    const token = await service.tokenSent(email, 'change-email');
    const answer = await service.browser().fill('/change-email', { token });
    expect(seen(answer)).to.deep.equal([303, '/sign-in']);
    expect(await me(person.browser)).to.equal(undefined);
    expect((await service.browser().fill('/change-email', { token })).status).to.equal(422);
    expect((await service.signIn(service.browser(), { email })).status).to.equal(303);
  });
});
