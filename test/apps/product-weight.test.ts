import { expect } from 'chai';
import type { Page } from 'puppeteer-core';
import { type DashboardService, startDashboardService } from '../adapters/http/dashboard/dashboard-service.ts';
import { chromium, openBrowser, type TestBrowser } from '../support/browser.ts';
import { operator } from '../support/by.ts';
import { eventually } from '../support/eventually.ts';
import { good } from '../support/good.ts';
import { must } from '../support/license-acts.ts';
import { needing } from '../support/required-service.ts';
import { fileOf, zipOf } from '../support/samples.ts';

/** The screen of a phone with many pixels. */
const phone = { width: 390, height: 844, deviceScaleFactor: 3, isMobile: true };
/** 1.6 Mbit/s in bytes each millisecond, and 150 ms there and back. */
const network = { bytesEachMs: 200, roundTrip: 150 };
const most = 300_000;
/** The guides whose screens are the pictures. */
const shown = ['selling', 'webhooks', 'sdk', 'payments', 'cli', 'account-api', 'operating', 'speed', 'buying'];

const sumOf = (all: readonly Loaded[]) => all.reduce((sum, { bytes }) => sum + bytes, 0);
const pictures = (all: readonly Loaded[]) => all.filter(({ path }) => path.startsWith('/media/'));

interface Loaded {
  readonly path: string;
  readonly bytes: number;
}

/** Loads a page and scrolls to its end. Returns what came over the network, in the order of the requests. */
async function load(page: Page, url: string): Promise<Loaded[]> {
  const session = await page.createCDPSession();
  await session.send('Network.enable');
  const loaded = new Map<string, Loaded>();
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    const { pathname, search } = new URL(request.url);
    loaded.set(requestId, { path: pathname + search, bytes: 0 });
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const one = loaded.get(requestId);
    if (one) loaded.set(requestId, { ...one, bytes: encodedDataLength });
  });
  await page.goto(url, { waitUntil: 'networkidle0' });
  await page.evaluate("document.querySelector('footer').scrollIntoView()");
  await page.waitForNetworkIdle();
  return [...loaded.values()];
}

needing(chromium.skip).describe('a product page with eight pictures on a phone', () => {
  let service: DashboardService;
  let browser: TestBrowser;
  before(async () => {
    service = await startDashboardService();
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  /** Screens of pages, as sellers show them. */
  async function screens(guides: readonly string[]): Promise<Buffer[]> {
    const page = await browser.newPage();
    try {
      await page.setViewport({ width: 1280, height: 720, deviceScaleFactor: 1.25 });
      const shots: Buffer[] = [];
      for (const guide of guides) {
        await page.goto(`${service.url}/docs/${guide}`);
        shots.push(Buffer.from(await page.screenshot({ type: 'png' })));
      }
      return shots;
    } finally {
      await page.close();
    }
  }

  it('weighs at most 300 kB, and its first picture needs at most a second at 1.6 Mbit/s and 150 ms', async () => {
    const ada = await service.signedInUser();
    const [first = Buffer.of(), ...others] = await screens(shown);
    const made = await ada.browser.fill('/selling/live/products/new', {
      title: 'Swap kit',
      tagline: 'Swap anything',
      description: 'A decentralised exchange, ready to deploy.\n\n'.repeat(20),
      price: '49.90',
      module: 'dapp',
      product_zip: fileOf(await zipOf(), 'product.zip'),
      thumbnail: fileOf(first, 'first.png'),
    });
    const path = made.location ?? '';
    for (const one of others) {
      const added = await ada.browser.fill(`${path}/pictures/new`, { alt: 'A page', picture: fileOf(one, 'one.png') });
      expect(added.status).to.equal(303);
    }
    const id = path.slice(path.lastIndexOf('/') + 1);
    good(await service.products.change(id, 'approve', operator));
    const { slug } = good(await service.products.find(id, operator));
    const page = await browser.newPage();
    try {
      await page.setViewport(phone);
      const url = `${service.url}/marketplace/${slug}`;
      await page.setCacheEnabled(false);
      // The first visitor may get pictures as they were uploaded, until the small ones are drawn.
      await eventually('small pictures', async () =>
        pictures(await load(page, url)).every(({ bytes }) => bytes < most / 4),
      );
      const all = await load(page, url);
      expect(pictures(all)).to.have.lengthOf(9);
      expect(sumOf(all), JSON.stringify(all)).to.be.at.most(most);
      // Not measured, because that depends on the machine: one round trip for the page, one for all that it asks for, and the
      // line for everything that is asked for with the first picture.
      const [document, ...parts] = all;
      const first = parts.indexOf(must(pictures(parts)[0]));
      const asked = [must(document), ...parts.slice(0, first + 1)];
      expect(asked.map((one) => one.path).join(' ')).to.match(/\.woff2 .*style.*width=640&type=avif$/);
      expect(2 * network.roundTrip + sumOf(asked) / network.bytesEachMs).to.be.at.most(1_000);
    } finally {
      await page.close();
    }
  });
});
