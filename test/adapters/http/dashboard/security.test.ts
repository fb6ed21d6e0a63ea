import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { itLong } from '../../../support/required-service.ts';
import { codeAt, from } from '../../../support/sign-in.ts';
import type { WebAnswer, WebClient } from '../../../support/web-client.ts';
import { type DashboardService, goodPassword, type Person, startDashboardService } from './dashboard-service.ts';

const entry = '/account/security';
const pages = [
  '',
  '/name',
  '/password',
  '/email',
  '/email/verification',
  '/second-factor',
  '/second-factor/off',
  '/recovery-codes',
].map((page) => `${entry}${page}`);
const posts = [...pages.slice(1), `${entry}/sessions/1/end`, `${entry}/sessions/end-others`];
const newPassword = 'a brand new long password';
const quarter = 15 * 60_000;

/** The secret in the form for the second factor. */
const secretOf = (page: WebAnswer) => String(page.forms.find(({ values }) => values.secret)?.values.secret ?? '');
const codesOf = (page: WebAnswer) => page.elements('textarea')[0]?.text.split(' ') ?? [];
const statusOf = ({ status, location }: WebAnswer) => [status, location];
const toSignIn = [303, '/sign-in'];
const toEntry = [303, entry];

describe('the pages about sign-in and security', () => {
  let service: DashboardService;
  before(async () => {
    service = await startDashboardService();
  });
  // So no test uses up the attempts of the next one.
  beforeEach(() => service.clock.advance(quarter));
  after(() => service.close());

  /** Another browser in which the person is signed in. */
  async function otherBrowser(person: Person): Promise<WebClient> {
    const browser = service.browser({ 'User-Agent': 'curl/8.5.0' });
    expect((await service.signIn(browser, person)).status).to.equal(303);
    return browser;
  }
  const isIn = async (browser: WebClient) => (await browser.get(entry)).status === 200;

  /** Switches the second factor on by the pages. */
  async function switchOn({ browser }: Person) {
    const page = await browser.get(`${entry}/second-factor`);
    const secret = secretOf(page);
    const code = codeAt(secret, service.clock.now());
    return { secret, code, answer: await browser.submit(page, { code }) };
  }

  describe('for everybody', () => {
    let person: Person;
    before(async () => {
      person = await service.signedInUser();
    });

    for (const path of pages) {
      it(`GET ${path} is a page for people who are signed in, and leads others to sign-in and back`, async () => {
        const page = await person.browser.get(path);
        expect(page.status).to.equal(200);
        expect(page.headers.get('Cache-Control')).to.equal('no-store');
        const away = await service.browser().get(path);
        expect(statusOf(away)).to.deep.equal([303, `/sign-in?next=${encodeURIComponent(path)}`]);
      });
    }

    for (const path of posts) {
      it(`POST ${path} does nothing for another site, and nothing without a session`, async () => {
        const before = await service.rows('audit_log');
        const fields = { name: 'Eve', password: newPassword, email: 'eve@example.com' };
        const foreign = await person.browser.post(path, fields, { 'Sec-Fetch-Site': 'cross-site' });
        expect(foreign.status).to.equal(403);
        expect(statusOf(await service.browser().post(path, fields))).to.deep.equal(toSignIn);
        expect(await service.rows('audit_log')).to.deep.equal(before);
        expect(await isIn(person.browser)).to.equal(true);
      });
    }

    it('other addresses are unknown, and buttons cannot be opened as pages', async () => {
      expect((await person.browser.get(`${entry}/nothing`)).status).to.equal(404);
      expect((await person.browser.get(`${entry}/sessions/end-others`)).status).to.equal(405);
    });
  });

  describe('the name', () => {
    it('changes, and the pages show it', async () => {
      const { browser, email } = await service.signedInUser({ name: 'Before' });
      const form = await browser.get(`${entry}/name`);
      expect(form.forms.at(-1)?.values.name).to.deep.equal(['Before']);
      const answer = await browser.submit(form, { name: ' بعد ' });
      expect(statusOf(answer)).to.deep.equal(toEntry);
      const page = await browser.follow(answer);
      expect(page.notice).to.equal('Your name was changed.');
      expect(page.text).to.include('بعد').and.to.not.include('Before');
      expect((await browser.get(entry)).notice, 'the notice is shown once').to.equal(undefined);
      const events = (await service.rows('audit_log')).filter(({ type }) => type === 'user.renamed');
      expect(events.at(-1)).to.include({ actor: email, subject: email });
    });

    it('is refused with what was typed if it is blank, too long or contains NUL', async () => {
      const { browser } = await service.signedInUser({ name: 'Ada' });
      for (const [name, fault] of [
        ['  ', 'Enter a name.'],
        ['x'.repeat(201), 'Use at most 200 characters.'],
        ['a\0b', 'It must not contain a NUL character.'],
      ] as const) {
        const answer = await browser.post(`${entry}/name`, { name });
        expect([answer.status, answer.faults]).to.deep.equal([422, { name: fault }]);
      }
      const answer = await browser.post(`${entry}/name`, { name: 'x'.repeat(201) });
      expect(answer.forms.at(-1)?.values.name).to.deep.equal(['x'.repeat(201)]);
      expect((await browser.get(entry)).text).to.include('Ada');
    });
  });

  describe('the password', () => {
    it('changes, this browser stays signed in with a new token, and all others are signed out', async () => {
      const person = await service.signedInUser();
      const other = await otherBrowser(person);
      const old = person.browser.copy();
      const answer = await person.browser.fill(`${entry}/password`, { password: newPassword });
      expect(statusOf(answer)).to.deep.equal(toEntry);
      expect((await person.browser.follow(answer)).notice).to.include('You are signed out of all other browsers.');
      expect([await isIn(person.browser), await isIn(other), await isIn(old)]).to.deep.equal([true, false, false]);
      const { email } = person;
      expect((await service.signIn(service.browser(), { email })).status).to.equal(422);
      expect((await service.signIn(service.browser(), { email, password: newPassword })).status).to.equal(303);
    });

    it('is refused beside its field if it is missing or weak, and never comes back in a page', async () => {
      const { browser, email } = await service.signedInUser();
      for (const password of ['', 'short', 'x'.repeat(300), email, 'password1']) {
        const answer = await browser.post(`${entry}/password`, { password });
        expect(answer.status, password).to.equal(422);
        expect(answer.faults.password, password).to.be.a('string');
        expect(answer.elements('input').filter(({ attributes: { type } }) => type === 'password')).to.have.lengthOf(1);
        const fields = answer.elements('input').filter(({ attributes: { type } }) => type === 'password');
        expect(fields.map(({ attributes }) => attributes.value)).to.deep.equal([undefined]);
      }
      expect((await service.signIn(service.browser(), { email })).status).to.equal(303);
    });
  });

  describe('the e-mail address', () => {
    it('changes when the link in the mail is opened, and not before', async () => {
      const { browser, email } = await service.signedInUser();
      const wanted = `new-${email}`;
      const answer = await browser.fill(`${entry}/email`, { email: wanted.toUpperCase() });
      expect(answer.status).to.equal(200);
      expect(answer.text).to.include(`what we wrote to ${wanted} was kept`);
      expect((await browser.get(entry)).text).to.not.include(wanted);
      const token = await service.tokenSent(wanted, 'change-email');
      expect(statusOf(await service.browser().fill('/change-email', { token }))).to.deep.equal(toSignIn);
      expect(await isIn(browser)).to.equal(false);
      await service.signIn(browser, { email: wanted });
      expect((await browser.get(entry)).text)
        .to.include(`${wanted}`)
        .and.to.include('Verified');
    });

    it('gets the same answer if another account has it, and a mail to that account says so', async () => {
      const [one, other] = [await service.signedInUser(), await service.signedInUser()];
      const answer = await one.browser.fill(`${entry}/email`, { email: other.email });
      expect([answer.status, answer.heading]).to.deep.equal([200, 'Ask for your link']);
      expect((await service.letters(other.email)).at(-1)?.kind).to.equal('already-registered');
    });

    it('is refused, with what was typed, if it is not an address', async () => {
      const { browser } = await service.signedInUser();
      for (const email of ['', 'ada', 'a@b@c', 'a b@example.com', 'a@example.com, b@example.com']) {
        const answer = await browser.post(`${entry}/email`, { email });
        expect(answer.status, email).to.equal(422);
        expect(answer.faults).to.have.all.keys('email');
        expect(answer.forms.at(-1)?.values.email).to.deep.equal([email]);
      }
    });

    it('is verified with one click, by a link to the current address', async () => {
      const { browser, email } = await service.signedInUser();
      await service.database.write((trx) =>
        trx('credentials')
          .update({ email_verified_at: null })
          .whereIn('user_id', trx('users').select('id').where({ email })),
      );
      const page = await browser.get(entry);
      expect(page.text).to.include('Not verified');
      const answer = await browser.submit(page, {}, 'Verify E-mail address');
      expect([answer.status, answer.heading]).to.deep.equal([200, 'Ask for your link']);
      const token = await service.tokenSent(email, 'change-email');
      await service.browser().fill('/change-email', { token });
      await service.signIn(browser, { email });
      const after = await browser.get(entry);
      expect(after.text).to.include('Verified').and.to.not.include('Not verified');
      expect(after.forms.map(({ submit }) => submit)).to.not.include('Verify E-mail address');
    });

    it('is not sent more than three letters in an hour', async () => {
      const { browser } = await service.signedInUser();
      const ask = () => browser.fill(`${entry}/email`, { email: 'often@example.com' });
      const statuses = [await ask(), await ask(), await ask()].map(({ status }) => status);
      expect(statuses).to.deep.equal([200, 200, 200]);
      const answer = await ask();
      expect([answer.status, answer.headers.get('Retry-After')]).to.deep.equal([429, '3600']);
      expect(answer.alert).to.equal('Too many attempts. Try again in 60 minutes.');
      expect(await service.letters('often@example.com')).to.have.lengthOf(3);
    });
  });

  describe('the second factor', () => {
    it('is offered as a QR code, as a link and as a key, with a new secret each time', async () => {
      const { browser, email } = await service.signedInUser();
      const [one, two] = [await browser.get(`${entry}/second-factor`), await browser.get(`${entry}/second-factor`)];
      const secret = secretOf(one);
      expect(secret)
        .to.match(/^[A-Z2-7]{32}$/)
        .and.not.equal(secretOf(two));
      const link = one.links.find(({ href }) => href.startsWith('otpauth:'))?.href ?? '';
      expect(new URL(link).searchParams.get('secret')).to.equal(secret);
      expect(decodeURIComponent(link)).to.include(email).and.to.include('issuer=Latchkey');
      expect(one.elements('svg').some(({ attributes: { role } }) => role === 'img')).to.equal(true);
      expect(one.elements('textarea')[0]?.text.replace(/ /g, '')).to.equal(secret);
    });

    it('is switched on by a right code, shows recovery codes once, and signs all other browsers out', async () => {
      const person = await service.signedInUser();
      const other = await otherBrowser(person);
      const { answer, code } = await switchOn(person);
      expect(answer.status).to.equal(200);
      expect(answer.headers.get('Cache-Control')).to.equal('no-store');
      expect(answer.notice).to.equal('Two-factor authentication is on. You are signed out of all other browsers.');
      const codes = codesOf(answer);
      expect(codes).to.have.lengthOf(10);
      expect([await isIn(person.browser), await isIn(other)]).to.deep.equal([true, false]);
      const overview = await person.browser.get(entry);
      expect(overview.text).to.include('10 recovery codes left').and.to.not.include(codes[0]);
      const kept = JSON.stringify([await service.rows('credentials'), await service.rows('audit_log')]);
      expect(codes.filter((one) => kept.includes(one) || kept.includes(one.replaceAll('-', '')))).to.deep.equal([]);

      const visitor = service.browser();
      const asked = await service.signIn(visitor, person);
      expect(statusOf(asked)).to.deep.equal([303, '/sign-in/code']);
      const used = await visitor.fill('/sign-in/code', { code });
      expect([used.status, Object.keys(used.faults)]).to.deep.equal([422, ['code']]);
      expect((await visitor.fill('/sign-in/code', { code: codes[0] ?? '' })).status).to.equal(303);
      expect((await person.browser.get(entry)).text).to.include('9 recovery codes left');
      const again = service.browser();
      await service.signIn(again, person);
      expect((await again.fill('/sign-in/code', { code: codes[0] ?? '' })).status).to.equal(422);
    });

    itLong('stays as it was if the form comes a second time with a used code', async () => {
      const person = await service.signedInUser();
      const { secret, code, answer } = await switchOn(person);
      expect(answer.status).to.equal(200);
      const again = await person.browser.post(`${entry}/second-factor`, { secret, code });
      expect([again.status, Object.keys(again.faults)]).to.deep.equal([422, ['code']]);
      const visitor = service.browser();
      await service.signIn(visitor, person);
      expect((await visitor.fill('/sign-in/code', { code: codesOf(answer)[3] ?? '' })).status).to.equal(303);
    });

    it('is offered with the same secret after a wrong code, and with a new one instead of a text of another form', async () => {
      const { browser } = await service.signedInUser();
      const page = await browser.get(`${entry}/second-factor`);
      const wrong = await browser.submit(page, { code: 'abcdef' });
      expect([wrong.status, secretOf(wrong)]).to.deep.equal([422, secretOf(page)]);
      expect(wrong.forms.at(-1)?.values.code).to.deep.equal(['abcdef']);
      expect((await browser.submit(page, { code: '' })).faults).to.deep.equal({ code: 'Enter a code.' });
      for (const secret of ['', 'A'.repeat(31), '<b>', 'é'.repeat(32), '\0']) {
        const answer = await browser.post(`${entry}/second-factor`, { secret, code: '123456' });
        expect(answer.status).to.equal(422);
        expect(secretOf(answer)).to.match(/^[A-Z2-7]{32}$/);
      }
      const missing = await browser.post(`${entry}/second-factor`, '');
      expect(missing.status).to.equal(422);
      expect((await browser.get(entry)).text).to.not.include('recovery codes');
    });

    it('is switched on in one of two tabs that send their forms at once', async () => {
      const person = await service.signedInUser();
      const tabs = [person.browser.copy(), person.browser.copy()];
      const forms = await Promise.all(tabs.map((tab) => tab.get(`${entry}/second-factor`)));
      const answers = await Promise.all(
        tabs.map((tab, n) => {
          const form = forms[n] ?? expect.fail('no form');
          return tab.submit(form, { code: codeAt(secretOf(form), service.clock.now()) });
        }),
      );
      expect(answers.map(({ status }) => status)).to.have.members([200, 303]);
      const winner = answers.findIndex(({ status }) => status === 200);
      const [won, lost] = winner === 0 ? [tabs[0], tabs[1]] : [tabs[1], tabs[0]];
      if (!won || !lost) throw new Error('There are two tabs.');
      expect([await isIn(won), await isIn(lost)]).to.deep.equal([true, false]);
      service.clock.advance(30_000);
      const visitor = service.browser();
      await service.signIn(visitor, person);
      const codes = forms.map((form) => codeAt(secretOf(form), service.clock.now()));
      expect((await visitor.fill('/sign-in/code', { code: codes[1 - winner] ?? '' })).status).to.equal(422);
      expect((await visitor.fill('/sign-in/code', { code: codes[winner] ?? '' })).status).to.equal(303);
    });

    itLong('can move to another app, which replaces secret and recovery codes', async () => {
      const person = await service.signedInUser();
      const first = await switchOn(person);
      service.clock.advance(30_000);
      expect((await person.browser.get(`${entry}/second-factor`)).heading).to.equal('Use another authenticator app');
      const second = await switchOn(person);
      expect(second.answer.status).to.equal(200);
      const visitor = service.browser();
      await service.signIn(visitor, person);
      for (const code of [codesOf(first.answer)[0] ?? '', codeAt(first.secret, service.clock.now())]) {
        expect((await visitor.fill('/sign-in/code', { code })).status).to.equal(422);
      }
      expect((await visitor.fill('/sign-in/code', { code: codesOf(second.answer)[0] ?? '' })).status).to.equal(303);
    });

    it('gets new recovery codes, which replace the old ones', async () => {
      const person = await service.secure(await service.signedInUser());
      const other = person.browser.copy();
      const answer = await person.browser.submit(
        await person.browser.get(`${entry}/recovery-codes`),
        {},
        'Create new codes',
      );
      expect([answer.status, codesOf(answer).length]).to.deep.equal([200, 10]);
      expect([await isIn(person.browser), await isIn(other)]).to.deep.equal([true, false]);
      const visitor = service.browser();
      await service.signIn(visitor, person);
      expect((await visitor.fill('/sign-in/code', { code: person.recoveryCodes[0] ?? '' })).status).to.equal(422);
      expect((await visitor.fill('/sign-in/code', { code: codesOf(answer)[0] ?? '' })).status).to.equal(303);
    });

    it('is switched off, and then the password alone signs in', async () => {
      const person = await service.secure(await service.signedInUser());
      const other = person.browser.copy();
      const form = await person.browser.get(`${entry}/second-factor/off`);
      const answer = await person.browser.submit(form, {}, 'Turn off');
      expect(statusOf(answer)).to.deep.equal(toEntry);
      expect((await person.browser.follow(answer)).notice).to.include('Two-factor authentication is off.');
      expect(await isIn(other)).to.equal(false);
      expect(statusOf(await service.signIn(service.browser(), person))).to.deep.equal([303, '/account/purchases']);
    });

    it('is off: its pages say so, and lead to the set-up', async () => {
      const { browser } = await service.signedInUser();
      for (const path of [`${entry}/recovery-codes`, `${entry}/second-factor/off`]) {
        for (const answer of [await browser.get(path), await browser.post(path, {})]) {
          expect(answer.text).to.include('Two-factor authentication is off.');
          expect(answer.links.some(({ href }) => href.endsWith('account/security/second-factor'))).to.equal(true);
        }
        expect((await browser.post(path, {})).status).to.equal(422);
      }
    });

    it('is recommended to administrators who have none, and only to them', async () => {
      const admin = await service.signedInUser({ role: 'admin' });
      const invitation = 'Protect your administrator account';
      expect((await admin.browser.get(entry)).text).to.include(invitation);
      await switchOn(admin);
      expect((await admin.browser.get(entry)).text).to.not.include(invitation);
      const user = await service.signedInUser();
      expect((await user.browser.get(entry)).text).to.not.include(invitation);
    });

    itLong('warns when few recovery codes are left', async () => {
      const person = await service.secure(await service.signedInUser());
      for (const code of person.recoveryCodes.slice(0, 9)) {
        const visitor = service.browser();
        await service.signIn(visitor, person);
        await visitor.fill('/sign-in/code', { code });
      }
      expect((await person.browser.get(entry)).text).to.include('Only 1 recovery code left');
    });
  });

  describe('a sensitive change more than 15 minutes after the password was given', () => {
    const wanted = 'later@example.com';
    const changes: Readonly<
      Record<string, { readonly typed: Readonly<Record<string, string>>; readonly isSecured?: boolean }>
    > = {
      '/password': { typed: { password: newPassword } },
      '/email': { typed: { email: wanted } },
      '/email/verification': { typed: {} },
      '/second-factor': { typed: { code: '' } },
      '/second-factor/off': { typed: {}, isSecured: true },
      '/recovery-codes': { typed: {}, isSecured: true },
    };

    for (const [page, { typed, isSecured = false }] of Object.entries(changes)) {
      it(`${entry}${page} asks for the password, keeps what was typed, and then does it at once`, async () => {
        const signedIn = await service.signedInUser();
        const { browser } = isSecured ? await service.secure(signedIn) : signedIn;
        const path = `${entry}${page}`;
        expect((await browser.get(path)).html).to.not.include('current_password');
        service.clock.advance(quarter);
        const form = await browser.get(path);
        expect(form.html).to.include('name="current_password"');
        const secret = secretOf(form);
        const fields = {
          ...typed,
          ...(secret && { secret, code: codeAt(secret, service.clock.now()) }),
        };

        const before = await service.rows('audit_log');
        for (const current of [undefined, '', 'not my password']) {
          const answer = await browser.post(path, {
            ...fields,
            ...(current !== undefined && { current_password: current }),
          });
          expect(answer.status).to.equal(422);
          expect(answer.faults).to.have.all.keys('current_password');
          const { password, ...visible } = fields as Readonly<Record<string, string>>;
          for (const [name, value] of Object.entries(visible)) {
            expect(answer.forms.at(-1)?.values[name], name).to.deep.equal([value]);
          }
          expect(answer.html).to.not.include('not my password');
          if (password) expect(answer.html).to.not.include(password);
        }
        expect(await service.rows('audit_log')).to.deep.equal(before);

        const done = await browser.post(path, { ...fields, current_password: goodPassword });
        expect(done.status).to.be.oneOf([200, 303]);
        expect(done.location).to.be.oneOf([undefined, entry]);
        expect(await isIn(browser)).to.equal(true);
        expect((await browser.get(`${entry}/email`)).html).to.not.include('current_password');
      });
    }

    it('keeps the new confirmation if the change itself is refused', async () => {
      const { browser } = await service.signedInUser();
      service.clock.advance(quarter);
      const answer = await browser.post(`${entry}/password`, { password: 'password1', current_password: goodPassword });
      expect([answer.status, Object.keys(answer.faults)]).to.deep.equal([422, ['password']]);
      expect(answer.html).to.not.include('current_password');
      expect((await browser.post(`${entry}/password`, { password: newPassword })).status).to.equal(303);
    });

    it('does not concern the name and the sessions', async () => {
      const { browser } = await service.signedInUser();
      service.clock.advance(quarter);
      expect((await browser.fill(`${entry}/name`, { name: 'Later' })).status).to.equal(303);
      expect((await browser.post(`${entry}/sessions/end-others`, {})).status).to.equal(303);
    });
  });

  describe('the list of browsers', () => {
    const endPathOf = (page: WebAnswer, browserName: string) => {
      const form = page.forms.find(({ submit }) => submit === `Sign out ${browserName}`);
      return form ? new URL(form.action, `http://site${page.path}`).pathname : expect.fail(`no ${browserName}`);
    };

    it('shows each with a name, its address and its times, this one first and marked', async () => {
      const person = await service.signedInUser();
      await otherBrowser(person);
      const page = await person.browser.get(entry);
      expect(page.elements('h3').map(({ text }) => text)).to.deep.equal(['Firefox on LinuxThis browser', 'curl']);
      expect(page.elements('time')).to.have.lengthOf(4);
      expect(page.text, 'the addresses of both browsers').to.include('127.0.0.1').and.to.include(from.address);
    });

    it('ends one of them', async () => {
      const person = await service.signedInUser();
      const other = await otherBrowser(person);
      const page = await person.browser.get(entry);
      const answer = await person.browser.submit(page, {}, 'Sign out curl');
      expect(statusOf(answer)).to.deep.equal(toEntry);
      expect((await person.browser.follow(answer)).notice).to.equal('You are signed out of that browser.');
      expect([await isIn(person.browser), await isIn(other)]).to.deep.equal([true, false]);
      expect((await person.browser.post(endPathOf(page, 'curl'), {})).status, 'ended already').to.equal(404);
    });

    it('ends this one, which is signing out', async () => {
      const person = await service.signedInUser();
      const other = await otherBrowser(person);
      const page = await person.browser.get(entry);
      const answer = await person.browser.submit(page, {}, 'Sign out Firefox on Linux');
      expect(statusOf(answer)).to.deep.equal(toSignIn);
      expect((await person.browser.follow(answer)).notice).to.equal('You are signed out.');
      expect(person.browser.cookies.has('session')).to.equal(false);
      expect(await isIn(other)).to.equal(true);
    });

    it('ends all others, with a button that is there only if there are some', async () => {
      const person = await service.signedInUser();
      const others = [await otherBrowser(person), await otherBrowser(person)];
      const words = 'Sign out all other browsers';
      const answer = await person.browser.submit(await person.browser.get(entry), {}, words);
      expect(statusOf(answer)).to.deep.equal(toEntry);
      const page = await person.browser.follow(answer);
      expect(page.notice).to.equal('You are signed out of all other browsers.');
      expect(page.text).to.not.include(words);
      for (const other of others) expect(await isIn(other)).to.equal(false);
    });

    it('does not know the sessions of other people, or ids that do not exist', async () => {
      const [one, other] = [await service.signedInUser(), await service.signedInUser()];
      const { session } = await other.me();
      for (const id of [session.id, 999_999_999_999_999, 0, 'abc', '-1', '1e3', '%00', '1'.repeat(40)]) {
        expect((await one.browser.post(`${entry}/sessions/${id}/end`, {})).status, String(id)).to.equal(404);
      }
      expect(await isIn(other.browser)).to.equal(true);
      expect((await one.browser.get(entry)).text).to.not.include(other.email);
    });

    itLong('stays short for a program that signs in again and again', async () => {
      const person = await service.signedInUser();
      const { session } = await person.me();
      const [store, now] = [await service.parts.get(t.sessionStore), service.clock.now()];
      const arrival = { browser: 'of a program', forgetBefore: 0, ifNew: {} };
      for (let n = 0; n < 52; n++) {
        const digest = `session ${n} of ${session.id}`;
        await store.add(
          { ...session, digest, startedAt: now, lastSeenAt: now },
          { startedBefore: 0, seenBefore: 0 },
          arrival,
        );
      }
      const page = await person.browser.get(entry);
      expect(page.elements('h3')).to.have.lengthOf(50);
      expect(page.elements('h3')[0]?.text).to.include('This browser');
      expect(page.text).to.include('3 more browsers are not shown.');
    });
  });
});
