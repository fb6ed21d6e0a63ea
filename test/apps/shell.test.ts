import { expect } from 'chai';
import type { Page } from 'puppeteer-core';
import {
  type DashboardService,
  type Person,
  startDashboardService,
} from '../adapters/http/dashboard/dashboard-service.ts';
import { chromium, openBrowser, type TestBrowser } from '../support/browser.ts';
import { needing } from '../support/required-service.ts';

/** The pages that each begin with another kind of content. */
const paths = ['/selling/live', '/selling/live/licenses', '/account', '/admin/users', '/marketplace', '/docs'];

needing(chromium.skip).describe('the shell of pages in a browser', () => {
  let service: DashboardService;
  let browser: TestBrowser;
  let admin: Person;
  before(async () => {
    service = await startDashboardService({ RATE_LIMIT_PAGES: '1000000' });
    admin = await service.signedInUser({ role: 'admin' });
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  async function open(width: number, { hasScript = true } = {}): Promise<Page> {
    const page = await browser.newPage();
    const { hostname: domain } = new URL(service.url);
    for (const [name, value] of admin.browser.cookies) await page.setCookie({ name, value, domain });
    await page.setJavaScriptEnabled(hasScript);
    await page.setViewport({ width, height: 844 });
    return page;
  }

  it('on a phone, the header is one line, and the content begins above 200 px', async () => {
    const page = await open(390);
    try {
      for (const path of paths) {
        await page.goto(service.url + path);
        const [header, heading] = (await page.evaluate(
          "['body > header', 'h1'].map((one) => document.querySelector(one).getBoundingClientRect()).map((one) => [one.height, one.top])",
        )) as [number, number][];
        expect(header?.[0], path).to.be.below(64);
        expect(heading?.[1], path).to.be.below(200);
      }
    } finally {
      await page.close();
    }
  });

  it('nothing moves when the font has come', async () => {
    const page = await open(1280);
    try {
      await page.evaluateOnNewDocument(
        'window.moved = 0; new PerformanceObserver((list) => { for (const one of list.getEntries()) window.moved += one.value; }).observe({ type: "layout-shift", buffered: true });',
      );
      for (const path of paths) {
        await page.goto(service.url + path, { waitUntil: 'load' });
        expect(await page.evaluate('document.fonts.ready.then(() => window.moved)'), path).to.be.below(0.02);
      }
    } finally {
      await page.close();
    }
  });

  it('the menus open and close by keyboard, without scripts', async () => {
    const page = await open(390, { hasScript: false });
    const shown = (id: string) => page.evaluate(`document.getElementById('${id}').matches(':popover-open')`);
    try {
      await page.goto(`${service.url}/selling/live`);
      for (const id of ['account-menu', 'navigation']) {
        expect(await shown(id), id).to.equal(false);
        await page.focus(`[popovertarget="${id}"]`);
        await page.keyboard.press('Enter');
        expect(await shown(id), id).to.equal(true);
        await page.keyboard.press('Escape');
        expect(await shown(id), id).to.equal(false);
      }
    } finally {
      await page.close();
    }
  });

  it('the menus have no fault, in light and dark', async () => {
    const page = await open(390);
    try {
      for (const value of ['light', 'dark']) {
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
        for (const id of ['account-menu', 'navigation']) {
          await page.goto(`${service.url}/selling/live`);
          await page.click(`[popovertarget="${id}"]`);
          expect(await browser.faultsOn(page), `${id}, ${value}`).to.equal('');
        }
      }
    } finally {
      await page.close();
    }
  });

  it('Ctrl-K finds a page of the navigation by its name', async () => {
    const page = await open(1280);
    const isOpen = () => page.evaluate("document.querySelector('dialog.palette')?.open ?? false");
    const control = async () => {
      await page.keyboard.down('Control');
      await page.keyboard.press('k');
      await page.keyboard.up('Control');
    };
    try {
      await page.goto(`${service.url}/selling/live`);
      await page.waitForSelector('button[data-find]:not([hidden])');
      await control();
      expect(await isOpen()).to.equal(true);
      expect(await browser.faultsOn(page)).to.equal('');
      await page.keyboard.type('nothing has this name');
      expect(await page.evaluate("document.querySelector('.palette').innerText.trim()")).to.equal(
        'No page has this name.',
      );
      await page.keyboard.press('Escape');
      if (await isOpen()) await page.keyboard.press('Escape'); // The first one empties the field.
      expect(await isOpen()).to.equal(false);
      await page.click('button[data-find]');
      await page.keyboard.type('Licen');
      await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
      expect(new URL(page.url()).pathname).to.equal('/selling/live/licenses');
    } finally {
      await page.close();
    }
  });

  it('one signs out from the menu of the account, without scripts', async () => {
    const page = await open(1280, { hasScript: false });
    try {
      await page.goto(`${service.url}/selling/live`);
      await page.click('[popovertarget="account-menu"]');
      await Promise.all([page.waitForNavigation(), page.click('#account-menu button')]);
      expect(new URL(page.url()).pathname).to.equal('/sign-in');
      await page.goto(`${service.url}/marketplace`);
      expect(await page.$('[popovertarget="account-menu"]')).to.equal(null);
    } finally {
      await page.close();
    }
  });
});
