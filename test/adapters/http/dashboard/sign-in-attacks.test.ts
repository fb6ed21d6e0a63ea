import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { operator } from '../../../support/by.ts';
import { raw } from '../../../support/raw-http.ts';
import { itLong, needing } from '../../../support/required-service.ts';
import { sqlKinds } from '../../../support/sql-databases.ts';
import type { Fields, WebAnswer } from '../../../support/web-client.ts';
import { type DashboardService, goodPassword, startDashboardService } from './dashboard-service.ts';

const token = 'a'.repeat(64);
const who = { name: 'Ada', email: 'ada@example.com', password: goodPassword };

/** Every form, with what it takes. */
const forms: Readonly<Record<string, Fields>> = {
  '/setup': { token, ...who },
  '/invitation': { token, name: who.name, password: who.password },
  '/sign-up': who,
  '/verify-email': { token, password: who.password },
  '/forgot-password': { email: who.email },
  '/reset-password': { token, password: who.password },
  '/change-email': { token },
  '/sign-in': { email: who.email, password: who.password },
  '/sign-in/code': { code: '000000' },
};
const paths = [...Object.keys(forms), '/sign-out'];
const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>'\`&{{7*7}}\${1}`;

describe('an attacker of the sign-in pages', () => {
  let service: DashboardService;
  before(async () => {
    service = await startDashboardService();
  });
  beforeEach(() => service.clock.advance(86_400_000));
  after(() => service.close());

  /** A refusal is a page, is not kept, and changes no cookie. */
  const isRefused = (answer: WebAnswer, status: number, at: string) => {
    expect(answer.status, at).to.equal(status);
    expect(answer.headers.getSetCookie(), at).to.deep.equal([]);
    expect(answer.headers.get('Cache-Control'), at).to.equal('no-store');
    expect(answer.headers.get('Content-Type'), at).to.equal('text/html; charset=utf-8');
    expect(answer.heading, at).to.not.equal('');
  };

  it('finds that no answer may be kept, framed, sniffed, or run scripts of others', async () => {
    const browser = service.browser();
    const answers = await Promise.all(
      Object.entries(forms).flatMap(([path, fields]) => [
        browser.get(path),
        browser.post(path, fields),
        browser.post(path, '{}', { 'Content-Type': 'application/json' }),
      ]),
    );
    answers.push(
      await browser.post('/sign-out', {}),
      await browser.get('/sign-out'),
      await browser.get('/account/nothing'),
    );
    for (const { path, status, headers } of answers) {
      const at = `${status} ${path}`;
      expect(headers.get('Cache-Control'), at).to.equal('no-store');
      expect(headers.get('ETag'), at).to.equal(null);
      expect(headers.get('X-Frame-Options'), at).to.equal('SAMEORIGIN');
      expect(headers.get('X-Content-Type-Options'), at).to.equal('nosniff');
      expect(headers.get('Cross-Origin-Opener-Policy'), at).to.equal('same-origin');
      expect(headers.get('Referrer-Policy'), at).to.be.oneOf(['same-origin', 'no-referrer']);
      const policy = headers.get('Content-Security-Policy') ?? '';
      expect(policy, at)
        .to.include("default-src 'none'")
        .and.to.include("frame-ancestors 'none'")
        .and.to.not.include('unsafe');
      expect(headers.get('Access-Control-Allow-Origin'), at).to.equal(null);
    }
    expect((await browser.get('/sign-in', { 'If-None-Match': '*' })).status).to.equal(200);
  });

  itLong(
    'cannot send a form from another site: neither by a page, nor signed in, nor to sign somebody in',
    async () => {
      const { browser } = await service.signedInUser();
      const host = new URL(service.url).host;
      const others: Record<string, string>[] = [
        { 'Sec-Fetch-Site': 'cross-site' },
        { 'Sec-Fetch-Site': 'same-site' },
        { 'Sec-Fetch-Site': 'cross-site', Origin: service.url },
        { 'Sec-Fetch-Site': 'cross-site', Origin: 'null' },
        { 'Sec-Fetch-Site': 'nonsense' },
        { 'Sec-Fetch-Site': '', Origin: 'https://evil.example' },
        { 'Sec-Fetch-Site': '', Origin: 'null' },
        { 'Sec-Fetch-Site': '', Origin: `http://${host}.evil.example` },
        { 'Sec-Fetch-Site': '', Origin: `http://${host}@evil.example` },
        { 'Sec-Fetch-Site': '', Origin: `http://evil.example/${host}` },
        { 'Sec-Fetch-Site': '', Origin: host },
        { 'Sec-Fetch-Site': '', Origin: 'file://' },
      ];
      for (const headers of others) {
        for (const visitor of [browser, service.browser()]) {
          for (const path of paths) {
            isRefused(await visitor.post(path, forms[path] ?? {}, headers), 403, `${path} ${JSON.stringify(headers)}`);
          }
        }
      }
      const ours: Record<string, string>[] = [
        { 'Sec-Fetch-Site': 'same-origin' },
        { 'Sec-Fetch-Site': 'none' },
        { 'Sec-Fetch-Site': '', Origin: service.url },
        { 'Sec-Fetch-Site': '' },
      ];
      for (const headers of ours) {
        const { status } = await service.browser().post('/sign-in', { email: '', password: '' }, headers);
        expect(status, JSON.stringify(headers)).to.equal(422);
      }
    },
  );

  it('cannot send a form from plain http to a site on https, nor from another name that leads there', async () => {
    await using secure = await startDashboardService({ BASE_URL: 'https://shop.example' });
    const from = async (Origin: string, Host = 'shop.example') => {
      const lines = ['POST /sign-in HTTP/1.1', `Host: ${Host}`, `Origin: ${Origin}`, 'Content-Length: 0', '', ''];
      return Number((await raw(secure.url, lines.join('\r\n'))).slice(9, 12));
    };
    expect(await from('https://shop.example')).to.equal(422);
    expect(await from('https://other.example', 'other.example')).to.equal(422);
    expect(await from('http://shop.example')).to.equal(403);
    expect(await from('https://shop.example:444')).to.equal(403);
    expect(await from('https://shop.example.evil.example')).to.equal(403);
  });

  it('cannot keep the server busy with a form of very many fields', async () => {
    const form = (names: number) => Array.from({ length: names }, (_, n) => `${n.toString(36)}=`).join('&');
    const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const statusAfter = async (names: number) => (await service.browser().post('/sign-in', form(names), type)).status;
    expect(await statusAfter(501)).to.equal(400);
    expect(await statusAfter(500), 'whose fields are read').to.equal(422);
  });

  itLong('cannot use other kinds of bodies, or other methods', async () => {
    const { browser } = await service.signedInUser();
    for (const path of paths) {
      const visitor = path === '/sign-out' || path.startsWith('/se') ? browser : service.browser();
      for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x', 'application/xml']) {
        isRefused(await visitor.post(path, 'email=a', { 'Content-Type': type }), 415, `${path} ${type}`);
      }
      for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
        const { status, headers } = await service.send(path, { method, headers: { Accept: 'text/html' } });
        expect([status, headers.get('Allow')], `${method} ${path}`).to.deep.equal([
          405,
          path === '/sign-out' ? 'POST' : 'GET, HEAD, POST',
        ]);
      }
    }
    isRefused(await browser.get('/sign-out'), 405, 'GET /sign-out');
    expect((await browser.post('/sign-out', {})).status, 'still signed in').to.equal(303);
  });

  itLong('changes nothing by reading: GET and HEAD write no row', async () => {
    const { browser } = await service.signedInUser();
    const tables = ['users', 'sessions', 'one_time_links', 'mails', 'audit_log', 'work'];
    const stored = async () => JSON.stringify(await Promise.all(tables.map((name) => service.rows(name))));
    const before = await stored();
    for (const path of paths) {
      for (const query of ['', `?${new URLSearchParams({ token, ...who })}`]) {
        await browser.get(path + query);
        await service.browser().get(path + query);
        await service.send(path + query, { method: 'HEAD' });
      }
    }
    expect(await stored()).to.equal(before);
  });

  it('cannot tell who has an account: status, headers and page are the same', async () => {
    const known = await service.signedInUser({ email: 'known.one@example.com' });
    const without = (text: string) => text.replaceAll(/(?:known|other)\.one@example\.com/g, 'X');
    for (const path of ['/sign-in', '/sign-up', '/forgot-password']) {
      const [one, other] = await Promise.all(
        [known.email, 'other.one@example.com'].map(async (email) => {
          const { status, headers, html } = await service
            .browser()
            .post(path, { ...forms[path], email, password: 'a wrong password' });
          const names = [...headers.keys()].filter(
            (name) => !['x-request-id', 'date', 'content-length'].includes(name),
          );
          return {
            status,
            html: without(html),
            headers: names.map((name) => `${name}: ${/ratelimit/.test(name) ? '' : headers.get(name)}`),
          };
        }),
      );
      expect(one, path).to.deep.equal(other);
    }
  });

  itLong('finds no text from any field unescaped in a page', async () => {
    for (const [path, fields] of Object.entries(forms)) {
      for (const name of [...Object.keys(fields), '"><script>alert(1)</script>']) {
        service.clock.advance(3_600_000);
        for (const value of [hostile, `${hostile}\0`, `a${hostile.replaceAll(/[\s<>"'(),;:\\[\]]/g, '')}@x<y`]) {
          const answer = await service.browser().post(path, { ...fields, [name]: value });
          const at = `${path} ${name}`;
          expect(answer.status, at).to.be.oneOf([200, 422]);
          expect(answer.html, at).to.not.match(/<script>|<img/);
          for (const { attributes } of answer.elements('input')) {
            expect(
              Object.keys(attributes).filter((one) => one.startsWith('on')),
              at,
            ).to.deep.equal([]);
          }
        }
      }
    }
    const named = await service.signedInUser({ name: hostile });
    expect((await named.browser.open('/verify-email')).html).to.not.match(/<script>|<img/);
  });

  itLong('cannot stop the server with huge bodies, thousands of fields, or strange names', async () => {
    isRefused(await service.browser().post('/sign-in', { password: 'x'.repeat(70_000) }), 413, 'huge');
    const many = Array.from({ length: 8_000 }, (_, n) => `f${n}=`).join('&');
    expect((await service.browser().post('/sign-in', many.slice(0, 60_000))).status).to.equal(400);
    const strange = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'email[]', 'email[a]', 'email.a', ''];
    for (const name of strange) {
      for (const value of ['x', 'x\0']) {
        const { status } = await service.browser().post('/sign-in', { ...forms['/sign-in'], [name]: value });
        expect(status, name).to.equal(422);
      }
    }
    expect(Object.getPrototypeOf({}), 'Object.prototype').to.not.have.property('x');
    const twice = await service
      .browser()
      .post('/sign-in', 'email=a%40b.example&email=c%40d.example&password=a&password=b');
    expect([twice.status, twice.forms[0]?.values.email]).to.deep.equal([422, ['a@b.example']]);
    for (const body of ['%', '%zz=%', '&&&===', '\0', '%00=%00', 'email']) {
      expect((await service.browser().post('/sign-in', body)).status, body).to.equal(422);
    }
  });

  itLong('cannot lock out a person: attempts count for the address that they come from', async () => {
    await using limited = await startDashboardService({ TRUSTED_PROXIES: 'loopback' });
    const { email } = await limited.signedInUser();
    const attacker = limited.browser({ 'X-Forwarded-For': '203.0.113.9' });
    const victim = limited.browser({ 'X-Forwarded-For': '198.51.100.7' });
    const statuses = [];
    for (let n = 0; n < 11; n++)
      statuses.push((await limited.signIn(attacker, { email, password: `wrong ${n}` })).status);
    expect(statuses).to.deep.equal([...Array(10).fill(422), 429]);
    const last = await limited.signIn(attacker, { email });
    expect([last.status, Number(last.headers.get('Retry-After'))]).to.deep.equal([429, 900]);
    expect(last.alert).to.match(/15 minutes/);
    // What the client itself writes into X-Forwarded-For does not count.
    const spoofed = limited.browser({ 'X-Forwarded-For': '198.51.100.200, 203.0.113.9' });
    expect((await limited.signIn(spoofed, { email })).status).to.equal(429);
    expect((await limited.signIn(victim, { email })).status).to.equal(303);
    limited.clock.advance(900_000);
    expect((await limited.signIn(attacker, { email })).status).to.equal(303);
  });

  it('cannot guess the password of one account from ever more addresses; the owner still signs in', async () => {
    await using limited = await startDashboardService({ TRUSTED_PROXIES: 'loopback' });
    const { email } = await limited.signedInUser();
    let addresses = 0;
    const stranger = () => limited.browser({ 'X-Forwarded-For': `203.0.113.${addresses++}` });
    const owner = stranger();
    expect((await limited.signIn(owner, { email })).status).to.equal(303);
    await owner.post('/sign-out', {});
    const guess = async (account: string) => await limited.signIn(stranger(), { email: account, password: 'a guess' });
    const guesses = async (account: string, before: number) => {
      const answers = [];
      for (let n = before; n < 14; n++) answers.push(await guess(account));
      return answers.map(({ status, alert, headers }) => [status, alert, headers.get('Retry-After')].join());
    };
    const answers = await guesses(email, 1);
    expect(answers.filter((one) => one.startsWith('422'))).to.have.lengthOf(11);
    expect(answers.slice(-2)).to.deep.equal(Array(2).fill('429,Too many attempts. Try again in 15 minutes.,900'));
    expect(await guesses('nobody@example.com', 0)).to.deep.equal([answers[0], ...answers]);
    // The right password does not help a browser that is not known, but the owner's passes, and so does a link.
    expect((await limited.signIn(stranger(), { email })).status).to.equal(429);
    expect((await limited.signIn(owner, { email })).status).to.equal(303);
    const fresh = stranger();
    await fresh.post('/forgot-password', { email });
    const password = 'a new and better one';
    await fresh.fill('/reset-password', { token: await limited.tokenSent(email, 'reset-password'), password });
    expect((await limited.signIn(fresh, { email, password })).status).to.equal(303);
    // The wait grows.
    limited.clock.advance(900_000);
    for (let n = 0; n < 12; n++) expect((await guess(email)).status).to.equal(422);
    limited.clock.advance(900_000);
    for (let n = 0; n < 6; n++) expect((await guess(email)).status).to.equal(422);
    const waits = Number((await guess(email)).headers.get('Retry-After'));
    expect(waits).to.equal(3 * 3_600 - 2 * 900);
  });

  itLong('gets 429 when too many passwords of one IPv6 /48 wait to be checked, and others are served', async () => {
    await using busy = await startDashboardService({ TRUSTED_PROXIES: 'loopback' }, { hashesSlowly: true });
    const person = await busy.signedInUser();
    const from = (address: string) => busy.browser({ 'X-Forwarded-For': address });
    const flood = Array.from({ length: 40 }, (_, n) =>
      from(`2001:db8:7:${n}::1`).post('/sign-in', { email: `x${n}@example.com`, password: 'a wrong one' }),
    );
    const signedIn = busy.signIn(from('2001:db8:8::1'), person);
    const answers = await Promise.all(flood);
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([422, 429]));
    for (const answer of answers.filter(({ status }) => status === 429)) {
      isRefused(answer, 429, 'full');
      expect(answer.headers.get('Retry-After')).to.equal('1');
    }
    expect((await signedIn).status).to.equal(303);
  });

  itLong('cannot try many accounts from one address, send many letters, or guess codes', async () => {
    await using limited = await startDashboardService({ TRUSTED_PROXIES: 'loopback' });
    const attacker = limited.browser({ 'X-Forwarded-For': '203.0.113.9' });
    const person = await limited.secure(await limited.signedInUser());
    for (let n = 0; n < 3; n++)
      expect((await attacker.post('/forgot-password', { email: person.email })).status).to.equal(200);
    expect((await attacker.post('/forgot-password', { email: person.email })).status).to.equal(429);
    for (let n = 3; n < 19; n++) await attacker.post('/sign-up', { ...who, email: `x${n}@example.com` });
    expect((await attacker.post('/sign-up', { ...who, email: 'more@example.com' })).status).to.equal(429);

    await limited.signIn(attacker, person);
    const codes = [];
    for (let n = 0; n < 11; n++) codes.push((await attacker.post('/sign-in/code', { code: `00000${n % 10}` })).status);
    expect(codes).to.deep.equal([...Array(10).fill(422), 429]);
    for (let n = 1; n < 60; n++) await attacker.post('/sign-in', { email: `y${n}@example.com`, password: 'guess it' });
    expect((await attacker.post('/sign-in', { email: 'z@example.com', password: 'guess it' })).status).to.equal(429);
  });

  itLong('cannot call the pages without a limit', async () => {
    await using limited = await startDashboardService({ RATE_LIMIT_URL: 'memory:', RATE_LIMIT_PAGES: '2' });
    const browser = limited.browser();
    await browser.get('/sign-in');
    await browser.get('/sign-in');
    const page = await browser.get('/sign-in');
    isRefused(page, 429, 'page');
    expect(Number(page.headers.get('Retry-After'))).to.be.within(1, 60);
    const { status, body } = await limited.send('/sign-in');
    expect([status, body.error.code]).to.deep.equal([429, 'RATE_LIMITED']);
  });

  itLong('gets 503 when too many passwords wait to be checked, and the others get their answers', async () => {
    await using busy = await startDashboardService({ TRUSTED_PROXIES: 'loopback' }, { hashesSlowly: true });
    const { email } = await busy.signedInUser();
    const attempts = Array.from({ length: 150 }, (_, n) =>
      busy
        .browser({ 'X-Forwarded-For': `203.0.113.${n}` })
        .post('/sign-in', { email: `x${n}@example.com`, password: 'a wrong one' }),
    );
    const answers = await Promise.all(attempts);
    const refused = answers.filter(({ status }) => status === 503);
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([422, 503]));
    for (const answer of refused) {
      isRefused(answer, 503, 'full');
      expect(answer.headers.get('Retry-After')).to.equal('1');
    }
    expect((await busy.signIn(busy.browser(), { email })).status).to.equal(303);
  });

  it('gets failures as JSON, if it is a program', async () => {
    const post = (path: string, headers: Record<string, string>, body = '') =>
      service.send(path, { method: 'POST', headers: { Accept: 'application/json', ...headers }, body });
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const codes = await Promise.all([
      post('/sign-in', { ...form, 'Sec-Fetch-Site': 'cross-site' }),
      post('/sign-in', { 'Content-Type': 'application/json' }, '{}'),
      post('/sign-in', form, 'x'.repeat(70_000)),
      service.send('/sign-in', { method: 'PUT' }),
      service.send('/account/nothing'),
    ]);
    expect(codes.map(({ status, body }) => [status, body.error.code])).to.deep.equal([
      [403, 'FORBIDDEN'],
      [415, 'UNSUPPORTED_MEDIA_TYPE'],
      [413, 'PAYLOAD_TOO_LARGE'],
      [405, 'METHOD_NOT_ALLOWED'],
      [404, 'NOT_FOUND'],
    ]);
  });
});

describe('the cookies of the sign-in pages', () => {
  it('cannot be read by scripts, and are sent by other sites only when somebody follows a link', async () => {
    await using service = await startDashboardService();
    const person = await service.secure(await service.signedInUser());
    const { setCookies: first } = await service.signIn(service.browser(), person);
    expect(first.challenge).to.match(/^challenge=[0-9a-f]{64}; path=\/; expires=[^;]+; samesite=lax; httponly$/);
    const other = await service.signedInUser();
    const { setCookies } = await service.signIn(service.browser(), other);
    expect(Object.keys(setCookies).sort()).to.deep.equal(['device', 'notice', 'session']);
    expect(setCookies.session).to.match(/^session=[0-9a-f]{64}; path=\/; expires=[^;]+; samesite=lax; httponly$/);
  });

  it('are sent only by https if the site has it, and no neighboring host can set them', async () => {
    await using service = await startDashboardService({ BASE_URL: 'https://shop.example' });
    const { email } = await service.signedInUser();
    const browser = service.browser();
    const { setCookies } = await service.signIn(browser, { email });
    expect(Object.keys(setCookies).sort()).to.deep.equal(['__Host-device', '__Host-notice', '__Host-session']);
    for (const line of Object.values(setCookies)) {
      expect(line).to.match(/^__host-\w+=\w+; path=\/; expires=[^;]+; samesite=lax; secure; httponly$/);
    }
    const fixed = service.browser();
    fixed.cookies.set('session', browser.cookies.get('__Host-session') ?? '');
    expect((await fixed.get('/sign-in')).status, 'a cookie without __Host- is not read').to.equal(200);
    const out = await browser.post('/sign-out', {});
    expect(out.setCookies['__Host-session']).to.match(/^__host-session=; path=\/; expires=thu, 01 jan 1970/);
    expect(out.headers.get('Strict-Transport-Security')).to.include('max-age');
  });

  itLong('may contain anything', async () => {
    await using service = await startDashboardService();
    for (const value of ['x', token, '"', '%00', '%', 'a'.repeat(4_000), '../../x', '__proto__', 'constructor']) {
      const browser = service.browser();
      for (const name of ['session', 'challenge', 'notice', 'device']) browser.cookies.set(name, value);
      for (const path of ['/sign-in', '/sign-in/code', '/'])
        expect((await browser.get(path)).status, `${path} ${value}`).to.equal(200);
      expect((await browser.post('/sign-in/code', { code: '000000' })).status, value).to.equal(422);
      expect((await browser.post('/sign-out', {})).location, value).to.equal('/sign-in');
    }
  });
});

for (const { name, skip, make } of sqlKinds) {
  needing(skip).describe(`texts that a database cannot store, sent to the sign-in pages on ${name}`, () => {
    itLong('give 422 in every field, or are stored as a replacement character; never 500', async () => {
      const place = await make();
      try {
        await using service = await startDashboardService({ DATABASE_URL: place.url });
        const { invite, setUpToken } = await service.parts.get(t.signUp);
        const [setUp = '', invited] = [
          await setUpToken(),
          await invite({ email: 'i@example.com', role: null, deliver: 'return' }, operator),
        ];
        await service.browser().post('/sign-up', who);
        const verify = await service.tokenSent(who.email);
        const tokens: Record<string, string> = {
          '/setup': setUp,
          '/verify-email': verify,
          '/invitation': 'token' in invited ? (invited.token ?? '') : '',
        };
        for (const [path, fields] of Object.entries(forms)) {
          for (const field of Object.keys(fields)) {
            service.clock.advance(60_000);
            const good = { ...fields, ...('token' in fields && { token: tokens[path] ?? token }) };
            for (const nul of ['\0', 'a\0b', '\0a@example.com']) {
              const { status, faults } = await service.browser().post(path, { ...good, [field]: nul });
              expect([status, Object.keys(faults)], `${path} ${field}`).to.deep.equal([422, [field]]);
            }
            for (const half of ['%ED%A0%80', 'a%ED%BF%BFb', '%FF', '%F0%9F', '%EF%BF%BE']) {
              const rest = new URLSearchParams(
                Object.entries(good)
                  .filter(([one]) => one !== field)
                  .map(([one, value]) => [one, String(value)]),
              );
              const { status } = await service.browser().post(path, `${rest}&${field}=${half}`);
              expect(status, `${path} ${field} ${half}`).to.be.oneOf([422, 200, 303, 429]);
            }
          }
        }
        const odd = await service.browser().get(`/sign-in?next=${'%ED%A0%80'}&a=%00`);
        expect(odd.status).to.equal(200);
        expect((await service.browser().get('/sign-in', { 'User-Agent': 'ÿ\u0080' })).status).to.equal(200);
      } finally {
        await place.remove();
      }
    });
  });
}
