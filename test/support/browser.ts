import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { requiredService } from './required-service.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** The browser that `TEST_CHROMIUM` names. `chromium.skip` is the reason if there is none. */
export const chromium = requiredService('TEST_CHROMIUM', 'Chromium, such as /usr/bin/chromium');

const axePath = createRequire(import.meta.url).resolve('axe-core');

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Exceptions for a page that is not completely ours. */
export interface PageCheck {
  /** A CSS selector of the part that the accessibility check leaves out. */
  readonly withoutPart?: string;
  /** A CSS selector of an element that exists when scripts have completed the page. */
  readonly complete?: string;
  /** The expected status. The default is 200. */
  readonly status?: number;
}

/** A browser for a suite. */
export interface TestBrowser {
  /**
   * Checks every page for the same promises: axe-core finds no fault, in light and dark; no horizontal scrolling at a
   * width of 390 px; no breach of the content security policy and no error; a heading and text without scripts.
   */
  checkPage(url: string, check?: PageCheck): Promise<void>;
  /** Opens a page for other checks. The caller closes it. */
  newPage(): Promise<Page>;
  close(): Promise<void>;
}

export async function openBrowser(): Promise<TestBrowser> {
  const folder = await makeTemporaryFolder();
  const browser = await puppeteer.launch({
    executablePath: chromium.url ?? '',
    userDataDir: folder.path,
    args: flags,
  });
  return {
    async checkPage(url, check = {}) {
      await withPage(browser, async (page) => {
        const faults = collectFaults(page, check);
        for (const scheme of ['light', 'dark'] as const) {
          await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
          await page.setViewport({ width: 1280, height: 900 });
          await open(page, url, check);
          expect(await accessibilityFaults(page, check), `${url} in ${scheme}, wide`).to.equal('');
          await page.setViewport({ width: 390, height: 844 });
          await open(page, url, check);
          expect(await accessibilityFaults(page, check), `${url} in ${scheme}, narrow`).to.equal('');
          const width = await page.evaluate('document.documentElement.scrollWidth');
          expect(width, `the width of ${url} on a screen of 390 px`).to.be.at.most(390);
        }
        expect(faults.join('\n'), `${url}: errors, and what its policy forbids`).to.equal('');
      });
      await withPage(browser, async (page) => {
        await page.setJavaScriptEnabled(false);
        await page.goto(url);
        const heading = await page.evaluate("document.querySelector('h1')?.innerText ?? ''");
        const text = await page.evaluate('document.body.innerText');
        expect(heading, `the heading of ${url} without scripts`).to.not.equal('');
        expect(text, `the text of ${url} without scripts`).to.match(/\S[\s\S]{20,}/);
      });
    },
    newPage: () => browser.newPage(),
    async close() {
      await browser.close();
      await folder.remove();
    },
  };
}

async function withPage(browser: Browser, use: (page: Page) => Promise<void>): Promise<void> {
  const page = await browser.newPage();
  try {
    await page.setCacheEnabled(false); // Each check loads the page anew, and expects 200.
    await use(page);
  } finally {
    await page.close();
  }
}

async function open(page: Page, url: string, { complete, status = 200 }: PageCheck): Promise<void> {
  const answer = await page.goto(url, { waitUntil: 'load' });
  expect(answer?.status(), `the status of ${url}`).to.equal(status);
  if (complete) await page.waitForSelector(complete);
}

/** Browsers report breaches of the content security policy as errors on the console. */
function collectFaults(page: Page, { status = 200 }: PageCheck): string[] {
  const faults: string[] = [];
  page.on('console', (message) => {
    const isExpected = status !== 200 && message.text().includes(`status of ${status}`);
    if (['error', 'warn'].includes(message.type()) && !isExpected) faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('requestfailed', (request) => faults.push(`${request.url()}: ${request.failure()?.errorText}`));
  return faults;
}

/**
 * Returns each fault with its elements. axe-core is loaded by the debugging protocol, which the policy does not
 * concern.
 */
async function accessibilityFaults(page: Page, { withoutPart }: PageCheck): Promise<string> {
  await page.evaluate(await readFile(axePath, 'utf8'));
  const context = withoutPart ? { exclude: [[withoutPart]] } : {};
  const found = await page.evaluate(`axe.run(${JSON.stringify(context)}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 200)).join(' | ')).join('\\n'))`);
  return String(found);
}
