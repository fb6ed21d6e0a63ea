import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { mostKeys } from '../../../../core/accounts/api-key-terms.ts';
import { scopeNames } from '../../../../core/accounts/scope.ts';
import { plans } from '../../../../core/accounts/tier.ts';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { itLong } from '../../../support/required-service.ts';
import type { Fields, WebAnswer } from '../../../support/web-client.ts';
import { type DashboardService, goodPassword, type Person, startDashboardService } from './dashboard-service.ts';

const minute = 60_000;
const day = 86_400_000;
const address = '/account/keys/new';

describe('the pages about the plan and its API keys', () => {
  let service: DashboardService;
  let ada: Person;
  let eve: Person;
  beforeEach(async () => {
    service = await startDashboardService();
    [ada, eve] = [await service.signedInUser({ name: 'Ada' }), await service.signedInUser({ role: 'admin' })];
  });
  afterEach(() => service.close());

  const keysOf = async ({ email }: Person) => good(await service.accounts.listKeys(email, operator));
  const make = (person: Person, fields: Fields = {}) => person.browser.fill(address, { name: 'CI', ...fields });
  const secretIn = ({ html }: WebAnswer) => /lk_sk_(?:live|test)_[0-9a-f]{32}/.exec(html)?.[0] ?? '';
  const statusOf = async (key: string) =>
    (await service.send('/api/auth/me', { headers: { 'X-API-Key': key } })).status;
  /** Makes a key by the page. Returns it with the paths of its pages. */
  const madeBy = async (person: Person, fields: Fields = {}) => {
    const secret = secretIn(await make(person, fields));
    const [newest] = await keysOf(person);
    if (newest === undefined) throw new Error('There is no key.');
    return { ...newest, secret, path: `/account/keys/${newest.id}` };
  };

  describe('GET /account', () => {
    itLong('200 with what the plan includes, and an empty list that leads to the first key', async () => {
      const page = await ada.browser.get('/account');
      expect([page.status, page.heading]).to.deep.equal([200, 'Plan & API']);
      expect(page.text)
        .to.include('Free plan')
        .and.to.include('0 bytes of 1 GiB')
        .and.to.include('Not included: Mainnet deployments')
        .and.to.include('Included: Marketplace publishing')
        .and.to.include('No calls in the last 30 days.')
        .and.to.include('This site does not limit API calls.');
      expect(page.links.map(({ href }) => href)).to.include('./account/keys/new');
      expect(page.headers.get('cache-control')).to.equal('no-store');
    });

    itLong('200 with another plan as soon as the operator has changed it', async () => {
      await service.accounts.setTier(ada.email, 'pro', operator);
      const { text } = await ada.browser.get('/account');
      expect(text).to.include('Pro plan').and.to.include('Included: Deployments to Ethereum, OP Mainnet');
    });

    itLong('200 with working keys, and the others folded away; never with the secret of a key', async () => {
      const [first, second] = [await madeBy(ada, { name: 'First' }), await madeBy(ada, { name: 'Second' })];
      await service.accounts.revokeKey(String(first.id), operator);
      const page = await ada.browser.get('/account');
      const [folded] = page.elements('details').filter(({ text }) => text.startsWith('Revoked'));
      expect(folded?.text).to.match(/^Revoked and expired keys \(1\)First Live Revoked/);
      expect(page.text).to.include(`${second.prefix}…${second.lastFour}`).and.to.include('All scopes');
      expect(page.html).to.not.include(first.secret).and.to.not.include(second.secret);
      expect(page.links.filter(({ text }) => text === 'Revoke Second')).to.have.lengthOf(1);
      expect(page.links.filter(({ text }) => text === 'Revoke First')).to.deep.equal([]);
    });

    itLong('200 with the calls of 30 days as a plot and as a table', async () => {
      const { id } = (await ada.me()).login;
      const log = await service.parts.get(t.usageLog);
      await log.add([
        { userId: id, day: '2025-12-31', calls: 1_234_567, refused: 0 },
        { userId: id, day: '2026-01-01', calls: 1, refused: 2 },
      ]);
      const page = await ada.browser.get('/account');
      expect(page.text).to.include('1,234,568 calls in the last 30 days. 2 more were refused by the rate limits.');
      const rows = page.elements('tr').map(({ text }) => text);
      expect(rows).to.have.lengthOf(31);
      expect(rows.slice(1, 3)).to.deep.equal(['Jan 1, 202612', 'Dec 31, 20251,234,5670']);
      expect(page.elements('rect').filter(({ attributes }) => attributes.class === 'plot-calls')).to.have.lengthOf(2);
      expect(
        page
          .elements('desc')
          .map(({ text }) => text)
          .join(),
      ).to.include('The busiest day was Dec 31: 1,234,567 calls.');
    });

    itLong('303 to the sign-in page for people who are not signed in', async () => {
      for (const path of ['/account', address, '/account/keys/1', '/account/keys/1/rotate']) {
        const { status, location } = await service.browser().get(path);
        expect([status, location]).to.deep.equal([303, `/sign-in?next=${encodeURIComponent(path)}`]);
      }
    });
  });

  itLong('GET /account has the meters of this minute and of 24 hours if calls are limited', async () => {
    await using limited = await startDashboardService({ RATE_LIMIT_URL: 'memory:' });
    const bob = await limited.signedInUser();
    const user = good(await limited.accounts.find(bob.email));
    const { get } = await limited.keyOf(user);
    for (let n = 0; n < 12; n++) await get('/api/auth/me');
    const page = await bob.browser.get('/account');
    const [{ limit }, { limit: daily }] = plans.free.allowances;
    expect(page.text).to.include(`12 of ${limit} this minute`).and.to.include('12 of 1,000 in 24 hours');
    const meters = page.elements('meter').map(({ attributes: { value, max } }) => [value, max]);
    expect(meters.slice(0, 2)).to.deep.equal([
      ['12', String(limit)],
      ['12', String(daily)],
    ]);
  });

  describe('POST /account/keys/new', () => {
    itLong('200 with the key, which works, and is never shown or stored again', async () => {
      const answer = await make(ada);
      const key = secretIn(answer);
      expect([answer.status, answer.headers.get('cache-control')]).to.deep.equal([200, 'no-store']);
      expect(answer.html).to.include(`curl ${service.url}/api/auth/me`);
      expect(await statusOf(key)).to.equal(200);
      const [{ id } = { id: 0 }] = await keysOf(ada);
      for (const path of [
        '/account',
        `/account/keys/${id}`,
        `/account/keys/${id}/rotate`,
        `/account/keys/${id}/revoke`,
      ]) {
        const page = await ada.browser.get(path);
        expect(page.status, path).to.equal(200);
        expect(page.html, path).to.not.include(key);
      }
      for (const table of ['api_keys', 'audit_log', 'idempotency', 'mails', 'sessions']) {
        expect(JSON.stringify(await service.rows(table)), table).to.not.include(key);
      }
    });

    itLong('200 with a key on the terms that were chosen', async () => {
      const some = ['templates:read', 'account:read'];
      const chosen = { name: '  سيرفر  ', mode: 'test', expiry: '90', access: 'some', scopes: some };
      const key = await madeBy(ada, chosen);
      expect(key).to.deep.include({
        name: 'سيرفر',
        mode: 'test',
        scopes: ['account:read', 'templates:read'],
        expiresAt: service.clock.now() + 90 * day,
      });
      const { expiresAt } = await madeBy(ada, { expiry: 'date', until: '2026-02-28' });
      expect(expiresAt).to.equal(Date.UTC(2026, 2, 1) - 1);
      const all = await madeBy(ada, { access: 'all', scopes: ['templates:read'] });
      expect([all.scopes, all.expiresAt]).to.deep.equal([null, null]);
    });

    itLong('422 for the same form again, which makes no second key and says that the first was shown', async () => {
      const page = await ada.browser.get(address);
      const first = await ada.browser.submit(page, { name: 'Once' });
      const [again, changed] = [
        await ada.browser.submit(page, { name: 'Once' }),
        await ada.browser.submit(page, { name: 'Other' }),
      ];
      expect(first.status).to.equal(200);
      for (const { status, heading, html } of [again, changed]) {
        expect([status, heading]).to.deep.equal([422, 'This form was already sent']);
        expect(html).to.not.include(secretIn(first));
      }
      expect(await keysOf(ada)).to.have.lengthOf(1);
    });

    itLong('makes one key for a form that is sent several times at once', async () => {
      const page = await ada.browser.get(address);
      const answers = await Promise.all([1, 2, 3, 4].map(() => ada.browser.submit(page, { name: 'Once' })));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 422, 422, 422]);
      expect(await keysOf(ada)).to.have.lengthOf(1);
    });

    itLong('422 with everything that was typed, and a message beside each field', async () => {
      const typed = { name: 'x'.repeat(101), mode: 'test', expiry: 'date', until: '', access: 'some' };
      const tooLong = await make(ada, typed);
      expect([tooLong.status, tooLong.faults]).to.deep.equal([422, { name: 'Use at most 100 characters.' }]);
      const { once: _, ...values } = tooLong.forms.find(({ names }) => names.includes('name'))?.values ?? {};
      expect(values).to.deep.include({ name: [typed.name], mode: ['test'], expiry: ['date'], access: ['some'] });
      const faultsOf = async (fields: Fields) => (await make(ada, { ...typed, name: 'CI', ...fields })).faults;
      expect(await faultsOf({})).to.deep.equal({ until: 'Choose a date.' });
      expect(await faultsOf({ until: '2025-12-30', scopes: 'account:read' })).to.deep.equal({
        until: 'Choose today or a later date.',
      });
      expect(await faultsOf({ until: '2026-02-30' })).to.deep.equal({ until: 'Choose a date.' });
      expect(await faultsOf({ until: '2026-01-01' })).to.deep.equal({ scopes: 'Choose at least one scope.' });
      expect(await faultsOf({ name: '' })).to.deep.equal({ name: 'Enter a name.' });
      expect(await keysOf(ada)).to.deep.equal([]);
    });

    itLong('422 with a form that can be sent after a refusal', async () => {
      const user = good(await service.accounts.find(ada.email));
      for (let n = 0; n < mostKeys; n++) await service.keyOf(user);
      const page = await ada.browser.get(address);
      const refused = await ada.browser.submit(page, { name: 'One more' });
      expect([refused.status, refused.alert]).to.deep.equal([
        422,
        `You have reached the limit of ${mostKeys} active API keys. Revoke one that you do not use, then try again.`,
      ]);
      const [{ id } = { id: 0 }] = await keysOf(ada);
      await service.accounts.revokeKey(String(id), operator);
      expect((await ada.browser.submit(page, { name: 'One more' })).status).to.equal(200);
    });

    it('asks for the password again after 15 minutes', async () => {
      service.clock.advance(15 * minute);
      const page = await ada.browser.get(address);
      const without = await ada.browser.submit(page, { name: 'CI', mode: 'test' });
      expect([without.status, Object.keys(without.faults)]).to.deep.equal([422, ['current_password']]);
      expect(await keysOf(ada)).to.deep.equal([]);
      const answer = await ada.browser.submit(without, { current_password: goodPassword });
      expect(answer.status).to.equal(200);
      expect((await keysOf(ada))[0]).to.include({ name: 'CI', mode: 'test' });
    });

    it('403 from another site', async () => {
      const other = { 'Sec-Fetch-Site': 'cross-site' };
      for (const path of [address, '/account/keys/1/rotate', '/account/keys/1/revoke']) {
        expect((await ada.browser.post(path, { name: 'CI' }, other)).status, path).to.equal(403);
      }
      expect(await keysOf(ada)).to.deep.equal([]);
    });
  });

  describe('GET /account/keys/:id', () => {
    itLong('200 with the explanations of its scopes', async () => {
      const { path } = await madeBy(ada, { access: 'some', scopes: scopeNames });
      const { status, heading, text } = await ada.browser.get(path);
      expect([status, heading]).to.deep.equal([200, 'CI']);
      expect(text).to.include('templates:read list, read and download templates').and.to.include('Last usedNever');
    });

    it('404 for the keys of others, even for administrators, and for ids that are none', async () => {
      const { id, secret, path } = await madeBy(ada);
      for (const one of [path, `${path}/rotate`, `${path}/revoke`]) {
        expect((await eve.browser.get(one)).status, one).to.equal(404);
        expect((await eve.browser.post(one, { overlap: '0' })).status, one).to.be.oneOf([404, 405]);
      }
      for (const wrong of ['/account/keys/999', `/account/keys/0${id}`, '/account/keys/x', '/account/keys/%00']) {
        expect((await ada.browser.get(wrong)).status, wrong).to.equal(404);
      }
      expect(await statusOf(secret)).to.equal(200);
    });
  });

  describe('POST /account/keys/:id/revoke', () => {
    itLong(
      '303 after a page that asks for confirmation; the key stops at once, and its pages have no buttons any more',
      async () => {
        const { secret, path } = await madeBy(ada);
        service.clock.advance(15 * minute);
        const page = await ada.browser.get(`${path}/revoke`);
        expect(page.text).to.include('Revoke this key?');
        expect(await statusOf(secret)).to.equal(200);
        const answer = await ada.browser.submit(page, {}, 'Revoke key');
        expect([answer.status, answer.location]).to.deep.equal([303, '/account']);
        expect((await ada.browser.follow(answer)).notice).to.match(/^The API key was revoked/);
        expect(await statusOf(secret)).to.equal(401);
        for (const act of ['revoke', 'rotate']) {
          const { status, forms } = await ada.browser.get(`${path}/${act}`);
          expect([status, forms.map(({ submit }) => submit)]).to.deep.equal([200, ['Sign out']]);
        }
      },
    );
  });

  describe('POST /account/keys/:id/rotate', () => {
    const rotate = (path: string, overlap: string) => ada.browser.fill(`${path}/rotate`, { overlap });

    itLong('200 with a new key, while the old one works until its end', async () => {
      const { secret, path } = await madeBy(ada);
      const answer = await rotate(path, '3600');
      const fresh = secretIn(answer);
      expect([answer.status, answer.text.includes('The old key works until Jan 1, 2026, 01:00 UTC.')]).to.deep.equal([
        200,
        true,
      ]);
      expect([await statusOf(secret), await statusOf(fresh)]).to.deep.equal([200, 200]);
      expect((await ada.browser.get('/account')).text).to.include('Works until Jan 1, 2026, 01:00 UTC');
      service.clock.advance(60 * minute);
      expect([await statusOf(secret), await statusOf(fresh)]).to.deep.equal([401, 200]);
    });

    itLong('200 without overlap, if the old key must stop at once', async () => {
      const { secret, path } = await madeBy(ada);
      const answer = await rotate(path, '0');
      expect(answer.text).to.include('The old key no longer works.');
      expect([await statusOf(secret), await statusOf(secretIn(answer))]).to.deep.equal([401, 200]);
    });

    itLong('422 for the same form again, without another key', async () => {
      const { path } = await madeBy(ada);
      const page = await ada.browser.get(`${path}/rotate`);
      const first = await ada.browser.submit(page, { overlap: '86400' });
      const again = await ada.browser.submit(page, { overlap: '86400' });
      expect([again.status, again.alert ?? again.text]).to.satisfy(
        ([status, text]: [number, string]) => status === 422 && text.includes('was already rotated'),
      );
      expect(again.html).to.not.include(secretIn(first));
      expect(await keysOf(ada)).to.have.lengthOf(2);
    });

    itLong('422 for an overlap that is not offered, and for a key that was revoked meanwhile', async () => {
      const { id, path } = await madeBy(ada);
      const page = await ada.browser.get(`${path}/rotate`);
      const wrong = await ada.browser.submit(page, { overlap: '604801' });
      expect([wrong.status, wrong.faults]).to.deep.equal([422, { overlap: 'Choose an option.' }]);
      await service.accounts.revokeKey(String(id), operator);
      const late = await ada.browser.submit(page, { overlap: '0' });
      expect([late.status, late.text.includes('Create a new one instead.')]).to.deep.equal([422, true]);
    });

    it('asks for the password again after 15 minutes', async () => {
      const { path } = await madeBy(ada);
      service.clock.advance(15 * minute);
      const without = await rotate(path, '0');
      expect([without.status, Object.keys(without.faults)]).to.deep.equal([422, ['current_password']]);
      expect(await keysOf(ada)).to.have.lengthOf(1);
      expect((await ada.browser.submit(without, { current_password: goodPassword })).status).to.equal(200);
    });
  });
});
