import { expect } from 'chai';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { itLong } from '../../../support/required-service.ts';
import { type AccountService, startAccountService } from '../account/account-service.ts';

const browser = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
/** Without Cache-Control, `fetch` adds `no-cache`, which asks for the page in any case. */
const fromCache = { ...browser, 'Cache-Control': 'max-age=0' };

describe('the first page', () => {
  let service: AccountService;
  beforeEach(async () => {
    service = await startAccountService({ SITE_NAME: 'Acme & Co' });
  });
  afterEach(() => service.close());

  const page = (path = '/') => service.send(path, { headers: browser });
  async function publish(...titles: string[]) {
    for (const title of titles) {
      const { id } = good(await service.products.add({ title, ownerId: null }, operator));
      await service.products.change(String(id), 'approve', operator);
    }
  }
  const titlesIn = (text: string) =>
    Array.from(text.matchAll(/<a href="[./]+marketplace\/[^"]+">([^<]+)<\/a>/g), ([, title]) => title);

  it('is a small index in JSON for programs, also for those that take anything', async () => {
    for (const Accept of ['application/json', '*/*', 'image/png']) {
      const { status, headers, body } = await service.send('/', { headers: { Accept } });
      expect([status, headers.get('Content-Type')], Accept).to.deep.equal([200, 'application/json; charset=utf-8']);
      expect(headers.get('Access-Control-Allow-Origin')).to.equal('*');
      expect(body).to.deep.equal({
        name: 'Acme & Co',
        version: body.version,
        documentation: `${service.url}/docs`,
        openapi: `${service.url}/openapi.json`,
      });
      expect(body.version).to.match(/^\d+\.\d+\.\d+/);
    }
  });

  itLong(
    'is a page for browsers, with the name of the site, the guides, and how to publish if there is no product',
    async () => {
      const { status, headers, text } = await page();
      expect([status, headers.get('Content-Type')]).to.deep.equal([200, 'text/html; charset=utf-8']);
      expect(headers.get('Vary')).to.include('Accept');
      expect(headers.get('Content-Security-Policy')).to.not.match(/unsafe/);
      expect(text).to.match(/<title>Acme &amp; Co<\/title>[\s\S]*<h1[^>]*>Acme &amp; Co<\/h1>/);
      for (const path of ['docs', 'docs/reference', 'openapi.json', 'docs/account-api#products']) {
        expect(text).to.include(`href="./${path}"`);
      }
      expect(text).to.include('No products yet');
      expect(text).to.not.match(/<script(?! type="application\/ld\+json")|<style|style=/);
    },
  );

  itLong('shows published products only, newest first, each with its price and its page', async () => {
    await publish('First', 'Second', 'Gone');
    await service.products.add({ title: 'Hidden', ownerId: null }, operator);
    await service.products.change('gone', 'unlist', operator);
    const { text } = await page();
    expect(titlesIn(text)).to.deep.equal(['Second', 'First']);
    expect(text).to.include('href="./marketplace/second"').and.to.include('<strong>Free</strong>');
    expect(text).to.not.match(/No products yet|rel="(?:next|prev)"/);
  });

  itLong('shows the newest products, and leads to all', async () => {
    const titles = Array.from({ length: 14 }, (_, n) => `P${n + 1}`);
    await publish(...titles);
    const { text } = await page('/?before=1');
    expect(titlesIn(text)).to.deep.equal(titles.toReversed().slice(0, 12));
    expect(text).to.match(
      /<form method="get" action="\.\/marketplace">[\s\S]*name="q"[\s\S]*<a [^>]*href="\.\/marketplace">See all/,
    );
  });

  it('HEAD has no body; 304 while nothing has changed; 405 for other methods', async () => {
    const { headers, text } = await service.send('/', { method: 'HEAD', headers: browser });
    expect([headers.get('Content-Type'), text]).to.deep.equal(['text/html; charset=utf-8', '']);
    const known = { headers: { ...fromCache, 'If-None-Match': headers.get('ETag') ?? '' } };
    expect((await service.send('/', known)).status).to.equal(304);
    await publish('New');
    expect((await service.send('/', known)).status).to.equal(200);
    const index = await service.send('/', { headers: { Accept: 'application/json' } });
    const again = { Accept: 'application/json', 'Cache-Control': 'max-age=0' };
    const same = await service.send('/', { headers: { ...again, 'If-None-Match': index.headers.get('ETag') ?? '' } });
    expect(same.status).to.equal(304);
    expect((await service.send('/', { method: 'POST', headers: browser })).status).to.equal(405);
  });
});

describe('an address that does not exist', () => {
  const paths = ['/nothing', '/api/nothing', '/a/b/c', '/marketplace/a/b', '/assets/nothing.css/x', '//x'];

  itLong('is a page in the frame for browsers, with addresses that work there, and JSON for programs', async () => {
    await using service = await startAccountService();
    for (const path of paths) {
      const { status, headers, text } = await service.send(path, { headers: browser });
      expect([status, headers.get('Content-Type')], path).to.deep.equal([404, 'text/html; charset=utf-8']);
      expect(headers.get('Content-Security-Policy'), path).to.include("trusted-types 'none'");
      expect(headers.get('Cross-Origin-Opener-Policy'), path).to.equal('same-origin');
      expect(text).to.include('<h1>Not found</h1>');
      const style = /<link rel="stylesheet" href="([^"]+)"/.exec(text)?.[1] ?? '';
      expect((await fetch(new URL(style, new URL(service.url + path)))).status, path).to.equal(200);
      expect((await service.send(path)).headers.get('Content-Type'), path).to.include('application/json');
    }
    const posted = await service.send('/nothing', { method: 'POST', headers: browser });
    expect([posted.status, posted.headers.get('Content-Type')?.slice(0, 16)]).to.deep.equal([404, 'application/json']);
  });

  it('is JSON for browsers too if this process serves no pages', async () => {
    await using service = await startAccountService({ SURFACE: 'license' });
    for (const path of ['/', ...paths]) {
      const { status, headers } = await service.send(path, { headers: browser });
      expect([status, headers.get('Content-Type')?.slice(0, 16)], path).to.deep.equal([404, 'application/json']);
    }
  });
});

describe('the assets of the pages', () => {
  let service: AccountService;
  before(async () => {
    service = await startAccountService();
  });
  after(() => service.close());

  it('have a hash in their address, and stay in the cache for a year', async () => {
    const { text } = await service.send('/', { headers: browser });
    const addresses = Array.from(text.matchAll(/"\.\/(assets\/[^"]+)"/g), ([, address]) => address);
    expect(addresses).to.have.lengthOf(3);
    for (const address of addresses) {
      expect(address).to.match(/^assets\/[a-z]+-[0-9a-f]{12}\.[a-z0-9]+$/);
      const { status, headers } = await service.send(`/${address}`);
      expect(status).to.equal(200);
      expect(headers.get('Cache-Control')).to.equal('public, max-age=31536000, immutable');
      expect(headers.get('Content-Type')).to.match(/^(?:(?:text\/css|image\/svg\+xml); charset=utf-8|font\/woff2)$/);
      expect(headers.get('X-Content-Type-Options')).to.equal('nosniff');
    }
  });

  it('are not kept under the address of another version, so that old and new servers can answer the same browser', async () => {
    const { status, headers } = await service.send('/assets/style-000000000000.css');
    expect([status, headers.get('Cache-Control')]).to.deep.equal([200, 'no-cache']);
    expect((await service.send('/assets/local-times-000000000000.js')).status).to.equal(200);
  });

  it('include the font, which the page loads first and the style sheet names by the same address', async () => {
    const { text } = await service.send('/', { headers: browser });
    const font = /<link rel="preload" as="font" type="font\/woff2" href="\.\/assets\/(inter-[^"]+)"/.exec(text)?.[1];
    const style = /"\.\/(assets\/style-[^"]+)"/.exec(text)?.[1];
    expect((await service.send(`/${style}`)).text).to.include(`./${font}`);
    const { headers } = await service.send(`/assets/${font}`);
    expect(Number(headers.get('Content-Length'))).to.be.within(1, 60_000);
  });

  it('are only the known ones', async () => {
    for (const name of [
      'nothing.css',
      'tsconfig.json',
      '..%2ftexts.ts',
      '__proto__',
      'constructor',
      '%00',
      'style.css%00',
    ]) {
      expect((await service.send(`/assets/${name}`)).status, name).to.equal(404);
    }
  });
});
