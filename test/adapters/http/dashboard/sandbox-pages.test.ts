import { expect } from 'chai';
import { createHttpClient } from '../../../support/http-client.ts';
import { itLong } from '../../../support/required-service.ts';
import { type DashboardService, startDashboardService } from './dashboard-service.ts';

describe('the pages of a sandbox', () => {
  let service: DashboardService;
  beforeEach(async () => {
    service = await startDashboardService({ SANDBOX: 'true' });
  });
  afterEach(() => service.close());

  async function visitor() {
    const browser = service.browser();
    const { html } = await browser.fill('/sandbox', {});
    const [key = ''] = /lk_sk_test_\w+/.exec(html) ?? [];
    return { browser, api: createHttpClient(service.url, { 'X-API-Key': key }) };
  }

  itLong('tells on the page for visitors what the samples are', async () => {
    const { html } = await service.browser().get('/sandbox');
    const { api } = await visitor();
    const counts = await Promise.all(
      ['products', 'licenses', 'orders', 'webhooks'].map(
        async (path) => (await api.get(`/api/${path}`)).body.data.length,
      ),
    );
    expect(counts).to.deep.equal([1, 7, 2, 1]);
    expect(html).to.include('A product, 7 licenses, 2 orders, a listener and an API key');
  });

  itLong('has buyers and holders with names, and an expired license that is as old as it says', async () => {
    const { api } = await visitor();
    const { body } = await api.get('/api/licenses');
    const days = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 86_400_000;
    const sold = body.data.filter((one: { holder: { email: string } }) =>
      /^(?:ada|grace)\.\d+@example\.com$/.test(one.holder.email),
    );
    expect(sold).to.have.lengthOf(2);
    for (const { holder, created_at, status, expires_at } of body.data) {
      expect(holder.email).to.match(/@example\.com$/);
      if (status === 'expired') expect(days(created_at, expires_at)).to.equal(30);
    }
  });

  itLong('asks before a visitor signs out, because the account is lost then', async () => {
    const { browser } = await visitor();
    const { html } = await browser.get('/selling/test');
    expect(html).to.match(/href="[./]*sandbox\/leave"/);
    expect(html).not.to.match(/action="[./]*sign-out"/);
    const asked = await browser.get('/sandbox/leave');
    expect(asked.html).to.include('You cannot come back to this account: it has no password.').and.to.include('Stay');
    expect((await browser.get('/selling/test')).status).to.equal(200);
    expect((await browser.submit(asked, {})).location).to.equal('/sign-in');
    expect((await browser.get('/selling/test')).location).to.match(/^\/sign-in/);
    expect((await browser.get('/sandbox/leave')).location).to.match(/^\/sign-in/);
  });

  itLong('says nothing of a password that the account does not have, and asks for no details of a seller', async () => {
    const { browser } = await visitor();
    const { html } = await browser.get('/account/security');
    expect(html).to.include('This account has no password. It ends with the sandbox.');
    expect(html).not.to.include('You sign in with a password').and.not.to.include('change your password');
    expect((await browser.get('/selling/test')).html).not.to.include('invoice-details');
  });

  itLong('sends no webhooks to addresses', async () => {
    const { browser, api } = await visitor();
    const hook = { url: 'https://example.com/hook', events: ['license.issued'] };
    const added = await api.post('/api/webhooks', hook);
    expect(added.status).to.equal(422);
    expect(added.text).to.include('A sandbox sends nothing to addresses.');
    const listed = await api.get('/api/webhooks');
    expect(listed.body.data).to.have.lengthOf(1);
    const { html } = await browser.get('/selling/test/webhooks/new');
    expect(html).to.include('A sandbox sends nothing to addresses.').and.to.include('latchkey webhooks listen');
    expect(html).not.to.include('name="url"');
    const sent = await browser.post('/selling/test/webhooks/new', { url: hook.url, access: 'all' });
    expect(sent.status).to.equal(422);
    expect((await api.get('/api/webhooks')).body.data).to.have.lengthOf(1);
  });
});
