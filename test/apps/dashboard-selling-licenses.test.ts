import { expect } from 'chai';
import type { Page } from 'puppeteer-core';
import { t } from '../../apps/wiring/tokens.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import { type SellingService, startSellingService } from '../adapters/http/account/selling-service.ts';
import type { Person } from '../adapters/http/dashboard/dashboard-service.ts';
import { chromium, openBrowser, plainHost, type TestBrowser } from '../support/browser.ts';
import { operator } from '../support/by.ts';
import { good } from '../support/good.ts';
import { domain } from '../support/license-acts.ts';
import { needing } from '../support/required-service.ts';

const list = '/selling/live/licenses';
const longHost = `${'a-long-name-of-a-host.'.repeat(6)}example.com`;
const longText = 'Wolfeschlegelsteinhausenbergerdorff'.repeat(3);

needing(chromium.skip).describe('the pages about licenses in a browser', () => {
  let service: SellingService;
  let browser: TestBrowser;
  let ada: Person;
  let admin: Person;
  let license: LicenseKey;
  let revoked: LicenseKey;
  before(async () => {
    service = await startSellingService();
    browser = await openBrowser();
    ada = await service.signedInUser({ name: longText.slice(0, 100) });
    admin = await service.signedInUser({ role: 'admin' });
    await service.product(ada, 'jar', {
      title: longText,
      thumbnail: null,
      terms: {
        maxDomains: 3,
        duration: { days: 365, from: 'issue' },
        hosts: { localHostsAreFree: true, previewHosts: ['*.vercel.app'], wwwIsApex: false },
      },
    });
    await service.product(ada, 'trial', {
      title: 'متجر الكعك',
      terms: { duration: { days: 30, from: 'first_activation' } },
    });
    const holder = { name: 'عبد الرحمن بن عوف', email: `${'long.'.repeat(10)}name@${'sub.'.repeat(12)}example.com` };
    license = await service.license('jar', {
      holder,
      reference: longText,
      metadata: { [longText.slice(0, 40)]: longText, نوع: 'ذهبي', lines: 'one\ntwo' },
    });
    await service.license('trial', { maxDomains: 1_000_000, holder: { name: longText.slice(0, 120), email: null } });
    revoked = await service.license('jar');
    const seller = { actor: operator, mode: 'live' } as const;
    good(await (await service.parts.get(t.sellerLicenses)).transit(revoked, 'revoke', seller));
    for (const host of ['shop.example.com', longHost, 'localhost', 'pr-7.vercel.app']) {
      await service.activate(license, host);
    }
    const move = { from: domain('shop.example.com'), to: domain('store.example.com'), overlapHours: 24 };
    good(await (await service.parts.get(t.sellerLicenses)).domains.move(license, move, seller));
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const check = (path: string, more: Parameters<TestBrowser['checkPage']>[1] = {}, person = ada) =>
    browser.checkPage(service.url + path, { cookies: person.browser.cookies, ...more });
  /** Opens pages in a window of its own, without https. */
  async function withPage(person: Person, use: (page: Page, at: (path: string) => string) => Promise<void>) {
    const page = await browser.newPage();
    const { port } = new URL(service.url);
    try {
      for (const [name, value] of person.browser.cookies) await page.setCookie({ name, value, domain: plainHost });
      await use(page, (path) => `http://${plainHost}:${port}${path}`);
    } finally {
      await page.close();
    }
  }
  const press = (page: Page, selector: string) => Promise.all([page.waitForNavigation(), page.click(selector)]);
  const textOf = async (page: Page, selector = 'main') =>
    String(await page.evaluate(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? ''`));

  it('lists have no fault: full, filtered, without licenses, of test data, and of all sellers', async () => {
    const stranger = await service.signedInUser();
    await check(list);
    await check(`${list}?q=${license}&sort=expires`);
    await check(list, {}, stranger);
    await check('/selling/test/licenses');
    await check('/admin/licenses', {}, admin);
  });

  it('foreign domains have no fault, on the pages of the license and of its product', async () => {
    const counter = await service.parts.get(t.strayCounter);
    const now = service.clock.now();
    for (let n = 0; n < 48; n++) {
      const host = n === 0 ? `${'a'.repeat(60)}.${'b'.repeat(60)}-copy.example` : `copy-${n}.example`;
      for (let calls = 0; calls <= n * n; calls++) counter.note(license, host, `network ${n % 6}`, now);
    }
    await (await service.parts.get(t.storeStrays))(() => true);
    const product = (await service.licenseNow(license)).product.id;
    await check(`${list}/${license}`);
    await check(`/selling/live/products/${product}`);
    await withPage(ada, async (page, at) => {
      await page.goto(at(`/selling/live/products/${product}`));
      await press(page, '#strays td a');
      expect(await textOf(page, '#strays tbody tr')).to.match(/copy-47\.example.*2,210/s);
      await press(page, '#strays .button');
      expect(page.url()).to.match(/\/rotate$/);
    });
  });

  it('the form for new licenses has no fault, also after a refusal and without products', async () => {
    const stranger = await service.signedInUser();
    await check(`${list}/new`);
    await check(`${list}/new`, { send: { metadata: 'wrong', count: 'x' }, status: 422 });
    await check(`${list}/new`, { send: { product: 'trial', count: '30' } });
    await check(`${list}/new`, {}, stranger);
  });

  it('a license has no fault, with an explanation, and for an administrator', async () => {
    await check(`${list}/${license}?domain=stor.example.com`);
    await check(`${list}/${license}?domain=${longHost}`);
    await check(`${list}/${revoked}`, {}, admin);
  });

  for (const act of ['suspend', 'revoke', 'renew', 'edit', 'domains/store.example.com/move']) {
    it(`the page ${act} has no fault`, () => check(`${list}/${license}/${act}`));
  }

  it('a test license whose clock was set, and the page that sets it, have no fault', async () => {
    await service.product(ada, 'test-jar', { title: longText, isLive: false });
    const key = await service.license('test-jar', { expiresAt: service.clock.now() + 86_400_000 }, 'test');
    const address = `/selling/test/licenses/${key}`;
    await check(`${address}/clock`);
    await check(`${address}/clock`, { send: { days: 'x', answer: '' }, status: 422 });
    const wish = { advance: { months: 0, milliseconds: 3_660 * 86_400_000 }, forced: '429' } as const;
    const seller = { actor: operator, mode: 'test' } as const;
    good(await (await service.parts.get(t.sellerLicenses)).setClock(key, wish, seller));
    await check(address);
    await check(`${address}/clock`);
    await check(`${list}/${license}/clock`);
  });

  it('the pages about a domain with a long name, and about an act that is not possible, have no fault', async () => {
    await check(`${list}/${license}/domains/${longHost}/remove`);
    await check(`${list}/${revoked}/suspend`);
    await check(`${list}/${license}/domains/${longHost}/move`, { send: { to: '' }, status: 422 });
  });

  it('the pages for many licenses have no fault', async () => {
    const address = `${list}/bulk?action=reinstate`;
    await check(address);
    await withPage(ada, async (page, at) => {
      await page.goto(at(`${list}?q=${revoked}`));
      await page.setViewport({ width: 1280, height: 900 });
      const position = () => page.evaluate("getComputedStyle(document.querySelector('.bulk')).position");
      expect(await position(), 'the bar covers no row before anything is selected').to.equal('static');
      await page.evaluate("document.querySelector('input[name=key]').click()");
      expect(await position()).to.equal('sticky');
      await page.waitForFunction("document.querySelector('.bulk output').innerText === '1 selected'");
      await press(page, 'button[value=reinstate]');
      expect(new URL(page.url()).search).to.equal('');
      expect(await browser.faultsOn(page)).to.equal('');
      await press(page, 'main .form .submit button');
      expect(await browser.faultsOn(page)).to.equal('');
    });
  });

  it('lead a seller from issue to renewal, while a site uses the license', async () => {
    await withPage(ada, async (page, at) => {
      await page.goto(at(`${list}/new`));
      await page.select('#product', 'jar');
      await page.type('#name', 'Grace');
      await press(page, 'main .form .primary');
      const key = String(await page.evaluate("document.querySelector('#keys').value"));
      await page.click('button[aria-controls=keys]');
      await page.waitForFunction("document.querySelector('button[aria-controls=keys]').textContent === 'Copied'");
      expect((await service.activate(key, 'shop.example.org')).status).to.equal(200);

      await page.goto(at(`${list}?q=grace`));
      await press(page, `#${key}`);
      await page.type('#domain', 'https://sohp.example.org/');
      await press(page, '#explain button');
      expect(await textOf(page, '.verdict')).to.include('Not valid.');
      expect(await textOf(page, '#explain')).to.include('shop.example.org perhaps a typing mistake');

      const isOpen = () => page.evaluate("document.querySelector('#domains .row-menu').matches(':popover-open')");
      await page.focus('#domains .row-opener');
      await page.keyboard.press('Enter');
      expect(await isOpen()).to.equal(true);
      await page.keyboard.press('Escape');
      expect(await isOpen()).to.equal(false);
      // By script, because the header of the page can cover what a test scrolls to.
      await Promise.all([
        page.waitForNavigation(),
        page.evaluate("document.querySelector('#domains .row-acts a').click()"),
      ]);
      await page.type('#to', 'store.example.org');
      await press(page, 'main .form .primary');
      expect(await textOf(page, '.notice')).to.equal('The domain is moved.');
      expect(await textOf(page, '#domains')).to.include('Moving to store.example.org');
      const valid = async (host: string) => (await service.verify(key, host)).body.valid;
      expect([await valid('shop.example.org'), await valid('store.example.org')]).to.deep.equal([true, true]);

      await page.goto(at(`${list}/${key}/suspend`));
      await page.type('#reason', 'Not paid');
      await press(page, 'main .form .danger');
      expect(await textOf(page, '#history')).to.include('Not paid');
      expect(await valid('store.example.org')).to.equal(false);
      await page.goto(at(`${list}/${key}/reinstate`));
      await press(page, 'main .form .primary');

      await page.goto(at(`${list}/${key}/renew`));
      expect(await page.evaluate("document.querySelector('#until').checkVisibility()")).to.equal(false);
      await page.select('#expiry', 'never');
      await press(page, 'main .form .primary');
      expect(await textOf(page)).to.match(/Expires\s+Never/);
      expect(await valid('store.example.org')).to.equal(true);
    });
  });

  it('copy a key of the list, and select all licenses on a page', async () => {
    await withPage(ada, async (page, at) => {
      await page.goto(at(`${list}?product=jar`));
      await page.click(`button[aria-controls="${license}"]`);
      await page.waitForFunction(
        `document.querySelector('button[aria-controls="${license}"]').textContent === 'Copied'`,
      );
      await page.focus('#q');
      await page.keyboard.down('Control');
      await page.keyboard.press('v');
      await page.keyboard.up('Control');
      expect(await page.evaluate("document.querySelector('#q').value")).to.equal(license);
      const counts = () =>
        page.evaluate("['', ':checked'].map((one) => document.querySelectorAll('[name=key]' + one).length)");
      await page.click('[data-select-all]');
      const [all, checked] = (await counts()) as number[];
      expect(checked).to.equal(all).and.to.be.greaterThan(2);
      await page.click('[data-select-all]');
      expect(await counts()).to.deep.equal([all, 0]);
    });
  });

  it('change many licenses without scripts', async () => {
    await service.product(ada, 'bulk', { title: 'Bulk' });
    const keys = await service.issue('bulk', { count: 3 });
    await withPage(ada, async (page, at) => {
      await page.setJavaScriptEnabled(false);
      await page.goto(at(`${list}?product=bulk`));
      for (const key of keys.slice(0, 2)) await page.click(`input[value="${key}"]`);
      await press(page, 'button[value=suspend]');
      expect(await textOf(page, 'h1')).to.equal('Suspend 2 licenses?');
      await press(page, 'main .form .danger');
      expect(await textOf(page, 'h1')).to.equal('2 licenses suspended');
      const statuses = await Promise.all(keys.map(async (key) => (await service.licenseNow(key)).status));
      expect(statuses.sort()).to.deep.equal(['active', 'suspended', 'suspended']);
    });
  });

  it('download the new keys as a text', async () => {
    await withPage(ada, async (page, at) => {
      await page.goto(at(`${list}/new`));
      await page.select('#product', 'jar');
      await press(page, 'main .form .primary');
      const session = await page.createCDPSession();
      await session.send('Browser.setDownloadBehavior', { behavior: 'deny', eventsEnabled: true });
      const begun = new Promise<string>((resolve) => {
        session.on('Browser.downloadWillBegin', ({ suggestedFilename }) => resolve(suggestedFilename));
      });
      await page.click('a[download]');
      expect(await begun).to.equal('licenses.txt');
    });
  });
});
