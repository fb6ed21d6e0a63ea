import { expect } from 'chai';
import type { Page } from 'puppeteer-core';
import { t } from '../../apps/wiring/tokens.ts';
import { takeSnapshot } from '../../core/selling/usage-snapshot.ts';
import { type SellingService, startSellingService } from '../adapters/http/account/selling-service.ts';
import type { Person } from '../adapters/http/dashboard/dashboard-service.ts';
import { chromium, openBrowser, plainHost, type TestBrowser } from '../support/browser.ts';
import { needing } from '../support/required-service.ts';

const hour = 3_600_000;
const day = 24 * hour;
const longText = 'Wolfeschlegelsteinhausenbergerdorff'.repeat(3);

needing(chromium.skip).describe('the overview of sellers in a browser', () => {
  let service: SellingService;
  let browser: TestBrowser;
  let ada: Person;
  let product: string;
  let license: string;
  before(async () => {
    service = await startSellingService();
    browser = await openBrowser();
    ada = await service.signedInUser({ name: 'Ada' });
    await service.product(ada, 'cup', { title: 'متجر الكعك', status: 'published', terms: { maxDomains: 9 } });
    const { id } = await service.product(ada, 'jar', {
      title: longText,
      status: 'rejected',
      thumbnail: null,
      terms: { maxDomains: 9 },
    });
    await service.product(ada, 'new', { title: 'Simple DEX', status: 'pending' });
    product = `/selling/live/products/${id}`;
    const snapshots = await service.parts.get(t.usageSnapshots);
    await takeSnapshot(snapshots, service.clock);
    const holder = { name: 'Grace Hopper', email: 'grace@example.com' };
    const keys = await service.issue('jar', { count: 2, expiresAt: service.clock.now() + 12 * day, holder });
    keys.push(...(await service.issue('cup', { count: 5 })));
    for (let step = 0; step < 6; step++) {
      for (const [n, key] of keys.entries()) {
        if (n <= step) await service.activate(key, `shop-${n}.example.com`);
        for (let count = 0; count < (step * 5) % 7; count++) await service.verify(key, `shop-${n}.example.com`);
      }
      await service.issue('cup', { count: (step % 3) + 1 });
      service.clock.advance(hour * 10);
      await takeSnapshot(snapshots, service.clock);
    }
    license = `/selling/live/licenses/${keys[0]}`;
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const check = (path: string, more: Parameters<TestBrowser['checkPage']>[1] = {}) =>
    browser.checkPage(service.url + path, { cookies: ada.browser.cookies, ...more });
  async function withPage(use: (page: Page, at: (path: string) => string) => Promise<void>) {
    const page = await browser.newPage();
    const { port } = new URL(service.url);
    try {
      for (const [name, value] of ada.browser.cookies) await page.setCookie({ name, value, domain: plainHost });
      await use(page, (path) => `http://${plainHost}:${port}${path}`);
    } finally {
      await page.close();
    }
  }

  it('has no fault for a new seller', () => check('/selling/test'));

  it('has no fault with plots, lists, and products that need something', () =>
    check('/selling/live', { complete: '.graph canvas' }));

  it('has no fault on the pages of a product and of a license, by hour and by day', async () => {
    for (const path of [`${product}?usage=24h`, `${license}?usage=90d`]) {
      await check(path, { complete: '.graph canvas' });
    }
  });

  it('draws each plot, and shows its values as a table on demand, also without script', async () => {
    await withPage(async (page, at) => {
      await page.goto(at('/selling/live'));
      await page.waitForFunction("document.querySelectorAll('.graph canvas').length === 3");
      await page.setJavaScriptEnabled(false);
      await page.goto(at('/selling/live'));
      const shown = () => page.evaluate("document.querySelector('.graph table').checkVisibility()");
      expect(await page.evaluate("document.querySelectorAll('canvas').length")).to.equal(0);
      expect(await shown()).to.equal(false);
      await page.click('.graph summary');
      expect(await shown()).to.equal(true);
    });
  });
});
