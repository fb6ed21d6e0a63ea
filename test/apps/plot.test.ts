import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { MessagePage, renderPage } from '../../adapters/http/ui/layout.tsx';
import { Plot } from '../../adapters/http/ui/plot.tsx';
import { formPolicy } from '../../adapters/http/ui/send-page.ts';
import { type AccountService, startAccountService } from '../adapters/http/account/account-service.ts';
import { chromium, openBrowser, type TestBrowser } from '../support/browser.ts';
import { readHtml } from '../support/html.ts';
import { needing } from '../support/required-service.ts';

const day = 86_400_000;
const start = Date.UTC(2026, 9, 1);
const points = Array.from({ length: 30 }, (_, n) => ({ at: start + n * day, value: n * 1000 + (n % 7) * 300 }));
const series = [
  { label: 'Verifications', as: 'bars', points },
  { label: 'Active domains', as: 'area', points: points.slice(10).map(({ at }, n) => ({ at, value: 5000 + n })) },
] as const;

/** A page with plots, as the dashboard would show it. */
function pageWithPlots(): string {
  const frame = { site: 'Shop', root: './' };
  const page = renderPage(MessagePage({ frame, title: 'Usage', text: 'How often each license was used.' }));
  const plots = ['day', 'hour'].map((step) =>
    renderPage(
      Plot({ root: './', title: `By ${step}`, unit: 'calls', step: step === 'day' ? 'day' : 'hour', series }),
    ).replace('<!doctype html>', ''),
  );
  return page.replace('</main>', `${plots.join('')}</main>`);
}

describe('a plot', () => {
  it('has a table with the values of all lines at all times, also without script', () => {
    const { text, elements } = readHtml(pageWithPlots());
    expect(elements('table')).to.have.lengthOf(2);
    expect(text).to.match(/Day \(UTC\) ?Verifications ?Active domains/);
    expect(text, 'newest first').to.match(/Oct 2, 2026 ?1,300 ?Oct 1, 2026 ?0/);
    expect(text).to.match(/Oct 11, 2026 ?10,900 ?5,000/);
    expect(elements('data')).to.have.lengthOf(2 * (30 + 20));
  });
});

needing(chromium.skip).describe('a plot in a browser', () => {
  let service: AccountService;
  let browser: TestBrowser;
  let url: string;
  // The page comes from a server of its own, because no page of the service is only for tests. The assets are those of
  // the service.
  const server = createServer(async (request, response) => {
    if (request.url === '/') {
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      response.setHeader('Content-Security-Policy', formPolicy());
      response.end(pageWithPlots());
      return;
    }
    const answer = await fetch(service.url + request.url);
    response.setHeader('Content-Type', answer.headers.get('Content-Type') ?? '');
    response.statusCode = request.url === '/favicon.ico' ? 204 : answer.status;
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  before(async () => {
    service = await startAccountService();
    browser = await openBrowser();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  after(async () => {
    await browser?.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await service?.close();
  });

  it('has no fault: accessible in light and dark and on a phone, within its policy, and readable without script', () =>
    browser.checkPage(url, { complete: '.graph canvas' }));

  it('draws lines in the colours of its legend, also when the page turns dark', async () => {
    const page = await browser.newPage();
    try {
      /** Counts the pixels of a canvas in each colour of the legend. */
      const drawn = `(async () => {
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
        const figure = document.querySelector('.graph');
        const canvas = figure.querySelector('canvas');
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        return [...figure.querySelectorAll('[data-series]')].map((label) => {
          const one = new OffscreenCanvas(1, 1).getContext('2d');
          one.fillStyle = getComputedStyle(label).color;
          one.fillRect(0, 0, 1, 1);
          const [red, green, blue] = one.getImageData(0, 0, 1, 1).data;
          let count = 0;
          for (let n = 0; n < data.length; n += 4)
            if (data[n] === red && data[n + 1] === green && data[n + 2] === blue && data[n + 3] === 255) count++;
          return count;
        });
      })()`;
      for (const value of ['light', 'dark']) {
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
        if (value === 'light') await page.goto(url);
        await page.waitForSelector('.graph canvas');
        const counts = (await page.evaluate(drawn)) as number[];
        expect(counts, value).to.have.lengthOf(2);
        for (const count of counts) expect(count, value).to.be.above(50);
      }
    } finally {
      await page.close();
    }
  });

  it('shows the values below the pointer in its legend', async () => {
    const page = await browser.newPage();
    try {
      await page.goto(url);
      await page.waitForSelector('.graph canvas');
      await page.hover('.graph .u-over');
      await page.waitForFunction("document.querySelector('.graph-value').textContent !== ''");
      expect(await page.evaluate("document.querySelector('.graph-at').textContent")).to.match(/^Oct \d+, 2026$/);
    } finally {
      await page.close();
    }
  });

  it('loads at most 25 kB of script, compressed', async () => {
    const [, own = ''] = /src="\.(\/assets\/plot-[^"]+)"/.exec(pageWithPlots()) ?? [];
    const first = await (await fetch(service.url + own)).text();
    const [, second = ''] = /from '\.(\/uplot-[^']+)'/.exec(first) ?? [];
    const answer = await fetch(`${service.url}/assets${second}`);
    expect(answer.headers.get('Cache-Control')).to.include('immutable');
    const weight = gzipSync(first).length + gzipSync(await answer.text()).length;
    expect(weight).to.be.at.most(25_000);
  });
});
