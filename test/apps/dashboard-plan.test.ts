import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { pino } from 'pino';
import type { Page } from 'puppeteer-core';
import { t } from '../../apps/wiring/tokens.ts';
import { plans } from '../../core/accounts/tier.ts';
import {
  type DashboardService,
  type Person,
  startDashboardService,
} from '../adapters/http/dashboard/dashboard-service.ts';
import { chromium, openBrowser, plainHost, type TestBrowser } from '../support/browser.ts';
import { operator } from '../support/by.ts';
import { good } from '../support/good.ts';
import { addForSale } from '../support/orders.ts';
import { payable, placeOrder } from '../support/placed-orders.ts';
import { itLong, needing } from '../support/required-service.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);
const day = 86_400_000;

/** Runs a command as a person would in a terminal. Returns the status of its answer, and the answer. */
async function typed(command: string) {
  const { stdout } = await run('sh', ['-c', `${command} --silent --write-out ' %{http_code}'`]);
  const [, body = '', status] = /^([\s\S]*) (\d{3})$/.exec(stdout) ?? [];
  return { status: Number(status), body };
}

needing(chromium.skip).describe('the pages about the plan and its API keys in a browser', () => {
  let service: DashboardService;
  let browser: TestBrowser;
  before(async () => {
    service = await startDashboardService({ ...payable, RATE_LIMIT_URL: 'memory:', RATE_LIMIT_PAGES: '1000000' });
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const userOf = async ({ email }: Person) => good(await service.accounts.find(email));
  const check = (person: Person, path: string, more = {}) =>
    browser.checkPage(service.url + path, { cookies: person.browser.cookies, ...more });
  /** Adds calls to the last days: one number for each day, the last one today. */
  const addCalls = async (person: Person, counts: readonly (readonly [calls: number, refused: number])[]) => {
    const { id } = await userOf(person);
    const now = service.clock.now();
    await (await service.parts.get(t.usageLog)).add(
      counts.map(([calls, refused], n) => {
        const at = new Date(now - (counts.length - 1 - n) * day).toISOString();
        return { userId: id, day: at.slice(0, 10) as `${number}-${number}-${number}`, calls, refused };
      }),
    );
  };
  /** Opens a page of a site without https, in a window of its own. */
  async function open(person: Person): Promise<{ page: Page; at(path: string): string; close(): Promise<void> }> {
    const page = await browser.newPage();
    const { port } = new URL(service.url);
    for (const [name, value] of person.browser.cookies) await page.setCookie({ name, value, domain: plainHost });
    return { page, at: (path) => `http://${plainHost}:${port}${path}`, close: () => page.close() };
  }
  const contentOf = (page: Page, selector: string) =>
    page.evaluate(`document.querySelector(${JSON.stringify(selector)}).value`).then(String);
  const press = (page: Page, selector: string) => Promise.all([page.waitForNavigation(), page.click(selector)]);

  it('have no fault for somebody without keys and calls', async () => {
    const ada = await service.signedInUser();
    await check(ada, '/account');
    await check(ada, '/account/keys/new');
  });

  it('have no fault where plans are sold, and one is paid', async () => {
    const [products, settings] = [await service.parts.get(t.productStore), await service.parts.get(t.siteSettings)];
    await addForSale({ products }, { slug: 'pro-plan', status: 'published', ownerId: null });
    await addForSale({ products }, { slug: 'big-plan', status: 'published', ownerId: null, price: 99_999_900 });
    good(await settings.change({ plan_pro: 'pro-plan', plan_enterprise: 'big-plan' }, operator));
    const [ada, admin] = [await service.signedInUser(), await service.signedInUser({ role: 'admin' })];
    await check(ada, '/account');
    await placeOrder(service.parts, 'pro-plan', { email: ada.email, way: 'manual' });
    await check(ada, '/account/purchases');
    await check(ada, '/account');
    await (await service.parts.get(t.soldPlans)).follow(() => true);
    await check(ada, '/account');
    await check(admin, `/admin/users/${(await userOf(ada)).id}`);
    good(await settings.change({ plan_pro: '', plan_enterprise: '' }, operator));
  });

  it('have no fault with one call', async () => {
    const ada = await service.signedInUser();
    await addCalls(ada, [[1, 0]]);
    await check(ada, '/account');
  });

  it('have no fault with many keys, long and right-to-left names, and millions of calls', async () => {
    const ada = await service.signedInUser({ name: 'آدا' });
    const user = await userOf(ada);
    const names = ['Build server', 'مفتاح الخادم', 'A name without any blank: '.repeat(3), 'x'.repeat(100)];
    const keys = [];
    for (let n = 0; n < 24; n++) {
      const name = names[n % names.length] ?? '';
      const scopes = n % 3 === 0 ? null : (['templates:read', 'marketplace:write'] as const);
      const expiresAt = n % 5 === 0 ? service.clock.now() + (n + 1) * day : null;
      keys.push(await service.keyOf(user, { name: name.trim(), mode: n % 2 ? 'test' : 'live', scopes, expiresAt }));
    }
    const [first, second, third] = keys.map(({ keyId }) => String(keyId));
    const actor = { kind: 'user', user } as const;
    good(await service.accounts.revokeKey(first ?? '', operator));
    good(await service.accounts.rotateKey(second ?? '', 3600, actor));
    await addCalls(
      ada,
      Array.from({ length: 30 }, (_, n) => [n % 7 === 0 ? 0 : n * 234_567, n % 4 === 0 ? n * 1_000 : 0] as const),
    );
    const { limit } = plans.free.allowances[0];
    for (let n = 0; n < limit; n++) await keys[3]?.get('/api/auth/me');
    await check(ada, '/account', { complete: 'meter' });
    await check(ada, `/account/keys/${third}`);
    await check(ada, `/account/keys/${second}`);
    await check(ada, `/account/keys/${third}/revoke`);
    await check(ada, `/account/keys/${third}/rotate`);
    await check(ada, `/account/keys/${first}/rotate`);
  });

  it('have no fault after a refusal, and with a new key', async () => {
    const ada = await service.signedInUser();
    await check(ada, '/account/keys/new', { send: { name: '' }, status: 422 });
    await check(ada, '/account/keys/new', { send: { name: 'CI' } });
  });

  it('draw a bar for each day, with the refused calls on top, to the scale of the axis', async () => {
    const ada = await service.signedInUser();
    await addCalls(ada, [
      [30, 10],
      [0, 0],
      [20, 0],
    ]);
    const { page, at, close } = await open(ada);
    try {
      await page.goto(at('/account'));
      const heights = await page.evaluate(`(() => {
        const svg = document.querySelector('.plot svg').getBoundingClientRect();
        return [...document.querySelectorAll('.plot g')].slice(-3).map((day) => [...day.querySelectorAll('rect')]
          .slice(1).map((bar) => Math.round(100 * bar.getBoundingClientRect().height / svg.height)));
      })()`);
      const values = await page.evaluate("document.querySelector('.plot-values').innerText.trim().split(/\\s+/)");
      expect(values).to.deep.equal(['40', '30', '20', '10', '0']);
      expect(heights).to.deep.equal([[75, 25], [], [50]]);
    } finally {
      await close();
    }
  });

  it('show fields only if a choice needs them', async () => {
    const { page, at, close } = await open(await service.signedInUser());
    const areSeen = () =>
      page.evaluate("['#until', '#scopes'].map((one) => document.querySelector(one).checkVisibility())");
    try {
      await page.goto(at('/account/keys/new'));
      expect(await areSeen()).to.deep.equal([false, false]);
      await page.select('#expiry', 'date');
      await page.click('[name=access][value=some]');
      expect(await areSeen()).to.deep.equal([true, true]);
    } finally {
      await close();
    }
  });

  it('make a key that is copied without https, works in a terminal, and stops when it is revoked', async () => {
    const ada = await service.signedInUser();
    const { page, at, close } = await open(ada);
    try {
      await page.goto(at('/account'));
      expect(await page.evaluate('isSecureContext')).to.equal(false);
      await press(page, '.empty a');
      await page.type('#name', 'Laptop');
      await press(page, '.submit > button');
      const [key, command] = [await contentOf(page, '#key'), await contentOf(page, '#call')];
      await page.click('button[aria-controls=key]');
      await page.waitForFunction("document.querySelector('button[aria-controls=key]').textContent === 'Copied'");
      const used = await typed(command);
      expect([used.status, JSON.parse(used.body).email]).to.deep.equal([200, ada.email]);

      await press(page, 'main .choices .primary');
      expect(await page.content()).to.not.include(key);
      await page.goto(at('/account/keys/new'));
      await page.focus('#name');
      await page.keyboard.down('Control');
      await page.keyboard.press('v');
      await page.keyboard.up('Control');
      expect(await contentOf(page, '#name')).to.equal(key);

      await page.goto(at('/account'));
      await press(page, '.row .danger');
      await press(page, '.submit > button');
      expect(await page.evaluate("document.querySelector('.notice').innerText")).to.match(/^The API key was revoked/);
      expect((await typed(command)).status).to.equal(401);
    } finally {
      await close();
    }
  });

  it('make one key if the page of the new key is loaded again', async () => {
    const ada = await service.signedInUser();
    const { page, at, close } = await open(ada);
    try {
      await page.goto(at('/account/keys/new'));
      await page.type('#name', 'Laptop');
      await press(page, '.submit > button');
      const key = await contentOf(page, '#key');
      await page.reload();
      expect(await page.evaluate("document.querySelector('h1').innerText")).to.equal('This form was already sent');
      expect(await page.content()).to.not.include(key);
      expect(good(await service.accounts.listKeys(ada.email, operator))).to.have.lengthOf(1);
    } finally {
      await close();
    }
  });
});

describe('a new API key', () => {
  itLong('is neither in the log nor in the files of the database', async () => {
    const folder = await makeTemporaryFolder();
    const database = folder.file('latchkey.db');
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line) => void lines.push(line) });
    try {
      await using service = await startDashboardService({ DATABASE_URL: `sqlite:${database}` }, { log });
      const { browser } = await service.signedInUser();
      const made = await browser.fill('/account/keys/new', { name: 'CI' });
      const { href = '' } = made.links.find(({ text }) => text === 'CI') ?? {};
      const again = await browser.fill(`${href.slice(href.indexOf('/account'))}/rotate`, { overlap: '0' });
      const keys = [made, again].map(({ html }) => /lk_sk_live_[0-9a-f]{32}/.exec(html)?.[0] ?? 'no key');
      expect(keys).to.not.include('no key');
      const kept = await Promise.all(
        ['', '-wal'].map((end) => readFile(`${database}${end}`, 'latin1').catch(() => '')),
      );
      const all = [...lines, ...kept].join('\n');
      expect(lines.join('\n')).to.include('/account/keys/new');
      expect(kept.join('\n')).to.include(keys[0]?.slice(0, -28));
      for (const key of keys) expect(all).to.not.include(key).and.to.not.include(key.slice(-32));
    } finally {
      await folder.remove();
    }
  });
});
