import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { readableTime } from '../../adapters/http/ui/time.tsx';
import { type Account, type AccountService, startAccountService } from '../adapters/http/account/account-service.ts';
import { attacks } from '../adapters/http/ui/hostile-markdown.ts';
import { chromium, openBrowser, type TestBrowser } from '../support/browser.ts';
import { operator } from '../support/by.ts';
import { listingForm } from '../support/forms.ts';
import { good } from '../support/good.ts';
import { needing } from '../support/required-service.ts';

needing(chromium.skip).describe('the pages in a browser', () => {
  let service: AccountService;
  let seller: Account;
  let browser: TestBrowser;
  before(async () => {
    service = await startAccountService();
    seller = await service.account('pro');
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  /** Publishes products for three pages, with titles in several directions, with and without an image. */
  async function fillShop(): Promise<void> {
    for (let n = 1; n <= 28; n++) {
      const title = n % 5 === 0 ? `محفظة ${n}` : `Swap ${n}`;
      if (n % 3 === 0) {
        const { id } = good(await service.products.add({ title, ownerId: null }, operator));
        await service.products.change(String(id), 'approve', operator);
      } else {
        const { body } = await seller.submit('/api/marketplace/publish', listingForm({ title }));
        await service.products.change(String(body.product.id), 'approve', operator);
      }
    }
  }

  it('/docs has no fault', () => browser.checkPage(`${service.url}/docs`));

  // Together, these guides contain every kind of element that guides use.
  for (const name of ['license-api', 'configuration', 'operating']) {
    it(`/docs/${name} has no fault`, () => browser.checkPage(`${service.url}/docs/${name}`));
  }

  it('the results of a search in the guides have no fault, with results and without', async () => {
    for (const words of ['refund', 'qqqqqqqq', 'x'.repeat(100)])
      await browser.checkPage(`${service.url}/docs?q=${words}`);
  });

  it('guides are searched while somebody types, by keyboard too; without the index, the form leads to the results', async () => {
    const page = await browser.newPage();
    try {
      await page.goto(`${service.url}/docs/license-api`);
      await page.type('.guide-search input', 'delete vers');
      await page.waitForSelector('.guide-results a');
      expect(await page.evaluate("document.querySelector('.guide-group').checkVisibility()")).to.equal(false);
      expect(await browser.faultsOn(page)).to.equal('');
      await page.keyboard.press('ArrowDown');
      await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
      expect(page.url()).to.equal(`${service.url}/docs/selling#delete-versions`);
      await page.type('.guide-search input', 'qqqqqqqq');
      await page.waitForFunction("document.querySelector('.guide-finder [role=status]').innerText !== ''");
      await page.setJavaScriptEnabled(false);
      await page.goto(`${service.url}/docs/license-api`);
      await page.type('.guide-search input', 'delete vers');
      await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
      expect(await page.evaluate("document.querySelector('.found a').href")).to.equal(
        `${service.url}/docs/selling#delete-versions`,
      );
    } finally {
      await page.close();
    }
  });

  it('on a phone, the search of guides stands before the text, and the list of guides after it', async () => {
    const page = await browser.newPage();
    try {
      await page.setViewport({ width: 390, height: 844 });
      await page.goto(`${service.url}/docs/license-api`);
      const tops = await page.evaluate(
        "['.guide-search input', 'h1', '#guides'].map((name) => document.querySelector(name).getBoundingClientRect().top)",
      );
      const [field = 0, heading = 0, list = 0] = tops as number[];
      expect([field < 100, field < heading, heading < list]).to.deep.equal([true, true, true]);
    } finally {
      await page.close();
    }
  });

  it('code in guides can be copied: of a terminal, only the commands', async () => {
    const page = await browser.newPage();
    try {
      await page.browserContext().overridePermissions(service.url, ['clipboard-read', 'clipboard-write']);
      await page.goto(`${service.url}/docs/license-api`);
      await page.click('.code-box > button');
      await page.waitForFunction("document.querySelector('.code-box > button').innerText === 'Copied'");
      const lines = String(await page.evaluate('navigator.clipboard.readText()')).split('\n');
      expect(lines[0]).to.match(/^curl -s .* \\$/);
      expect(lines[1]).to.match(/^ +-d /);
      expect(lines).to.have.lengthOf(6);
      expect(lines.slice(2).every((line) => /^(curl| +-d) /.test(line))).to.equal(true);
    } finally {
      await page.close();
    }
  });

  it('a link to a file that is over has no fault', () =>
    browser.checkPage(`${service.url}/files/products/gone.zip?expires=1`, { status: 404 }));

  it('an unknown guide has no fault', () => browser.checkPage(`${service.url}/docs/nothing`, { status: 404 }));

  it('/docs/reference has no fault', () => browser.checkPage(`${service.url}/docs/reference`));

  it('/docs/reference has no fault with all parts unfolded, in light and dark, wide and narrow', async () => {
    const page = await browser.newPage();
    try {
      // Colours do not depend on the width.
      for (const [scheme, width] of [
        ['light', 1280],
        ['dark', 390],
      ] as const) {
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
        await page.setViewport({ width, height: 900 });
        await page.goto(`${service.url}/docs/reference`);
        await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
        expect(await browser.faultsOn(page), `${scheme}, ${width} px`).to.equal('');
        expect(await page.evaluate('document.documentElement.scrollWidth'), `${width} px`).to.be.at.most(width);
      }
    } finally {
      await page.close();
    }
  });

  it('/docs/reference unfolds by keyboard, and without scripts', async () => {
    const page = await browser.newPage();
    try {
      await page.setJavaScriptEnabled(false);
      await page.goto(`${service.url}/docs/reference`);
      const shown = () => page.evaluate("document.querySelector('#verify .operation-body').checkVisibility()");
      expect(await shown()).to.equal(false);
      await page.focus('#verify summary');
      await page.keyboard.press('Enter');
      expect(await shown()).to.equal(true);
    } finally {
      await page.close();
    }
  });

  it('/docs#/… is an old bookmark of the API reference, and leads there; other fragments do not', async () => {
    const page = await browser.newPage();
    try {
      await page.goto(`${service.url}/docs#/License/verify`);
      await page.waitForSelector('#verify[open]');
      expect(page.url()).to.equal(`${service.url}/docs/reference#verify`);
      await page.goto(`${service.url}/docs/#/API%20keys`);
      await page.waitForFunction("location.hash === '#tag-api-keys'");
      expect(page.url()).to.equal(`${service.url}/docs/reference#tag-api-keys`);
      await page.goto(`${service.url}/docs#you-sell`);
      expect(page.url()).to.equal(`${service.url}/docs#you-sell`);
    } finally {
      await page.close();
    }
  });

  it('/ has no fault, without products and with many', async () => {
    await browser.checkPage(`${service.url}/`);
    await fillShop();
    await browser.checkPage(`${service.url}/`);
  });

  it('pictures of products are 16 to 9 in every card, on a phone and on a wide screen', async () => {
    const page = await browser.newPage();
    try {
      for (const path of ['/', '/marketplace']) {
        for (const width of [390, 1280]) {
          await page.setViewport({ width, height: 900 });
          await page.goto(`${service.url}${path}`);
          const ratios = await page.evaluate(
            "[...document.querySelectorAll('.card img.picture')].map((one) => one.clientWidth / one.clientHeight)",
          );
          expect(ratios).to.be.an('array').with.length.above(0);
          for (const ratio of ratios as number[]) expect(ratio, `${path}, ${width} px`).to.be.closeTo(16 / 9, 0.05);
        }
      }
    } finally {
      await page.close();
    }
  });

  it('/marketplace has no fault, with products, with filters, and without matches', async () => {
    for (const query of ['', '?q=swap&category=x&from=1&supported=1&sort=price_high', '?q=nothing', '?after=3']) {
      await browser.checkPage(`${service.url}/marketplace${query}`);
    }
  });

  it('/marketplace finds products and keeps what was chosen, without scripts', async () => {
    const { body } = await seller.submit('/api/marketplace/publish', listingForm({ title: 'Swap bridge' }));
    await service.products.change(String(body.product.id), 'approve', operator);
    const page = await browser.newPage();
    try {
      await page.setJavaScriptEnabled(false);
      await page.setViewport({ width: 390, height: 844 });
      await page.goto(`${service.url}/marketplace`);
      const isShown = () =>
        page.evaluate("document.querySelector('#module').checkVisibility({ contentVisibilityAuto: true })");
      expect(await isShown(), 'filters are folded on a phone').to.equal(false);
      await page.click('.filters-opener');
      expect(await isShown()).to.equal(true);
      await page.select('#module', 'token');
      await Promise.all([page.waitForNavigation(), page.click('.market-filters button')]);
      expect(new URL(page.url()).searchParams.get('module')).to.equal('token');
      await page.type('#q', 'swap');
      await Promise.all([page.waitForNavigation(), page.click('.search-box button')]);
      await Promise.all([page.waitForNavigation(), page.click('.sort-link[href*=price_high]')]);
      const { searchParams } = new URL(page.url());
      expect(Object.fromEntries(searchParams)).to.deep.equal({ q: 'swap', module: 'token', sort: 'price_high' });
      expect(await page.$eval('.card h3', (title) => title.textContent)).to.match(/^Swap/);
      await page.setViewport({ width: 1280, height: 900 });
      expect(await isShown(), 'filters are always there on a wide screen').to.equal(true);
    } finally {
      await page.close();
    }
  });

  it('an unknown address has no fault', () => browser.checkPage(`${service.url}/no/such/page`, { status: 404 }));

  it('a preview that has ended has no fault', async () => {
    const { body } = await seller.submit('/api/marketplace/publish', listingForm({ title: 'Soon' }));
    service.clock.advance(8 * 86_400_000);
    await browser.checkPage(body.marketplace_url, { status: 403 });
  });

  it('/ leads to all products by keyboard, and shows where the focus is', async () => {
    const page = await browser.newPage();
    try {
      await page.goto(`${service.url}/`);
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.className')).to.equal('skip');
      await page.focus('.see-all a');
      expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).to.equal('solid');
      await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
      expect(page.url()).to.equal(`${service.url}/marketplace`);
      await page.goto(`${service.url}/`);
      await page.type('#q', 'swap');
      await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
      expect(page.url()).to.equal(`${service.url}/marketplace?q=swap`);
    } finally {
      await page.close();
    }
  });

  it('times are in the time zone of the reader, and in UTC without script', async () => {
    const { body } = await seller.submit('/api/marketplace/publish', listingForm({ title: 'On time' }));
    const page = await browser.newPage();
    try {
      await page.emulateTimezone('Asia/Tokyo');
      await page.goto(body.marketplace_url);
      const shown = () => page.evaluate("document.querySelector('time').innerText");
      const exact = new Date(service.clock.now());
      const tokyo = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'Asia/Tokyo' } as const;
      const languages = String(await page.evaluate('navigator.languages.join()')).split(',');
      expect(await shown()).to.equal(new Intl.DateTimeFormat(languages, tokyo).format(exact));
      expect(await page.evaluate("document.querySelector('time').title")).to.equal(exact.toISOString());
      await page.setJavaScriptEnabled(false);
      await page.goto(body.marketplace_url);
      expect(await shown()).to.equal(readableTime(exact.getTime()));
    } finally {
      await page.close();
    }
  });

  it('scripts cannot write HTML into the pages', async () => {
    const page = await browser.newPage();
    try {
      await page.goto(`${service.url}/`);
      const outcome = await page.evaluate("try { document.body.innerHTML = '<b>x</b>' } catch (error) { error.name }");
      expect(outcome).to.equal('TypeError');
    } finally {
      await page.close();
    }
  });

  it('right-to-left pages do not scroll sideways', async () => {
    const page = await browser.newPage();
    try {
      await page.setViewport({ width: 390, height: 844 });
      for (const path of ['/', '/marketplace', '/marketplace/swap-1', '/docs/configuration']) {
        await page.goto(service.url + path);
        await page.evaluate("document.documentElement.dir = 'rtl'");
        const [inner, width] = await Promise.all(
          ['innerWidth', 'document.documentElement.scrollWidth'].map((one) => page.evaluate(one)),
        );
        expect(width, path).to.equal(inner);
      }
    } finally {
      await page.close();
    }
  });

  // A browser loads each asset once, because its address changes with its content. The API reference is one page, which people search.
  it('a first visit loads less than 60 kB of HTML, style and script, compressed, and the API reference less than 85 kB', async () => {
    for (const path of [
      '/',
      '/marketplace',
      '/marketplace/swap-1',
      '/docs',
      '/docs/license-api',
      '/docs/reference',
      '/no/such/page',
    ]) {
      const page = await (await fetch(service.url + path, { headers: { Accept: 'text/html' } })).text();
      const linked = Array.from(page.matchAll(/<(?:link rel="stylesheet"|script[^>]*?) (?:href|src)="([^"]+)"/g));
      const loaded = await Promise.all(
        linked.map(async ([, address = '']) => (await fetch(new URL(address, service.url + path))).text()),
      );
      const weight = [page, ...loaded].reduce((sum, text) => sum + gzipSync(text).length, 0);
      expect(loaded.length, path).to.be.at.least(1);
      expect(weight, path).to.be.below(path === '/docs/reference' ? 85_000 : 60_000);
      if (process.env.SHOW_WEIGHTS) console.info(`      ${path}: ${weight} bytes`);
    }
  });

  it('the page of a product has no fault', async () => {
    const { id } = good(await service.products.add({ title: 'A product', ownerId: null }, operator));
    await service.products.change(String(id), 'approve', operator);
    await browser.checkPage(`${service.url}/marketplace/a-product`);
  });

  it('the page of a product has no fault with everything that a description can contain, also hostile parts', async () => {
    const first = await seller.submit('/api/marketplace/publish', listingForm({ title: 'With a picture' }));
    const shown = await (await fetch(first.body.marketplace_url)).text();
    const [picture = ''] = /\/media\/[\w.-]+/.exec(shown) ?? [];
    const description = [
      '### Ready to *deploy*\n\nA **fast** exchange, ~~not~~ `swap(a, b)`.\nSecond line. [Guide](https://x.example/a)',
      '##### Steps\n\n3. one\n4. two\n   - three\n\n> said\n\n---',
      `\`\`\`solidity\n${'uint256 constant value = 1; '.repeat(8)}\n\`\`\``,
      `|${' Feature |'.repeat(8)}\n|${'-:|'.repeat(8)}\n|${' yes |'.repeat(8)}`,
      `![A wallet](${picture}) ![](https://x.example/a.png) ${'long'.repeat(60)}`,
      'محفظة رقمية آمنة\n\n- أولا\n- second',
      // A picture that does not exist would be a fault of the page.
      ...attacks.map((attack) => attack.replaceAll('/media/a.png', picture)),
    ].join('\n\n');
    const { body } = await seller.submit('/api/marketplace/publish', listingForm({ title: 'Everything', description }));
    await service.products.change(String(body.product.id), 'approve', operator);
    const url = `${service.url}/marketplace/everything`;
    await browser.checkPage(url);
    const page = await browser.newPage();
    try {
      await page.goto(url);
      const directions = await page.evaluate(
        "[...document.querySelectorAll('.description > ul')].map((list) => getComputedStyle(list).direction).join()",
      );
      expect(directions).to.match(/^rtl/);
      // Pictures far below load when they are needed.
      await page.evaluate("document.querySelector('.description img').scrollIntoView()");
      await page.waitForFunction("document.querySelector('.description img').naturalWidth > 0");
    } finally {
      await page.close();
    }
  });
});

needing(chromium.skip).describe(
  'a product on a page of another site, whose policy allows only files of this service',
  () => {
    let service: AccountService;
    let browser: TestBrowser;
    let site: string;
    let stopSite: () => void;
    let body = '';
    before(async () => {
      service = await startAccountService({ PAYMENTS_URL: 'test:demo' });
      browser = await openBrowser();
      const server = createServer((_, response) => {
        response.setHeader(
          'Content-Security-Policy',
          `default-src 'none'; script-src ${service.url}; img-src ${service.url}`,
        );
        response.setHeader('Content-Type', 'text/html; charset=utf-8');
        response.end(
          `<!doctype html><title>Blog</title><link rel="icon" href="${service.url}/assets/icon.svg"><p>Before</p>${body}<p>After</p>`,
        );
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      site = `http://localhost:${(server.address() as AddressInfo).port}`;
      stopSite = () => server.close();
    });
    after(async () => {
      stopSite?.();
      await browser?.close();
      await service?.close();
    });

    const title = 'محفظة & a very long name of a product that needs two lines';
    const links =
      "[...document.querySelectorAll('a')].map(({ href, target, innerText }) => [href, target, innerText.trim()])";

    async function shown(
      html: string,
    ): Promise<{ links: unknown; heights: number[]; faults: string[]; kept: unknown }> {
      body = html;
      const page = await browser.newPage();
      const faults: string[] = [];
      page.on('console', (message) => faults.push(message.text()));
      page.on('pageerror', (error) => faults.push(String(error)));
      try {
        await page.goto(site, { waitUntil: 'networkidle0' });
        return {
          links: await page.evaluate(links),
          heights: (await page.evaluate(
            "[...document.querySelectorAll('img')].map((one) => one.naturalWidth && one.height)",
          )) as number[],
          kept: await page.evaluate('document.cookie + localStorage.length + sessionStorage.length'),
          faults,
        };
      } finally {
        await page.close();
      }
    }

    it('is a card, a button or a picture, leads to a new tab, and keeps nothing in the browser', async () => {
      const seller = await service.account('pro');
      const { body: made } = await seller.submit('/api/marketplace/publish', listingForm({ title }));
      await service.products.change(String(made.product.id), 'approve', operator);
      const source = `${service.url}/embed/${made.product.slug}`;
      const page = `${service.url}/marketplace/${made.product.slug}`;
      const buy = [`${page}/buy`, '_blank', 'Buy for $49.90'];
      const script = `<script async src="${source}.js"></script>`;
      const card = await shown(script);
      expect(card).to.deep.include({ links: [[page, '_blank', title], buy], faults: [], kept: '00' });
      expect(card.heights).to.deep.equal([180]);
      const two = await shown(`${script}${script.replace('></', ' data-look="button"></')}`);
      expect(two).to.deep.include({ links: [[page, '_blank', title], buy, buy], faults: [] });
      const picture = await shown(
        `<a href="${page}" target="_blank"><img src="${source}.svg" width="320" height="312"></a>`,
      );
      expect(picture).to.deep.include({ links: [[page, '_blank', '']], heights: [312], faults: [], kept: '00' });
    });
  },
);

needing(chromium.skip).describe('the check of pages', () => {
  const good = {
    head: '<title>t</title><meta name="viewport" content="width=device-width"><meta name="description" content="A page.">',
    body: '<main><h1>Heading</h1><p>More than twenty characters.</p></main>',
  };
  const cases = [
    { fault: undefined, ...good },
    { fault: /color-contrast/, ...good, body: good.body.replace('<p>', '<p style="color:#ccc">') },
    {
      fault: /document-title/,
      ...good,
      head: '<meta name="viewport" content="width=device-width"><meta name="description" content="A page.">',
    },
    {
      fault: /390/,
      ...good,
      body: good.body.replace('<p>', '<p style="width:500px">'),
    },
    { fault: /what its policy forbids/, ...good, body: `${good.body}<script src="data:text/javascript,1"></script>` },
    { fault: /heading/, ...good, body: good.body.replace('Heading', '<script>document.write("Later")</script>') },
  ];
  let browser: TestBrowser;
  before(async () => {
    browser = await openBrowser();
  });
  after(() => browser?.close());

  for (const { fault, head, body } of cases) {
    it(fault === undefined ? 'accepts a good page' : `finds ${fault.source}`, async () => {
      const server = createServer((request, response) => {
        response.setHeader('Content-Type', 'text/html; charset=utf-8');
        response.setHeader('Content-Security-Policy', "script-src 'unsafe-inline'");
        response.statusCode = request.url === '/' ? 200 : 204;
        response.end(
          request.url === '/' ? `<!doctype html><html lang="en"><head>${head}</head><body>${body}</body>` : '',
        );
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      try {
        const outcome = await browser.checkPage(`http://127.0.0.1:${port}/`).then(
          () => undefined,
          (error: unknown) => String(error),
        );
        if (fault === undefined) expect(outcome).to.equal(undefined);
        else expect(outcome).to.match(fault);
      } finally {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    });
  }
});
