import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { chromium, openBrowser, type TestBrowser } from '../support/browser.ts';
import { needing } from '../support/required-service.ts';

/** What stands on each page below a heading and a text, and what the check says about it, if it has a fault. */
const pages = {
  good: ['', null],
  console: ['<script>console.error("planted")</script>', 'planted'],
  thrown: ['<script>throw new Error("planted")</script>', 'planted'],
  missing: ['<img src="http://127.0.0.1:1/x.png" alt="x">', 'net::ERR_'],
  wide: ['<p style="width: 3000px">A wide text.</p>', 'the page scrolls sideways'],
  unnamed: ['<img src="/picture">', 'image-alt'],
  stores: ['<script>localStorage.a = 1; sessionStorage.b = 1</script>', null],
  stored: ['<script>if (localStorage.length + sessionStorage.length > 0) console.error("kept")</script>', null],
  cookie: ['<script>if (document.cookie !== "") console.error("kept")</script>', null],
} as const;
type Name = keyof typeof pages;

const start = '<!doctype html><html lang="en"><head><title>T</title><meta name="description" content="d">';
const head = '<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"></head>';
const text = '<body><main><h1>A heading</h1><p>Some text that is long enough for the check.</p>';

needing(chromium.skip).describe('the check of a page', () => {
  let server: Server;
  let browser: TestBrowser;
  before(async () => {
    server = createServer(({ url = '' }, response) => {
      const page = pages[url.slice(1) as Name];
      response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' });
      response.end(page && `${start}${head}${text}${page[0]}</main></body></html>`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    server?.close();
  });

  const check = async (name: Name, more: Parameters<TestBrowser['checkPage']>[1] = {}) =>
    browser.checkPage(`http://127.0.0.1:${(server.address() as AddressInfo).port}/${name}`, more);

  for (const name of ['console', 'thrown', 'missing', 'wide', 'unnamed'] as const) {
    it(`finds the planted fault in the tab of a page before, and only there: ${name}`, async () => {
      await check('good');
      const found = await check(name).then(
        () => '',
        ({ message }: Error) => message,
      );
      expect(found).to.include(String(pages[name][1]));
      await check('good');
    });
  }

  it('leaves no cookie and nothing stored to the next page', async () => {
    await check('stores', { cookies: [['a', 'b']] });
    await check('stored');
    await check('cookie');
  });
});
