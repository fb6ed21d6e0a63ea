import { expect } from 'chai';
import { widerNetworkOf } from '../../../../adapters/network.ts';
import { createSqlProductStore } from '../../../../adapters/sql/stores/product-store.ts';
import { sandboxDeletion } from '../../../../apps/server/sandbox-job.ts';
import { rateLimiter } from '../../../../apps/wiring/modules/limits.ts';
import { t } from '../../../../apps/wiring/tokens.ts';
import {
  mostSandboxes,
  sandboxGrace,
  sandboxLife,
  sandboxLimits,
  sandboxLimitsOfNetwork,
} from '../../../../core/sandbox/sandbox.ts';
import { operator } from '../../../support/by.ts';
import { formOf } from '../../../support/forms.ts';
import { createHttpClient } from '../../../support/http-client.ts';
import { addForSale } from '../../../support/orders.ts';
import { itLong } from '../../../support/required-service.ts';
import { type DashboardService, startDashboardService } from './dashboard-service.ts';

const [perHour] = sandboxLimits;
/** The text of a read-only field. */
const fieldIn = (html: string, id: string) =>
  new RegExp(`<input(?=[^>]* id="${id}")[^>]* value="([^"]+)"|<textarea(?=[^>]* id="${id}")[^>]*>([^<]+)<`)
    .exec(html)
    ?.slice(1)
    .find(Boolean) ?? '';

describe('sandbox', () => {
  let service: DashboardService;
  beforeEach(async () => {
    service = await startDashboardService({ SANDBOX: 'true', TRUSTED_PROXIES: 'loopback' });
  });
  afterEach(() => service.close());

  const from = (address: string) => service.browser({ 'X-Forwarded-For': address });
  async function visitor(browser = from('203.0.113.1')) {
    const { status, html } = await browser.fill('/sandbox', {});
    expect(status).to.equal(200);
    const key = fieldIn(html, 'key');
    const [license = ''] = /LIC-[A-Z0-9-]{19}/.exec(html) ?? [];
    return { browser, key, license, api: createHttpClient(service.url, { 'X-API-Key': key }) };
  }
  async function runJob() {
    const { parts, clock } = service;
    // What waits in memory is saved each second.
    await (await parts.get(t.usageMeter)).save();
    const [config, log] = [await parts.get(t.config), await parts.get(t.log)];
    return await sandboxDeletion.work({ parts, config, clock, log, stop: new AbortController().signal });
  }
  const verify = (license_key: string, domain = 'app.example.com') =>
    service.send(`/verify?${new URLSearchParams({ license_key, domain })}`);

  /** The rows of all tables. */
  async function allRows() {
    const tables: string[] = await service.database.read((knex) =>
      knex('sqlite_schema').where({ type: 'table' }).whereNot('name', 'like', 'sqlite_%').pluck('name'),
    );
    return Object.fromEntries(
      await Promise.all(tables.map(async (table) => [table, await service.database.read((knex) => knex(table))])),
    );
  }

  itLong('gives an account with samples for one form, which needs nothing', async () => {
    const { browser, key, api, license } = await visitor();
    expect(key).to.match(/^lk_sk_test_/);
    const overview = await browser.get('/selling/test');
    expect(overview.html).to.match(/<strong>Sandbox<\/strong> · deleted on <time/);
    expect(overview.html).to.include('datetime="2026-01-02T00:00:00');
    for (const [page, shown] of [
      ['products', 'Swap Kit'],
      ['licenses', 'LIC-'],
      ['orders', '$149'],
      ['webhooks', 'For latchkey webhooks listen'],
    ] as const) {
      expect((await browser.get(`/selling/test/${page}`)).html, page).to.include(shown);
    }
    expect((await browser.get('/account')).html).to.include('Sandbox');
    const { body } = await api.get('/api/licenses');
    // One in each status, one that was never activated, and those of the two orders.
    expect(body.data.map((one: { status: string }) => one.status).toSorted()).to.deep.equal(
      ['active', 'active', 'active', 'expired', 'revoked', 'revoked', 'suspended'].toSorted(),
    );
    const activated = await createHttpClient(service.url).post('/activate', {
      license_key: license,
      domain: 'shop.example.com',
    });
    expect(activated.status).to.equal(200);
    expect((await verify(license, 'shop.example.com')).body.valid).to.equal(true);
  });

  itLong('leads to it from the first page and from the sign-in page, but not somebody who is signed in', async () => {
    const someone = from('203.0.113.1');
    for (const path of ['/', '/sign-in'])
      expect((await someone.get(path)).html, path).to.match(/href="(?:\.\/)?sandbox"/);
    const { browser } = await visitor(someone);
    const home = (await browser.get('/')).html;
    expect(home).not.to.match(/href="(?:\.\/)?sandbox"/);
    expect(home).to.include('Go to your dashboard');
    expect((await browser.get('/sandbox')).location).to.equal('/selling/test');
  });

  it('makes no account for a form of another site', async () => {
    const answer = await service.browser().post('/sandbox', {}, { 'Sec-Fetch-Site': 'cross-site' });
    expect(answer.status).to.equal(403);
    expect(await service.rows('users')).to.deep.equal([]);
  });

  itLong('shows test data only, and changes no live data', async () => {
    const { browser, api } = await visitor();
    expect((await browser.get('/selling/live/products?q=a')).location).to.equal('/selling/test/products?q=a');
    const posted = await browser.post('/selling/live/products/new', {});
    expect([posted.status, posted.text.includes('has test data only')]).to.deep.equal([403, true]);
    const form = await browser.get('/account/keys/new');
    expect(form.html).not.to.include('value="live"');
    const [, once = ''] = /name="once" value="([^"]+)"/.exec(form.html) ?? [];
    const typed = { once, name: 'mine', mode: 'live', expiry: 'never', access: 'all' };
    const made = await browser.post('/account/keys/new', typed);
    expect(made.status).to.equal(422);
    expect(made.text).to.include('An account of the sandbox has API keys for test data only.');
    const [user] = await service.rows('users');
    const byOperator = await service.accounts.createKey(
      String(user?.email),
      { name: 'live', mode: 'live', scopes: null, expiresAt: null },
      operator,
    );
    expect(byOperator).to.deep.include({ reason: 'test_only' });
    expect((await api.get('/api/auth/me')).status).to.equal(200);
    expect((await browser.get('/admin/users')).status).to.equal(403);
  });

  itLong('asks for no password, because the account has none', async () => {
    const { browser } = await visitor();
    service.clock.advance(23 * 3_600_000);
    const made = await browser.fill('/account/keys/new', {
      name: 'late',
      expiry: 'never',
      access: 'all',
    });
    expect([made.status, fieldIn(made.html, 'key')]).to.satisfy(
      ([status, key]: [number, string]) => status === 200 && key.startsWith('lk_sk_test_'),
    );
  });

  itLong('has no password, no second factor and no other address, so it can be used in one browser only', async () => {
    const { browser } = await visitor();
    const before = await service.rows('credentials');
    for (const [path, typed] of [
      ['password', { password: 'a long good password' }],
      ['email', { email: 'a@example.com' }],
      ['email/verification', {}],
    ] as const) {
      const { status, html } = await browser.fill(`/account/security/${path}`, typed);
      expect([path, status, html.includes('An account of the sandbox has no password')]).to.deep.equal([
        path,
        422,
        true,
      ]);
    }
    expect(await service.rows('credentials')).to.deep.equal(before);
    expect(await service.rows('one_time_links')).to.deep.equal([]);
  });

  it('buys no live product, also none that is free', async () => {
    const { browser } = await visitor();
    const product = await addForSale(
      { products: createSqlProductStore(service.database) },
      { price: 0, ownerId: null },
    );
    const orders = await service.rows('orders');
    const page = await browser.get(`/marketplace/${product.slug}/buy`);
    expect([page.status, page.html.includes('buys test products only')]).to.deep.equal([403, true]);
    expect((await browser.post(`/marketplace/${product.slug}/buy`, {})).status).to.equal(403);
    expect(await service.rows('orders')).to.deep.equal(orders);
    expect((await service.browser().get(`/marketplace/${product.slug}/buy`)).status).to.equal(200);
  });

  itLong('refuses files above 1 MB, and says why', async () => {
    const { api } = await visitor();
    const file = (length: number) => formOf({ file: { bytes: new Uint8Array(length), filename: 'a.png' } });
    const { status, text } = await api.submit('/api/marketplace/upload', file(1_048_577));
    expect(status).to.equal(413);
    expect(text).to.include('1048576 bytes. This is a sandbox, which keeps only small files.');
    const larger = await api.submit('/api/marketplace/upload', file(3_000_000));
    expect([larger.status, larger.text.includes('This is a sandbox')]).to.deep.equal([413, true]);
  });

  itLong('has room for 1,000 licenses, and imports none', async () => {
    const { api } = await visitor();
    const issue = (count: number) => api.post('/api/licenses', { product: 'swap-kit', count });
    expect((await issue(990)).status).to.equal(200);
    const { status, text } = await issue(10);
    expect([status, text.includes('can have 1000 licenses')]).to.deep.equal([409, true]);
    expect((await issue(1)).status).to.equal(200);
    // The test clock moves licenses back. They count all the same.
    await service.database.write((trx) => trx('licenses').update({ created_at: 1 }));
    expect((await issue(9)).status).to.equal(409);
    const csv = 'product\nswap-kit\n';
    const sent = (path: string) =>
      api.send(path, { method: 'POST', headers: { 'Content-Type': 'text/csv' }, body: csv });
    const imported = await sent('/api/licenses/import');
    expect([imported.status, imported.text.includes('A sandbox imports no licenses.')]).to.deep.equal([422, true]);
    expect((await sent('/api/licenses/import?dry_run=true')).status).to.equal(200);
  });

  itLong('writes no letters, and takes no sign-up and no invitation', async () => {
    const { browser } = await visitor();
    const [user] = await service.rows('users');
    expect((await browser.fill('/account/security/name', { name: 'Zoë' })).status).to.equal(303);
    const guest = service.browser();
    expect((await guest.fill('/forgot-password', { email: String(user?.email) })).status).to.equal(200);
    const closed = (await guest.get('/sign-up')).html;
    expect(closed).not.to.include('type="email"');
    expect(closed).to.match(/href="(?:\.\/)?sandbox"/);
    const signedUp = await guest.post('/sign-up', {
      name: 'A',
      email: 'a@example.com',
      password: 'a long good password',
    });
    expect(signedUp.status).to.equal(422);
    const signUp = await service.parts.get(t.signUp);
    const invited = await signUp.invite({ email: 'b@example.com', role: null, deliver: 'return' }, operator);
    expect(invited).to.deep.include({ reason: 'sign_up_closed' });
    expect(await service.letters()).to.deep.equal([]);
  });

  itLong('gives few accounts to one address, and to one IPv6 network', async () => {
    for (const address of ['203.0.113.7', '2001:db8:1:2::1']) {
      for (let made = 0; made < perHour.limit; made++) await visitor(from(address));
    }
    for (const address of ['203.0.113.7', '2001:db8:1:2:3::9']) {
      const { status, headers, text } = await from(address).fill('/sandbox', {});
      expect(status).to.equal(429);
      expect(Number(headers.get('Retry-After'))).to.be.within(1, perHour.seconds);
      expect(text).to.match(/Your network has opened 5 sandboxes this hour. Try again in (?:60|5\d) minutes./);
      expect(text).not.to.include('type="submit"');
    }
    await visitor(from('203.0.113.8'));
    await visitor(from('2001:db8:1:3::1'));
  });

  itLong('gives at most 40 accounts in a day to a wider network', async () => {
    for (const [inside, outside] of [
      [(n: number) => `2001:db8:7:${n}::1`, '2001:db8:8::1'],
      [(n: number) => `198.51.100.${n}`, '198.51.101.1'],
    ] as const) {
      const subject = `sandbox:${JSON.stringify([widerNetworkOf(inside(0))])}`;
      const limiter = await service.parts.get(rateLimiter);
      for (let n = 0; n < 39; n++) await limiter.count(subject, sandboxLimitsOfNetwork);
      await visitor(from(inside(0)));
      const { status, headers, html } = await from(inside(9)).fill('/sandbox', {});
      expect([status, html.includes('too many sandboxes today')]).to.deep.equal([429, true]);
      expect(Number(headers.get('Retry-After'))).to.be.greaterThan(3_600);
      await visitor(from(outside));
    }
  });

  itLong('has a limited number of accounts, and then says when to try again', async () => {
    const rows = Array.from({ length: mostSandboxes }, (_, n) => ({
      ...{ name: 'V', email: `v${n}@sandbox.invalid`, tier: 'free', created_at: 1, search_name: 'v' },
      sandbox_until: service.clock.now(),
    }));
    await service.database.write(async (trx) => await trx.batchInsert('users', rows.slice(1), 50));
    await visitor();
    const { status, headers, text } = await from('203.0.113.9').fill('/sandbox', {});
    expect(status).to.equal(503);
    expect(headers.get('Retry-After')).to.equal('600');
    expect(text).to.include('All accounts of the sandbox are in use.');
  });

  it('shows nobody the data of another visitor', async () => {
    const one = await visitor();
    const other = await visitor(from('203.0.113.2'));
    const { body } = await one.api.get('/api/products');
    const [{ id, slug }] = body.data;
    for (const path of [`/api/products/${id}`, `/api/licenses/${one.license}`]) {
      expect([path, (await one.api.get(path)).status, (await other.api.get(path)).status]).to.deep.equal([
        path,
        200,
        404,
      ]);
    }
    for (const path of [`products/${id}`, `licenses/${one.license}`]) {
      expect((await other.browser.get(`/selling/test/${path}`)).status, path).to.equal(404);
    }
    for (const path of [`/marketplace/${slug}`, `/marketplace/${slug}/buy`]) {
      expect((await other.browser.get(path)).status, path).to.equal(404);
    }
    const suspended = await other.api.post(`/api/licenses/${one.license}/suspend`, { reason: 'x' });
    expect(suspended.status).to.equal(404);
    expect((await service.send('/storefront/products')).text).not.to.include(slug);
  });

  itLong('deletes an account after a day, with every row and file of it, and no other', async () => {
    const member = await service.account();
    const before = { rows: await allRows(), files: await service.files() };
    const { browser, api, license } = await visitor();
    await api.post('/api/licenses', { product: 'swap-kit', count: 3, holder: { email: 'ada@example.com' } });
    await createHttpClient(service.url).post('/activate', { license_key: license, domain: 'shop.example.com' });
    const { body } = await api.get('/api/licenses');
    const rotated = await api.post(`/api/licenses/${body.data[0].key}/rotate`, {}, { 'Idempotency-Key': 'k' });
    expect(rotated.status).to.equal(200);
    await browser.fill('/account/keys/new', { name: 'n', expiry: 'never', access: 'all' });

    service.clock.advance(sandboxLife - 1);
    await runJob();
    expect((await api.get('/api/auth/me')).status).to.equal(200);
    service.clock.advance(1);
    await runJob();
    expect((await api.get('/api/auth/me')).status).to.equal(401);
    expect((await browser.get('/selling/test')).location).to.match(/^\/sign-in/);
    expect((await verify(license, 'shop.example.com')).status).to.equal(200);

    service.clock.advance(sandboxGrace);
    await runJob();
    const after = { rows: await allRows(), files: await service.files() };
    // The ids that were used stay used, and an answer that was kept for a form goes within a day.
    for (const { rows } of [before, after]) for (const table of ['account_usage']) delete rows[table];
    for (const table of Object.keys(after.rows)) expect(after.rows[table], table).to.deep.equal(before.rows[table]);
    expect(after.files).to.deep.equal(before.files);
    expect((await verify(license, 'shop.example.com')).status).to.equal(404);
    expect((await api.get('/api/auth/me')).status).to.equal(401);
    expect((await member.get('/api/auth/me')).status).to.equal(200);
  });

  itLong('deletes an account while its visitor goes on writing', async () => {
    const before = await allRows();
    const { api, browser } = await visitor();
    service.clock.advance(sandboxLife);
    expect((await api.post('/api/licenses', { product: 'swap-kit', count: 2 })).status).to.equal(200);
    let isOver = false;
    const statuses: number[] = [];
    const writing = async () => {
      while (!isOver) statuses.push((await api.post('/api/licenses', { product: 'swap-kit', count: 2 })).status);
    };
    const writers = [writing(), writing(), writing()];
    await runJob();
    // What was let in before the account was closed ends, and what waits in memory is saved, long before the grace ends.
    const known = statuses.length;
    while (statuses.length < known + 6) await browser.post('/selling/test/coupons/new', { code: 'A' });
    service.clock.advance(sandboxGrace);
    await runJob();
    isOver = true;
    await Promise.all(writers);
    expect(statuses.at(-1)).to.equal(401);
    const after = await allRows();
    for (const table of Object.keys(after)) expect(after[table], table).to.deep.equal(before[table]);
  });
});

describe('without a sandbox', () => {
  itLong('has no page for visitors', async () => {
    await using service = await startDashboardService();
    expect((await service.browser().get('/sandbox')).status).to.equal(404);
    expect((await service.browser().post('/sandbox', {})).status).to.equal(404);
    for (const path of ['/', '/sign-in']) expect((await service.browser().get(path)).html).not.to.include('sandbox"');
  });
});
