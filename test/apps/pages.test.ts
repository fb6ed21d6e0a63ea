import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { type AccountService, startAccountService } from '../http/account-service.ts';
import { chromium, openBrowser, type TestBrowser } from '../support/browser.ts';
import { needing } from '../support/required-service.ts';

const by = { actor: 'test' };

needing(chromium.skip).describe('the pages in a browser', () => {
  let service: AccountService;
  let browser: TestBrowser;
  before(async () => {
    service = await startAccountService();
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  it('/docs has no fault', () => browser.checkPage(`${service.url}/docs`));

  // Together, these guides contain every kind of element that guides use.
  for (const name of ['license-api', 'configuration', 'operating']) {
    it(`/docs/${name} has no fault`, () => browser.checkPage(`${service.url}/docs/${name}`));
  }

  it('an unknown guide has no fault', () => browser.checkPage(`${service.url}/docs/nothing`, { status: 404 }));

  // The part that Swagger UI renders has faults. The rest of the page must have none.
  it('/docs/reference has no fault outside of Swagger UI', () =>
    browser.checkPage(`${service.url}/docs/reference`, { complete: '.opblock', withoutPart: '#reference' }));

  it('/docs#/… is an old bookmark of the API reference, and leads there; other fragments do not', async () => {
    const page = await browser.newPage();
    try {
      await page.goto(`${service.url}/docs#/License/verify`);
      await page.waitForSelector('#operations-License-verify.is-open');
      expect(page.url()).to.equal(`${service.url}/docs/reference#/License/verify`);
      await page.goto(`${service.url}/docs/#/License`);
      await page.waitForSelector('.opblock');
      expect(page.url()).to.equal(`${service.url}/docs/reference#/License`);
      await page.goto(`${service.url}/docs#use-the-apis`);
      expect(page.url()).to.equal(`${service.url}/docs#use-the-apis`);
    } finally {
      await page.close();
    }
  });

  it('the page of a product has no fault', async () => {
    const { id } = await service.products.add({ title: 'A product', ownerId: null }, by);
    await service.products.change(String(id), 'approve', by);
    await browser.checkPage(`${service.url}/marketplace/a-product`);
  });
});

needing(chromium.skip).describe('the check of pages', () => {
  const good = {
    head: '<title>t</title><meta name="viewport" content="width=device-width">',
    body: '<main><h1>Heading</h1><p>More than twenty characters.</p></main>',
  };
  const cases = [
    { fault: undefined, ...good },
    { fault: /color-contrast/, ...good, body: good.body.replace('<p>', '<p style="color:#ccc">') },
    { fault: /document-title/, ...good, head: '<meta name="viewport" content="width=device-width">' },
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
