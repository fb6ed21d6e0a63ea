import { expect } from 'chai';
import { sandboxLimits } from '../../core/sandbox/sandbox.ts';
import { type DashboardService, startDashboardService } from '../adapters/http/dashboard/dashboard-service.ts';
import { chromium, openBrowser, type TestBrowser } from '../support/browser.ts';
import { needing } from '../support/required-service.ts';

needing(chromium.skip).describe('the pages of a sandbox in a browser', () => {
  let service: DashboardService;
  let browser: TestBrowser;
  beforeEach(async () => {
    service = await startDashboardService({ SANDBOX: 'true' });
    browser = await openBrowser();
  });
  afterEach(async () => {
    await browser?.close();
    await service?.close();
  });

  it('have no fault for visitors: the first page, the sign-in page and the form', async () => {
    for (const path of ['/', '/sign-in', '/sandbox', '/sign-up']) await browser.checkPage(service.url + path);
  });

  it('have no fault after the form: the new account, and the answer at the limit', async () => {
    await browser.checkPage(`${service.url}/sandbox`, { send: {} });
    const [{ limit }] = sandboxLimits;
    for (let made = 0; made < limit; made++) await service.browser().fill('/sandbox', {});
    await browser.checkPage(`${service.url}/sandbox`, { send: {}, status: 429 });
  });

  it('lead from the first page to an account with one click and one form, also without scripts', async () => {
    for (const hasScripts of [true, false]) {
      const page = await browser.newPage();
      await page.setJavaScriptEnabled(hasScripts);
      await page.goto(`${service.url}/`);
      await Promise.all([page.waitForNavigation(), page.click('.hero a[href="./sandbox"]')]);
      await Promise.all([page.waitForNavigation(), page.click('main button[type=submit]')]);
      expect(await page.$eval('#key', (field) => (field as unknown as { value: string }).value)).to.match(
        /^lk_sk_test_/,
      );
      if (hasScripts) expect(await browser.faultsOn(page)).to.equal('');
      await Promise.all([page.waitForNavigation(), page.click('main a.button.primary')]);
      expect(page.url()).to.equal(`${service.url}/selling/test`);
      expect(await page.$eval('header + .sandbox-bar', (bar) => bar.textContent)).to.include('Sandbox · deleted on');
      const cookies = await page.cookies();
      await page.deleteCookie(...cookies);
      await page.close();
    }
  });

  it('have no fault after that: the new account, the note on each page, and the refusals', async () => {
    const visitor = service.browser();
    await visitor.fill('/sandbox', {});
    const { cookies } = visitor;
    const selling = ['/selling/test', '/selling/test/products', '/selling/test/orders', '/selling/test/webhooks/new'];
    const account = ['/account', '/account/security', '/account/keys/new', '/device', '/sandbox/leave'];
    for (const path of ['/', '/marketplace', '/docs/selling', ...selling, ...account]) {
      await browser.checkPage(service.url + path, { cookies });
    }
  });
});
