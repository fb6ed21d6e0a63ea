import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect } from 'chai';
import type { Page } from 'puppeteer-core';
import { t } from '../../apps/wiring/tokens.ts';
import {
  type DashboardService,
  goodPassword,
  startDashboardService,
} from '../adapters/http/dashboard/dashboard-service.ts';
import { chromium, openBrowser, type TestBrowser } from '../support/browser.ts';
import { good } from '../support/good.ts';
import { needing } from '../support/required-service.ts';

const token = 'a'.repeat(64);

needing(chromium.skip).describe('signing in with a browser', () => {
  let service: DashboardService;
  let browser: TestBrowser;
  before(async () => {
    service = await startDashboardService();
    browser = await openBrowser();
  });
  beforeEach(() => service.clock.advance(86_400_000));
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  /** Types into the fields of the page and sends the form by keyboard. */
  async function send(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, value] of Object.entries(fields)) await page.type(`main [name="${name}"]`, value);
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
  }
  const pathOf = (page: Page) => new URL(page.url()).pathname;
  const isShown = (page: Page, selector: string) =>
    page.evaluate(`document.querySelector('${selector}').checkVisibility()`);
  const cookieNames = async (page: Page) => (await page.browserContext().cookies()).map(({ name }) => name).sort();

  async function withPage(use: (page: Page) => Promise<void>): Promise<void> {
    const page = await browser.newPage();
    try {
      await page.browserContext().deleteCookie(...(await page.browserContext().cookies()));
      await use(page);
    } finally {
      await page.close();
    }
  }

  it('the link of the set-up fills in its code, and takes it out of the address', async () => {
    const link = await (await service.parts.get(t.signUp)).setUpToken();
    await withPage(async (page) => {
      await page.goto(`${service.url}/setup#${link}`);
      await page.waitForFunction("document.querySelector('[name=token]').value !== ''");
      expect([page.url(), await isShown(page, '[name=token]')]).to.deep.equal([`${service.url}/setup`, false]);
      await send(page, { name: 'Root', email: 'root@example.com', password: goodPassword });
      expect(pathOf(page)).to.equal('/admin');
      expect(await cookieNames(page)).to.include('session');
      expect((await service.rows('users')).map(({ email, role }) => [email, role])).to.deep.equal([
        ['root@example.com', 'admin'],
      ]);
    });
  });

  it('the letter of the sign-up leads into the account; without script, its code can be pasted', async () => {
    for (const hasScript of [true, false]) {
      const email = `script.${hasScript}@example.com`;
      await withPage(async (page) => {
        await page.setJavaScriptEnabled(hasScript);
        await page.goto(`${service.url}/sign-up`);
        await send(page, { name: 'محمد', email, password: goodPassword });
        const code = await service.tokenSent(email);
        const [{ text = '' } = {}] = await service.letters(email);
        const [address = ''] = /http\S+\/verify-email\S*/.exec(text) ?? [];
        await page.goto(address);
        expect(await isShown(page, '[name=token]')).to.equal(!hasScript);
        if (!hasScript) await page.type('[name=token]', code);
        await send(page, { password: goodPassword });
        expect(pathOf(page), email).to.equal('/account/purchases');
      });
      expect((await service.signIn(service.browser(), { email })).status).to.equal(303);
    }
  });

  it('a second factor needs the code of the app; with and without script', async () => {
    for (const hasScript of [true, false]) {
      const person = await service.secure(await service.signedInUser());
      await withPage(async (page) => {
        await page.setJavaScriptEnabled(hasScript);
        await page.goto(`${service.url}/sign-in?next=/docs`);
        await send(page, { email: person.email, password: person.password });
        expect(pathOf(page)).to.equal('/sign-in/code');
        await send(page, { code: '000000' });
        expect(await page.evaluate("document.querySelector('#code-fault').innerText")).to.match(/^This code is wrong/);
        await page.evaluate("document.querySelector('[name=code]').value = ''");
        await send(page, { code: person.nextCode() });
        expect(pathOf(page)).to.equal('/docs');
        expect(await page.evaluate("document.querySelector('header').innerText")).to.match(/Account of/);
      });
    }
  });

  it('a form that another site sends is refused, although the browser has the session; a link from there is not', async () => {
    const person = await service.signedInUser();
    const evil = createServer((_, response) => {
      response.setHeader('Content-Type', 'text/html');
      response.end(`<form method="post" action="${service.url}/sign-out"><button>Win</button></form>
        <a href="${service.url}/docs">Guides</a>`);
    }).listen(0, '127.0.0.1');
    await once(evil, 'listening');
    const address = evil.address();
    if (address === null || typeof address === 'string') throw new Error('It has no port.');
    try {
      await withPage(async (page) => {
        await page.goto(`${service.url}/sign-in`);
        await send(page, { email: person.email, password: person.password });
        for (const [element, status] of [
          ['button', 403],
          ['a', 200],
        ] as const) {
          await page.goto(`http://127.0.0.1:${address.port}/`); // Another host name is another site.
          const [answer] = await Promise.all([page.waitForNavigation(), page.click(element)]);
          expect([answer?.status(), new URL(page.url()).origin]).to.deep.equal([status, service.url]);
        }
        expect(await page.evaluate("document.querySelector('header').innerText")).to.match(/Account of/);
      });
    } finally {
      evil.closeAllConnections();
      evil.close();
    }
  });

  const wrong: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    '/setup': { token, name: '', email: 'x', password: '' },
    '/invitation': { token, name: 'Ada', password: goodPassword },
    '/sign-up': { name: 'Ada', email: 'ada@example.com', password: 'short' },
    '/verify-email': { token, password: goodPassword },
    '/forgot-password': {
      email: 'a very long text that is no address at all, without a single blank'.replaceAll(' ', '-'),
    },
    '/reset-password': { token, password: goodPassword },
    '/change-email': { token },
    '/sign-in': { email: 'ada@example.com', password: 'wrong one' },
    '/sign-in/code': { code: '000000' },
  };
  for (const [path, send] of Object.entries(wrong)) {
    it(`${path} has no fault, neither at first nor after a refusal`, async () => {
      await browser.checkPage(service.url + path);
      await browser.checkPage(service.url + path, { send, status: 422 });
    });
  }

  it('the pages that approve a program have no fault', async () => {
    const { browser: signedIn } = await service.signedInUser();
    const { cookies } = signedIn;
    const devices = await service.parts.get(t.deviceLogins);
    const asked = {
      clientName: 'latchkey on '.repeat(8),
      mode: 'live',
      scopes: ['account:read', 'orders:write'],
    } as const;
    await browser.checkPage(`${service.url}/device?code=WDJB-MJHT`, { cookies });
    await browser.checkPage(`${service.url}/device`, { cookies, send: { code: 'wrong' }, status: 422 });
    const { userCode: code } = good(await devices.start(asked, '2001:db8::/64'));
    await browser.checkPage(`${service.url}/device/approve?code=${code}`, { cookies });
    await browser.checkPage(`${service.url}/device/approve?code=${code}`, { cookies, send: { name: '' }, status: 422 });
    await signedIn.post(`/device/deny?code=${code}`, {});
    await browser.checkPage(`${service.url}/device/approve?code=${code}`, { cookies });
  });

  it('the pages after a form, the failures, and the closed sign-up have no fault', async () => {
    const { browser: signedIn } = await service.signedInUser({ role: 'admin', name: 'محمد '.repeat(20) });
    const { cookies } = signedIn;
    let letters = 0; // Each address gets three at most.
    const send = () => ({ email: `nobody${letters++}@example.com` });
    await browser.checkPage(`${service.url}/forgot-password`, { send });
    await browser.checkPage(`${service.url}/sign-out`, { status: 405 });
    await browser.checkPage(`${service.url}/account/no-such-page`, { status: 404, cookies });
    for (const path of ['/', '/docs']) await browser.checkPage(service.url + path, { cookies });
    await using closed = await startDashboardService({ SIGN_UP: 'invite' });
    await browser.checkPage(`${closed.url}/sign-up`);
  });
});
