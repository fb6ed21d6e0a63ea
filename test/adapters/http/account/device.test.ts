import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { good } from '../../../support/good.ts';
import { itLong } from '../../../support/required-service.ts';
import type { WebAnswer } from '../../../support/web-client.ts';
import {
  type DashboardService,
  goodPassword,
  type Person,
  startDashboardService,
} from '../dashboard/dashboard-service.ts';

const second = 1000;
const minute = 60 * second;
const day = 24 * 60 * minute;

describe('the sign-in of programs', () => {
  let service: DashboardService;
  before(async () => {
    service = await startDashboardService({ BASE_URL: 'http://shop.example:3000' });
  });
  // So no test uses up the attempts of the next one.
  beforeEach(() => service.clock.advance(15 * minute));
  after(() => service.close());

  const post = (path: string, body: object) =>
    service.send(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  async function start(more: object = {}): Promise<{ device: string; code: string }> {
    const { status, body, text } = await post('/api/device/code', { client_name: 'latchkey on build-1', ...more });
    expect(status, text).to.equal(200);
    return { device: body.device_code, code: body.user_code };
  }
  /** Asks for the key as often as allowed. */
  async function poll(device: string) {
    service.clock.advance(5 * second);
    const answer = await post('/api/device/token', { device_code: device });
    return { ...answer, code: answer.body.error?.code as string | undefined };
  }
  async function approve(person: Person, code: string, fields: Record<string, string> = {}): Promise<WebAnswer> {
    const page = await person.browser.follow(await person.browser.fill('/device', { code }));
    expect(page.text).to.include(code);
    return await person.browser.submit(page, fields, 'Approve');
  }

  it('begins with two codes, and the page to type one of them', async () => {
    const { body, headers } = await post('/api/device/code', { client_name: 'latchkey' });
    expect(body.device_code).to.match(/^[0-9a-f]{64}$/);
    expect(body.user_code).to.match(/^[B-Z]{4}-[B-Z]{4}$/);
    expect(body).to.deep.include({
      verification_uri: 'http://shop.example:3000/device',
      verification_uri_complete: `http://shop.example:3000/device?code=${body.user_code}`,
      expires_in: 600,
      interval: 5,
    });
    expect(headers.get('Cache-Control')).to.equal('no-store');
    const stored = JSON.stringify(await service.rows('device_logins'));
    expect(stored).to.include('latchkey');
    for (const code of [body.device_code, body.user_code]) expect(stored).to.not.include(code);
  });

  itLong('gives a key that works for 90 days, once, after the approval', async () => {
    const ada = await service.signedInUser();
    const { device, code } = await start();
    expect((await poll(device)).code).to.equal('AUTHORIZATION_PENDING');
    const answer = await approve(ada, code, { name: 'My laptop' });
    expect([answer.status, answer.heading]).to.deep.equal([200, 'Program approved']);
    const made = await poll(device);
    expect(made.status, made.text).to.equal(200);
    expect(made.headers.get('Cache-Control')).to.equal('no-store');
    expect(made.body.key).to.deep.include({
      name: 'My laptop',
      mode: 'live',
      scopes: null,
      expires_at: new Date(service.clock.now() + 90 * day).toISOString(),
    });
    const me = () => service.send('/api/auth/me', { headers: { 'X-API-Key': made.body.api_key } });
    expect((await me()).body.email).to.equal(ada.email);
    expect((await poll(device)).code).to.equal('EXPIRED_TOKEN');
    expect((await service.letters(ada.email)).at(-1)?.kind).to.equal('key-made');
    const types = (await service.rows('audit_log')).map(({ type }) => type);
    expect(types.slice(-2)).to.deep.equal(['device.approved', 'key.created']);
    service.clock.advance(90 * day);
    expect((await me()).status).to.equal(401);
  });

  it('gives the key exactly the scopes and the mode that the page shows', async () => {
    const ada = await service.signedInUser();
    const { device, code } = await start({ scopes: ['licenses:read'], mode: 'test' });
    const page = await ada.browser.follow(await ada.browser.fill('/device', { code: code.toLowerCase() }));
    expect(page.text).to.include('read the licenses of own products').and.include('Test data');
    expect(page.text).to.include('latchkey on build-1').and.include('127.0.0.1');
    expect(page.text).to.include('Approve only if you started the program yourself');
    await ada.browser.submit(page, {}, 'Approve');
    const { body } = await poll(device);
    expect(body.key).to.deep.include({ name: 'latchkey on build-1', scopes: ['licenses:read'], mode: 'test' });
    expect(body.api_key).to.match(/^lk_sk_test_/);
  });

  it('ends with a refusal after a denial, and the code is used up', async () => {
    const ada = await service.signedInUser();
    const { device, code } = await start();
    const page = await ada.browser.follow(await ada.browser.fill('/device', { code }));
    const denied = await ada.browser.submit(page, {}, 'Deny');
    expect([denied.status, denied.heading]).to.deep.equal([200, 'Program denied']);
    expect((await ada.browser.post(`/device/approve?code=${code}`, { name: 'x' })).status).to.equal(422);
    expect((await poll(device)).code).to.equal('ACCESS_DENIED');
    expect((await poll(device)).code).to.equal('EXPIRED_TOKEN');
    expect((await service.rows('audit_log')).at(-1)?.type).to.equal('device.denied');
  });

  it('slows a program down that asks too often', async () => {
    const { device } = await start();
    await poll(device);
    const { body, status } = await post('/api/device/token', { device_code: device });
    expect([status, body.error.code, body.error.interval]).to.deep.equal([400, 'SLOW_DOWN', 10]);
    expect((await poll(device)).body.error).to.include({ code: 'SLOW_DOWN', interval: 15 });
    service.clock.advance(10 * second);
    expect((await poll(device)).code).to.equal('AUTHORIZATION_PENDING');
  });

  itLong('is over after ten minutes, with or without an approval', async () => {
    const ada = await service.signedInUser();
    const [one, two] = [await start(), await start()];
    await approve(ada, one.code);
    service.clock.advance(10 * minute);
    expect((await poll(one.device)).code).to.equal('EXPIRED_TOKEN');
    const late = await ada.browser.fill('/device', { code: two.code });
    expect([late.status, Object.keys(late.faults)]).to.deep.equal([422, ['code']]);
    expect((await poll(two.device)).code).to.equal('EXPIRED_TOKEN');
    await start();
    expect(await service.rows('device_logins')).to.have.lengthOf(1);
  });

  it('needs a person who is signed in, who comes back to the code', async () => {
    const { code } = await start();
    const browser = service.browser();
    const sent = await browser.get(`/device?code=${code}`);
    expect([sent.status, sent.location]).to.deep.equal([
      303,
      `/sign-in?next=${encodeURIComponent(`/device?code=${code}`)}`,
    ]);
    for (const path of ['/device', `/device/approve?code=${code}`, `/device/deny?code=${code}`]) {
      expect((await browser.post(path, { code, name: 'x' })).location, path).to.equal('/sign-in');
    }
    const ada = await service.signedInUser();
    const page = await ada.browser.get(`/device?code=${code}`);
    expect(page.forms.at(-1)?.values.code).to.deep.equal([code]);
  });

  it('asks for the password again if it was entered too long ago', async () => {
    const ada = await service.signedInUser();
    service.clock.advance(20 * minute);
    const { device, code } = await start();
    const refused = await approve(ada, code);
    expect([refused.status, Object.keys(refused.faults)]).to.deep.equal([422, ['current_password']]);
    expect((await poll(device)).code).to.equal('AUTHORIZATION_PENDING');
    const done = await ada.browser.submit(refused, { current_password: goodPassword }, 'Approve');
    expect(done.heading).to.equal('Program approved');
    expect((await poll(device)).status).to.equal(200);
  });

  it('is not approved by a use case that skips the password', async () => {
    const ada = await service.signedInUser();
    const { code } = await start();
    const [devices, me] = [await service.parts.get(t.deviceLogins), await ada.me()];
    service.clock.advance(20 * minute);
    const again = await start();
    for (const one of [code, again.code]) {
      const refused = await devices.approve(one, 'x', me, { address: '127.0.0.1', browser: '' });
      expect(refused).to.have.property('reason', 'confirmation_needed');
    }
  });

  it('gives no key if the password was changed or the account suspended after the approval', async () => {
    const ada = await service.signedInUser();
    const { device, code } = await start();
    await approve(ada, code);
    await ada.browser.fill('/account/security/password', { password: 'a brand new long password' });
    const { code: reason, body } = await poll(device);
    expect([reason, body.error.message]).to.deep.equal([
      'ACCESS_DENIED',
      'The account has changed since the approval. Sign in again.',
    ]);
    const { id } = good(await service.accounts.find(ada.email));
    expect((await service.rows('api_keys')).filter((key) => key.user_id === id)).to.deep.equal([]);
  });

  itLong('is not found by a code that differs in one letter, and lets nobody guess on', async () => {
    const ada = await service.signedInUser();
    const { code } = await start();
    const wrong = code.replace(/.$/, (last) => (last === 'B' ? 'C' : 'B'));
    for (const text of [wrong, '', 'x', code.slice(1), 'a\0b']) {
      const answer = await ada.browser.post('/device', { code: text });
      expect([answer.status, Object.keys(answer.faults)], text).to.deep.equal([422, ['code']]);
    }
    expect((await ada.browser.get(`/device/approve?code=${wrong}`)).heading).to.equal('This code does not work');
    const statuses = [];
    for (let n = 0; n < 40; n++) statuses.push((await ada.browser.post('/device', { code: wrong })).status);
    expect(new Set(statuses)).to.deep.equal(new Set([422, 429]));
    expect((await ada.browser.post('/device', { code })).status, 'the right code').to.equal(429);
  });

  itLong('stops one address from asking for codes all the time', async () => {
    for (let n = 0; n < 30; n++) await start();
    const { status, body, headers } = await post('/api/device/code', { client_name: 'latchkey' });
    expect([status, body.error.code]).to.deep.equal([429, 'RATE_LIMITED']);
    expect(Number(headers.get('Retry-After'))).to.be.within(1, 900);
  });

  it('refuses requests that it does not understand', async () => {
    for (const body of [
      {},
      { client_name: ' ' },
      { client_name: 'x'.repeat(101) },
      { client_name: 'x', mode: 'other' },
      { client_name: 'x', scopes: [] },
      { client_name: 'x', scopes: ['all'] },
    ]) {
      expect((await post('/api/device/code', body)).status, JSON.stringify(body)).to.equal(422);
    }
    expect((await post('/api/device/token', {})).status).to.equal(422);
    for (const device of ['x', '0'.repeat(64)]) expect((await poll(device)).code).to.equal('EXPIRED_TOKEN');
  });
});
