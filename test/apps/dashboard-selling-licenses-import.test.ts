import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { ElementHandle, Page } from 'puppeteer-core';
import { type SellingService, startSellingService } from '../adapters/http/account/selling-service.ts';
import type { Person } from '../adapters/http/dashboard/dashboard-service.ts';
import { chromium, openBrowser, plainHost, type TestBrowser } from '../support/browser.ts';
import { needing } from '../support/required-service.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

const list = '/selling/live/licenses';
const path = `${list}/import`;

needing(chromium.skip).describe('the pages that import licenses in a browser', () => {
  let service: SellingService;
  let browser: TestBrowser;
  let folder: TemporaryFolder;
  let ada: Person;
  before(async () => {
    service = await startSellingService({ MAX_CSV_SIZE: '100000' });
    browser = await openBrowser();
    folder = await makeTemporaryFolder();
    ada = await service.signedInUser();
    await service.product(ada, 'a-product-whose-slug-is-rather-long-'.repeat(3).slice(0, -1), { title: 'قطعة' });
    await service.product(ada, 'jar');
  });
  after(async () => {
    await browser?.close();
    await service?.close();
    await folder?.remove();
  });

  const check = (at: string, person = ada) => browser.checkPage(service.url + at, { cookies: person.browser.cookies });
  /** Opens the form in a window of its own, without https. */
  async function withPage(use: (page: Page) => Promise<void>, { hasScript = true } = {}) {
    const page = await browser.newPage();
    try {
      for (const [name, value] of ada.browser.cookies) await page.setCookie({ name, value, domain: plainHost });
      await page.setJavaScriptEnabled(hasScript);
      await page.goto(`http://${plainHost}:${new URL(service.url).port}${path}`);
      await use(page);
    } finally {
      await page.close();
    }
  }
  const written = async (content: string) => {
    const file = folder.file('licenses.csv');
    await writeFile(file, content);
    return file;
  };
  const choose = async (page: Page, content: string) => {
    const file = await written(content);
    const field = (await page.$('#file')) as ElementHandle<HTMLInputElement> | null;
    await field?.uploadFile(file);
  };
  const submit = (page: Page) => page.click('main .form .primary');
  const text = async (page: Page) => String(await page.evaluate("document.querySelector('main').innerText"));
  const count = async () => (await service.rows('licenses')).length;

  it('have no fault: the form, without products, and the result', async () => {
    await check(path);
    await check(path, await service.signedInUser());
    await check(`${list}/imported?added=1000000&left_out=2`);
  });

  it('the list of faults has no accessibility fault, neither wide and light nor at 390 px and dark', async () => {
    const faulty = `product,max_domains\n${`${'unknown'.repeat(20)},x\n`.repeat(60)}`;
    await browser.checkPage(service.url + path, {
      cookies: ada.browser.cookies,
      sendFile: await written(faulty),
      status: 422,
    });
  });

  for (const hasScript of [true, false]) {
    it(`show the faults of a file, and import the corrected one, ${hasScript ? 'with' : 'without'} script`, async () => {
      const before = await count();
      await withPage(
        async (page) => {
          await choose(page, 'product\njar\nnone\n');
          await submit(page);
          await page.waitForSelector('.line-faults');
          expect(await text(page))
            .to.include('because the file has a fault')
            .and.to.include('product "none"');
          expect(await count()).to.equal(before);
          await choose(page, 'product\njar\njar\n');
          await Promise.all([page.waitForNavigation(), submit(page)]);
          expect(await text(page)).to.include('2 licenses imported');
        },
        { hasScript },
      );
      expect(await count()).to.equal(before + 2);
    });
  }

  it('import once after a double click', async () => {
    const before = await count();
    await withPage(async (page) => {
      await choose(page, 'product\njar\n');
      await Promise.all([page.waitForNavigation(), page.click('main .form .primary', { count: 2 })]);
      expect(await text(page)).to.include('1 license imported');
    });
    expect(await count()).to.equal(before + 1);
  });

  it('say that a file is too large without sending it', async () => {
    await withPage(async (page) => {
      const sent: string[] = [];
      page.on('request', (request) => void (request.method() === 'POST' && sent.push(request.url())));
      await choose(page, 'x'.repeat(200_000));
      await submit(page);
      await page.waitForSelector('.faults');
      expect(await text(page)).to.include('The file is larger than 97.66 KiB.');
      expect(sent).to.deep.equal([]);
      await choose(page, 'product\njar\n');
      await Promise.all([page.waitForNavigation(), submit(page)]);
      expect(await text(page)).to.include('1 license imported');
    });
  });

  it('shows what an import would do, keeps the file and the choices, and imports them then', async () => {
    const file = folder.file('edd.csv');
    const head = 'License Key,License Status,Product Name,Expiration Date,Activation Limit,Activated URLs';
    await writeFile(
      file,
      `${head}\ncc22c1ec86304b36883440e2e84cddff,active,Jar,,0,shop.example.com/\n,active,Jar,,1,\n`,
    );
    await withPage(async (page) => {
      await page.select('#from', 'edd');
      await page.select('#product', 'jar');
      const field = (await page.$('input[type=file]')) as ElementHandle<HTMLInputElement>;
      await field.uploadFile(file);
      await page.click('button[name=check]');
      await page.waitForSelector('.line-faults');
      for (const width of [390, 1280]) {
        await page.setViewport({ width, height: 900 });
        expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(width);
      }
      expect(await page.$eval('main', (main) => main.textContent)).to.include('An import would add 1 license');
      expect(await service.rows('license_aliases')).to.deep.equal([]);
      await Promise.all([page.waitForNavigation(), page.click('main form .submit button.primary')]);
      expect(await page.$eval('h1', (title) => title.textContent)).to.equal('1 license imported');
    });
    expect(await service.rows('license_aliases')).to.have.lengthOf(1);
  });
});
