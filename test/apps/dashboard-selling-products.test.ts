import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { ElementHandle, Page } from 'puppeteer-core';
import {
  type DashboardService,
  type Person,
  startDashboardService,
} from '../adapters/http/dashboard/dashboard-service.ts';
import { chromium, openBrowser, type TestBrowser } from '../support/browser.ts';
import { operator } from '../support/by.ts';
import { good } from '../support/good.ts';
import { needing } from '../support/required-service.ts';
import { fileOf, pngOf, zipOf } from '../support/samples.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

const description =
  '# Fast\n\nSwap **anything**.\n\n- one\n- [two](https://example.com)\n\n|a|b|\n|-|-|\n|1|2|\n\nمرحبا بالعالم';
const typed = { title: 'Swap', tagline: 'Swap anything', description, price: '49.90', module: 'dapp' };

needing(chromium.skip).describe('the pages about products in a browser', () => {
  let service: DashboardService;
  let browser: TestBrowser;
  let folder: TemporaryFolder;
  let zip: string;
  let png: string;
  before(async () => {
    service = await startDashboardService({ RATE_LIMIT_URL: 'memory:', RATE_LIMIT_PAGES: '1000000' });
    browser = await openBrowser();
    folder = await makeTemporaryFolder();
    [zip, png] = [folder.file('product.zip'), folder.file('thumbnail.png')];
    await writeFile(zip, await zipOf());
    await writeFile(png, pngOf(600, 400));
  });
  after(async () => {
    await browser?.close();
    await service?.close();
    await folder?.remove();
  });

  const check = (person: Person, path: string, more = {}) =>
    browser.checkPage(service.url + path, { cookies: person.browser.cookies, ...more });
  /** Makes a product by the form, without a browser. Returns its id. */
  async function made(person: Person, fields = {}, mode = 'live'): Promise<string> {
    const file = (bytes: Uint8Array, name: string) => new File([new Uint8Array(bytes)], name);
    const files = { product_zip: file(await zipOf(), 'p.zip'), thumbnail: file(pngOf(600, 400), 't.png') };
    const answer = await person.browser.fill(`/selling/${mode}/products/new`, { ...typed, ...files, ...fields });
    await person.browser.follow(answer);
    return (answer.location ?? '').split('/').at(-1) ?? '';
  }
  /** Runs a journey in a window of its own. */
  async function as(
    person: Person,
    go: (page: Page, at: (path: string) => Promise<unknown>) => Promise<void>,
    expected = /status of 422/,
  ) {
    const page = await browser.newPage();
    const faults: string[] = [];
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    page.on('pageerror', (error) => faults.push(String(error)));
    try {
      for (const [name, value] of person.browser.cookies) await page.setCookie({ name, value, url: service.url });
      await go(page, (path) => page.goto(service.url + path));
      expect(faults.filter((fault) => !expected.test(fault))).to.deep.equal([]);
    } finally {
      await page.close();
    }
  }
  const press = (page: Page, selector: string) => Promise.all([page.waitForNavigation(), page.click(selector)]);
  const textOf = (page: Page, selector = 'main') =>
    page.evaluate(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? ''`).then(String);
  async function fill(page: Page, fields: Readonly<Record<string, string>>) {
    for (const [name, value] of Object.entries(fields)) {
      await page.evaluate(`(() => {
        const field = document.getElementById(${JSON.stringify(name)});
        field.value = ${JSON.stringify(value)};
        field.dispatchEvent(new Event('input', { bubbles: true }));
      })()`);
    }
  }
  async function choose(page: Page, selector: string, path: string) {
    const input = (await page.$(`input[type=file]${selector}`)) as ElementHandle<HTMLInputElement> | null;
    await input?.uploadFile(path);
  }

  it('have no fault for a seller without products', async () => {
    const ada = await service.signedInUser();
    for (const mode of ['live', 'test']) await check(ada, `/selling/${mode}/products`);
    await check(ada, '/selling/live/products/new');
    await check(ada, '/selling/live/products?q=nothing');
  });

  it('have no fault for sellers with products in every state, with long and right-to-left titles', async () => {
    const [ada, root] = [await service.signedInUser(), await service.signedInUser({ role: 'admin' })];
    const titles = ['متجر لامركزي للرموز', 'x'.repeat(120), 'A long title with many words '.repeat(4).trim(), '交易所'];
    const [first = '', second = '', third = '', fourth = ''] = await Promise.all(
      titles.map((title) => made(ada, { title, seller_name: 'آدا', preview_hosts: '*.vercel.app' })),
    );
    const reason = 'Long reason without blanks: '.concat('x'.repeat(200));
    const actor = { kind: 'user', user: (await root.me()).login, reason } as const;
    good(await service.products.change(first, 'approve', operator));
    good(await service.products.change(second, 'reject', actor));
    good(await service.products.change(third, 'archive', operator));
    await check(ada, '/selling/live/products');
    for (const id of [first, second, third, fourth]) await check(ada, `/selling/live/products/${id}`);
    for (const page of [
      'edit',
      'lemonsqueezy',
      'edd',
      'gumroad',
      'slm',
      'versions/new',
      'versions/1/delete',
      'thumbnail',
      'archive',
    ]) {
      await check(ada, `/selling/live/products/${fourth}/${page}`);
    }
    for (const page of [`products/${first}`, `products/${second}`, `products/${fourth}`, `products/${fourth}/reject`]) {
      await check(root, `/admin/${page}`);
    }
    for (const page of ['products', 'moderation', 'moderation?mode=test']) await check(root, `/admin/${page}`);
  });

  it('have pairs of fields that stand side by side, whatever hints and messages they have', async () => {
    const ada = await service.signedInUser();
    const id = await made(ada, { module: 'dapp' });
    await as(ada, async (page, at) => {
      await page.setViewport({ width: 1280, height: 900 });
      await at(`/selling/live/products/${id}/edit`);
      await fill(page, { variant: 'x'.repeat(60) });
      await press(page, 'main .submit [type=submit]');
      expect(await textOf(page, '#variant-fault')).to.include('at most 50 characters');
      const tops = (await page.evaluate(`[...document.querySelectorAll('.pair')].map((pair) =>
        ['label', ':is(input, select)'].map((name) => [...pair.querySelectorAll('.field > ' + name)].filter((one) => one.getClientRects().length > 0).map((one) =>
          Math.round(one.getBoundingClientRect().top))))`)) as number[][][];
      expect(tops).to.not.have.lengthOf(0);
      for (const heights of tops.flat()) expect(new Set(heights).size, JSON.stringify(tops)).to.equal(1);
    });
  });

  it('have no fault for the page of a seller, empty and with products, and for its form', async () => {
    const ada = await service.signedInUser({ name: 'Ada' });
    const form = '/selling/live/products/seller-page';
    await check(ada, form);
    await check(ada, form, { send: { slug: '!' }, status: 422 });
    const about = `${'محفظة 钱包 '.repeat(20)}\n\n# Long\n\n${'x'.repeat(300)}\n\n- [Site](https://example.com)\n- two`;
    await ada.browser.fill(form, { name: `آدا ${'y'.repeat(70)}`, slug: 'ada-lovelace', about });
    await check(ada, '/sellers/ada-lovelace');
    const id = await made(ada, {
      title: 'x'.repeat(120),
      demo: 'https://demo.example.com',
      video: `https://v.example/${'v'.repeat(300)}`,
    });
    good(await service.products.change(id, 'approve', operator));
    await check(ada, '/sellers/ada-lovelace');
    await check(ada, form);
    await check(ada, `/selling/live/products/${id}`);
    const { slug } = good(await service.products.find(id, operator));
    await check(ada, `/selling/live/products/${id}/pictures/new`);
    for (let n = 1; n <= 8; n++) {
      await check(ada, `/marketplace/${slug}`);
      const alt = n % 2 ? 'محفظة' : 'long '.repeat(40).trim();
      await ada.browser.fill(`/selling/live/products/${id}/pictures/new`, {
        alt,
        picture: fileOf(pngOf(600, 400), 'a.png'),
      });
      if (n === 1) await check(ada, `/selling/live/products/${id}`);
      if (n === 1) n = 7;
    }
    await check(ada, `/marketplace/${slug}`);
    await check(ada, `/selling/live/products/${id}`);
  });

  it('have no fault for offers, one and many, with long and right-to-left names', async () => {
    const ada = await service.signedInUser();
    const id = await made(ada);
    const path = `/selling/live/products/${id}`;
    await check(ada, `${path}/offers/new`);
    await check(ada, `${path}/offers/new`, {
      send: { name: '', price: 'x', duration: 'issue', days: '0' },
      status: 422,
    });
    const long = { max_domains: '1000000', duration: 'first_activation', days: '36500', updates_months: '1200' };
    const codes = Array.from({ length: 20 }, (_, n) => `${n}-${'x'.repeat(36)}`).join(' ');
    const all = [
      { name: 'Solo', price: '0' },
      { name: 'x'.repeat(60), ...long },
      { name: 'فريق', entitlements: codes },
    ];
    for (const fields of all) {
      await ada.browser.fill(`${path}/offers/new`, { price: '9999999.99', ...fields });
      await check(ada, path);
    }
    await ada.browser.fill(`${path}/offers/solo/edit`, { listed: [] });
    await check(ada, path);
    await check(ada, `${path}/offers/solo/edit`);
    await check(await service.signedInUser({ role: 'admin' }), `/admin/products/${id}`);
    await check(ada, `${path}/offers/solo/remove`);
    good(await service.products.change(id, 'approve', operator));
    const { slug } = good(await service.products.find(id, operator));
    await check(ada, `/marketplace/${slug}`);
    await check(ada, '/marketplace');
  });

  it('show what buyers will read of an offer, in a window of its own', async () => {
    const ada = await service.signedInUser();
    const id = await made(ada);
    await as(ada, async (page, at) => {
      await at(`/selling/live/products/${id}/offers/new`);
      await fill(page, { name: 'Team', price: '149', max_domains: '5', updates_months: '12' });
      const opened = new Promise<Page | null>((resolve) => page.once('popup', resolve));
      await page.click('button[formaction]');
      const preview = await opened;
      await preview?.waitForSelector('main');
      expect(preview && (await textOf(preview))).to.include('$149.00 once. Works on 5 domains. Valid for ever.');
      await preview?.close();
      await page.bringToFront();
      await press(page, 'form.form button.primary');
      expect(await textOf(page)).to.include('$149.00 once. Works on 5 domains.');
    });
  });

  it('have no fault after a refusal', async () => {
    const root = await service.signedInUser({ role: 'admin' });
    const id = await made(root);
    await check(root, `/admin/products/${id}/reject`, { send: { reason: '' }, status: 422 });
  });

  it('show a preview while somebody types', async () => {
    await as(await service.signedInUser(), async (page, at) => {
      await at('/selling/live/products/new');
      expect(await page.evaluate("document.querySelector('.preview').checkVisibility()")).to.equal(false);
      await fill(page, { description: '# Hello\n\n<b>you</b>' });
      await page.waitForFunction("document.querySelector('.preview h2')?.innerText === 'Hello'");
      expect(await textOf(page, '.preview')).to.include('<b>you</b>');
      expect(await page.evaluate("document.querySelector('.if-no-script').checkVisibility()")).to.equal(false);
    });
  });

  it('keep the chosen files after a refusal, and show the progress of an upload', async () => {
    await as(await service.signedInUser(), async (page, at) => {
      await at('/selling/live/products/new');
      await fill(page, { ...typed, title: '' });
      await choose(page, '[name=product_zip]', zip);
      await choose(page, '[name=thumbnail]', png);
      await page.evaluate(`new MutationObserver(() => {
        window.sawProgress ||= document.querySelector('progress') !== null;
      }).observe(document.body, { childList: true, subtree: true })`);
      await page.click('main .form .submit button');
      await page.waitForSelector('.faults');
      expect(await textOf(page, '.faults')).to.include('Enter a title.');
      expect(await page.evaluate('window.sawProgress')).to.equal(true);
      const names = "[...document.querySelectorAll('input[type=file]')].map(({ files }) => files[0]?.name)";
      expect(await page.evaluate(names)).to.deep.equal(['product.zip', 'thumbnail.png']);
      await page.waitForFunction("document.querySelector('.preview h2')?.innerText === 'Fast'");
      await fill(page, { title: 'Swap again' });
      await press(page, 'main .form .submit button');
      expect(await textOf(page, 'h1')).to.equal('Swap again');
      expect(await textOf(page, '.notice')).to.match(/^Your product is submitted/);
    });
  });

  for (const hasScript of [true, false]) {
    it(`say how large a zip may be, ${hasScript ? 'before it is sent, with' : 'after it was sent, without'} script`, async () => {
      const small = await startDashboardService({ MAX_ZIP_SIZE: String(1024 ** 2) });
      const page = await browser.newPage();
      try {
        const { browser: person } = await small.signedInUser();
        for (const [name, value] of person.cookies) await page.setCookie({ name, value, url: small.url });
        await page.setJavaScriptEnabled(hasScript);
        await page.goto(`${small.url}/selling/live/products/new`);
        const large = folder.file('large.zip');
        await writeFile(large, Buffer.alloc(40 * 1024 ** 2));
        await choose(page, '[name=product_zip]', large);
        const sent: string[] = [];
        page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
        await page.$eval('main .form .submit button', (button) => (button as { click(): void }).click());
        await page.waitForSelector(hasScript ? '.faults' : '.message');
        expect(await textOf(page)).to.include('Files (.zip): the file may have at most 1 MiB.');
        expect(sent).to.have.lengthOf(hasScript ? 0 : 1);
      } finally {
        await page.close();
        await small.close();
      }
    });
  }

  it('can be sent again after the connection was lost', async () => {
    const ada = await service.signedInUser();
    await as(
      ada,
      async (page, at) => {
        await at('/selling/live/products/new');
        await fill(page, typed);
        await choose(page, '[name=product_zip]', zip);
        await choose(page, '[name=thumbnail]', png);
        await page.setOfflineMode(true);
        await page.click('main .form .submit button');
        await page.waitForSelector('.faults');
        expect(await textOf(page, '.faults')).to.match(/^The connection was lost/);
        await page.setOfflineMode(false);
        await press(page, 'main .form .submit button');
        expect(await textOf(page, 'h1')).to.equal('Swap');
      },
      /ERR_INTERNET_DISCONNECTED/,
    );
  });

  for (const hasScript of [true, false]) {
    it(`lead from a new product by a moderator to its public page, ${hasScript ? 'with' : 'without'} script`, async () => {
      const [ada, root] = [await service.signedInUser(), await service.signedInUser({ role: 'admin' })];
      const title = hasScript ? 'Journey with script' : 'Journey without script';
      let path = '';
      await as(ada, async (page, at) => {
        await at('/selling/live/products/new');
        // Fields are filled in by script, which the page itself may not have.
        await fill(page, { ...typed, title });
        await choose(page, '[name=product_zip]', zip);
        await choose(page, '[name=thumbnail]', png);
        if (!hasScript) await page.setJavaScriptEnabled(false);
        await press(page, 'main .form .submit button');
        path = new URL(page.url()).pathname;
        expect(path).to.match(/^\/selling\/live\/products\/\d+$/);
      });
      await as(root, async (page, at) => {
        if (!hasScript) await page.setJavaScriptEnabled(false);
        await at('/admin/moderation');
        const link = await page.$(`::-p-text(${title})`);
        await Promise.all([page.waitForNavigation(), link?.click()]);
        const content = await page.content();
        expect(content).to.include('Contents of the zip').and.to.include(ada.email);
        await press(page, 'main .title button.primary');
        expect(new URL(page.url()).pathname).to.equal('/admin/moderation');
      });
      await as(ada, async (page, at) => {
        if (!hasScript) await page.setJavaScriptEnabled(false);
        await at(path);
        const href = await page.$eval('main .state a', (link) => link.getAttribute('href'));
        await at(new URL(href ?? '').pathname);
        expect(await textOf(page, 'h1')).to.equal(title);
        expect(await textOf(page, '.description')).to.include('Swap anything.');
      });
    });
  }
});
