import { expect } from 'chai';
import type { Page } from 'puppeteer-core';
import sharp from 'sharp';
import { groups } from '../../adapters/http/dashboard/settings/groups.ts';
import { t } from '../../apps/wiring/tokens.ts';
import {
  type DashboardService,
  type Person,
  startDashboardService,
} from '../adapters/http/dashboard/dashboard-service.ts';
import { chromium, openBrowser, type TestBrowser } from '../support/browser.ts';
import { operator } from '../support/by.ts';
import { good } from '../support/good.ts';
import { needing } from '../support/required-service.ts';

const longName = 'Wolfeschlegelsteinhausenbergerdorff'.repeat(4);
const longEmail = `${'long.'.repeat(10)}name@${'sub.'.repeat(12)}example.com`;

needing(chromium.skip).describe('the pages of administrators in a browser', () => {
  let service: DashboardService;
  let browser: TestBrowser;
  let admin: Person;
  /** The pages of people with a long name, and with a name from right to left. */
  let users: string[];
  before(async () => {
    service = await startDashboardService();
    browser = await openBrowser();
    admin = await service.signedInUser({ role: 'admin', name: longName, email: longEmail });
    // Writes the first letter.
    await service.signIn(service.browser({ 'User-Agent': longName }), admin);
    const person = await service.signedInUser({ name: 'أحمد بن عبد الله', email: 'ahmed@example.com' });
    const user = good(await service.accounts.find(person.email));
    await service.keyOf(user, { name: 'مفتاح' });
    const { keyId } = await service.keyOf(user, { name: longName.slice(0, 90) });
    await service.accounts.revokeKey(String(keyId), operator);
    await service.signIn(service.browser({ 'User-Agent': longName }), person);
    users = ['/admin/users/1', `/admin/users/${user.id}`];
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const check = (path: string, more: Parameters<TestBrowser['checkPage']>[1] = {}) =>
    browser.checkPage(service.url + path, { cookies: admin.browser.cookies, ...more });

  async function withPage(use: (page: Page) => Promise<void>): Promise<void> {
    const page = await browser.newPage();
    try {
      await page.setCookie(...[...admin.browser.cookies].map(([name, value]) => ({ name, value, url: service.url })));
      await use(page);
    } finally {
      await page.close();
    }
  }
  const press = (page: Page, selector: string) => Promise.all([page.waitForNavigation(), page.click(selector)]);
  const shown = async (page: Page, selector: string) =>
    String(await page.evaluate(`document.querySelector('${selector}')?.innerText ?? ''`));

  it('users have no fault', async () => {
    await check('/admin/users');
    for (const path of users) await check(path);
  });

  for (const form of ['suspend', 'reinstate', 'role', 'plan', 'selling']) {
    it(`the form ${form} has no fault`, () => check(`${users[0]}/${form}`));
  }

  it('the question before a key is revoked has no fault', async () => {
    const [, key] = await service.rows('api_keys');
    await check(`${users[1]}/keys/${key?.id}/revoke`);
  });

  it('forms that are refused have no fault', async () => {
    await check('/admin/users/invite', { send: { email: 'none' }, status: 422 });
    await check('/admin/mails/test', { send: { address: 'none' }, status: 422 });
    await check(`${users[0]}/suspend`, { send: { reason: 'x'.repeat(501) }, status: 422 });
    await check(`${users[0]}/role`, { send: { reason: 'Tired' }, status: 422 });
  });

  it('the link of an invitation has no fault', () =>
    browser.checkPage(`${service.url}/admin/users/invite`, {
      cookies: admin.browser.cookies,
      send: { email: longEmail.replace('long', 'invited') },
    }));

  it('the audit trail, mails and the system have no fault', async () => {
    for (const path of ['/admin/audit', '/admin/mails', '/admin/mails/1', '/admin/mails/test', '/admin/system']) {
      await check(path);
    }
  });

  const settingPages = ['', ...Object.keys(groups).map((group) => `/${group}`)].map((path) => `/admin/settings${path}`);

  /** Does the work while all texts of the site are set. */
  async function withSettings(work: () => Promise<void>): Promise<void> {
    const settings = await service.parts.get(t.siteSettings);
    const logo = await sharp({ create: { width: 512, height: 112, channels: 3, background: '#8a1c1c' } })
      .webp()
      .toBuffer();
    const wanted = {
      logo: `data:image/webp;base64,${logo.toString('base64')}`,
      site_name: longName.slice(0, 60),
      description: 'متجر. '.repeat(20),
      accent: '#8a1c1c',
      footer_links: `${longName.slice(0, 40)} https://example.com/a\nHelp https://example.com/b`,
      terms: `# Terms\n\n${longName.repeat(3)}\n\n| a | b | c |\n|---|---|---|\n| ${longName} | ${longName} | x |\n\n> متجر`,
      imprint: 'Ada',
    };
    good(await settings.change(wanted, operator));
    try {
      await work();
    } finally {
      const nothing = Object.fromEntries(Object.keys(wanted).map((name) => [name, '']));
      good(await settings.change({ ...nothing, site_name: 'Latchkey' }, operator));
    }
  }

  it('the settings have no fault when nothing is set', async () => {
    for (const path of settingPages) await check(path);
  });

  it('the settings have no fault when all is set', () =>
    withSettings(async () => {
      for (const path of settingPages) await check(path);
    }));

  it('the pages that the settings change have no fault, nor do refused settings', () =>
    withSettings(async () => {
      for (const path of ['/', '/docs/selling', '/account', '/terms', '/imprint']) await check(path);
      await check('/admin/settings/appearance', { send: { site_name: '', accent: '#ffff00' }, status: 422 });
      await check('/admin/settings/mail', { send: { mail_server: 'x', mail_from: longName }, status: 422 });
    }));

  it('the launch checklist has no fault', async () => {
    await check('/admin');
  });

  it('an administrator sets the name and the accent colour, also without script', async () => {
    for (const [hasScript, name, accent] of [
      [true, 'Acme', '#8a1c1c'],
      [false, 'Bolt', '#1c4f8a'],
    ] as const) {
      await withPage(async (page) => {
        await page.setJavaScriptEnabled(hasScript);
        await page.goto(`${service.url}/admin/settings`);
        await press(page, 'a[href$="settings/appearance"]');
        for (const [field, text] of [
          ['#site_name', name],
          ['#accent', accent],
        ] as const) {
          await page.click(field, { count: 3 });
          await page.type(field, text);
        }
        await press(page, '.form button');
        expect(await shown(page, '[role=status]')).to.include('The settings are saved.');
        expect(await shown(page, '.brand')).to.equal(name);
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
        const color = await page.evaluate(
          "Object.assign(document.body.appendChild(document.createElement('i')), { className: 'probe' }) && " +
            "(document.querySelector('.probe').style.color = 'var(--accent)', getComputedStyle(document.querySelector('.probe')).color)",
        );
        const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(accent.slice(at, at + 2), 16));
        expect(color).to.equal(`rgb(${red}, ${green}, ${blue})`);
      });
    }
  });

  it('lists without entries, refusals and unknown things have no fault', async () => {
    for (const list of ['users?search=zzz', 'audit?subject=zzz', 'mails?address=zzz']) await check(`/admin/${list}`);
    await check('/admin/users/999999', { status: 404 });
    const { browser: plain } = await service.signedInUser();
    await check('/admin/users', { status: 403, cookies: plain.cookies });
  });

  it('long lists have no fault, and their pages lead on', async () => {
    for (let n = 0; n < 60; n++) await service.account('pro');
    for (const list of ['users', 'audit']) await check(`/admin/${list}`);
    await withPage(async (page) => {
      await page.goto(`${service.url}/admin/users?tier=pro`);
      await press(page, '.paging a[rel=next]');
      expect(await page.evaluate("document.querySelectorAll('tbody tr').length")).to.equal(10);
      expect(await page.evaluate("document.querySelector('#tier').value")).to.equal('pro');
    });
  });

  it('an administrator finds a user, suspends them, and their key is refused; also without script', async () => {
    for (const hasScript of [true, false]) {
      const account = await service.account();
      const { name, email } = account.user;
      expect((await account.send('/api/auth/me')).status).to.equal(200);
      await withPage(async (page) => {
        await page.setJavaScriptEnabled(hasScript);
        await page.goto(`${service.url}/admin/users`);
        await page.type('#search', email);
        await press(page, '.filter button');
        await press(page, 'tbody a');
        expect(await shown(page, 'h1')).to.equal(name);
        await press(page, '.title .button.danger');
        await page.type('#reason', 'Chargeback');
        await press(page, '.form button');
        expect(await shown(page, '[role=status]')).to.equal('The user is suspended.');
        expect((await account.send('/api/auth/me')).status).to.equal(401);
        await press(page, '.panel .choices a');
        expect(await shown(page, 'tbody tr'))
          .to.include('User suspended')
          .and.to.include('Reason: Chargeback');
      });
    }
  });

  it('the link of an invitation is copied by its button, and opens an account', async () => {
    await withPage(async (page) => {
      await page.browserContext().overridePermissions(service.url, ['clipboard-read', 'clipboard-write']);
      await page.goto(`${service.url}/admin/users/invite`);
      await page.type('#email', 'guest@example.com');
      await page.click('[name=deliver][value=return]');
      await press(page, '.form button');
      await page.click('.secret button');
      await page.waitForFunction("document.querySelector('.secret button').textContent === 'Copied'");
      const link = String(await page.evaluate('navigator.clipboard.readText()'));
      await page.goto(link);
      expect(await shown(page, 'h1')).to.equal('Welcome');
    });
  });
});
