import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import puppeteer, {
  type Browser,
  type BrowserContext,
  type ElementHandle,
  type HTTPResponse,
  type Page,
} from 'puppeteer-core';
import { drawn, layoutFaults } from './layout.ts';
import { longestWait } from './longest-wait.ts';
import { requiredService } from './required-service.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** The browser that `TEST_CHROMIUM` names. `chromium.skip` is the reason to skip if it names none. */
export const chromium = requiredService('TEST_CHROMIUM', 'Chromium, such as /usr/bin/chromium');

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/**
 * A name of this machine. Pages of `http://localhost` count as secure, so that they have a clipboard, for example. Pages
 * of this name do not, as on a site without https.
 */
export const plainHost = 'plain.test';

/** Without these options, axe-core also describes what is all right, and where on the page each fault is. That takes longer than the check. */
const onlyFaults = { resultTypes: ['violations'], selectors: false, ancestry: false, xpath: false };

const flags = [
  `--host-resolver-rules=MAP ${plainHost} localhost`,
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * The views in which each page is checked. The layout is checked at each width, and axe-core looks at one width of each scheme: colours do
 * not depend on the width, nor widths on the colours.
 */
const views = [
  { scheme: 'light', axeAt: 1280, widths: [1280, 1920, 1024, 768] },
  { scheme: 'dark', axeAt: 390, widths: [390] },
] as const;

type Typed = Readonly<Record<string, string>>;

/** What differs for a page. */
export interface PageCheck {
  /** A CSS selector of an element that exists when scripts have completed the page. */
  readonly complete?: string;
  /** The expected status. The default is 200. */
  readonly status?: number;
  /** The cookies of somebody who is signed in. */
  readonly cookies?: Iterable<readonly [name: string, value: string]>;
  /** Fills in these fields and sends the page's form. Then the answer is checked, which must have the `status`. */
  readonly send?: Typed | (() => Typed);
  /** As `send`, with this file in the page's field for a file. The browser itself sends the form, and no script. */
  readonly sendFile?: string;
}

/** A browser for a suite. */
export interface TestBrowser {
  /**
   * Checks every page for the same promises: axe-core finds no fault, neither in light on a wide screen nor in dark at
   * 390 px; the layout is in order at five widths; no breach of the content security policy and no error; a heading and text without
   * scripts.
   */
  checkPage(url: string, check?: PageCheck): Promise<void>;
  /** Returns what axe-core finds on an open page, or an empty text. */
  faultsOn(page: Page): Promise<string>;
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
    // The defaults are too short for a slow machine.
    timeout: longestWait,
    protocolTimeout: longestWait,
  });
  /** Opens a page in this window. */
  const newPage = async (opened: Browser | BrowserContext) => {
    const page = await opened.newPage();
    page.setDefaultTimeout(longestWait);
    return page;
  };
  const tabs = createTabs(async () => await newPage(await browser.createBrowserContext()));
  return {
    async checkPage(url, check = {}) {
      await tabs.use(url, check, async (page) => {
        const faults = collectFaults(page, check);
        let isOpen = false;
        for (const { scheme, axeAt, widths } of views) {
          await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
          for (const width of widths) {
            await page.setViewport({ width, height: 900 });
            if (!isOpen) await open(page, url, check);
            isOpen = true;
            await page.evaluate(drawn);
            const at = `${url} in ${scheme}, ${width} px wide`;
            if (width === axeAt) expect(await accessibilityFaults(page), at).to.equal('');
            expect(await page.evaluate(layoutFaults), `the layout of ${at}`).to.equal('');
          }
        }
        expect(faults.join('\n'), `${url}: errors, and what its policy forbids`).to.equal('');
        await useCookies(page, url, check);
        await page.setJavaScriptEnabled(false);
        await page.goto(url);
        if (check.send) await sendForm(page, check.send);
        const heading = await page.evaluate("document.querySelector('h1')?.innerText ?? ''");
        const text = await page.evaluate('document.body.innerText');
        expect(heading, `the heading of ${url} without scripts`).to.not.equal('');
        expect(text, `the text of ${url} without scripts`).to.match(/\S[\s\S]{20,}/);
      });
    },
    faultsOn: (page) => accessibilityFaults(page),
    newPage: () => newPage(browser),
    async close() {
      await browser.close();
      await folder.remove();
    },
  };
}

/**
 * Tabs for checks, each in a window of its own that shares nothing with the others. A tab is used again once a check has passed, when its
 * last page runs no script and loads nothing more: a new one takes the browser as long as the whole check of a small page.
 */
function createTabs(inNewWindow: () => Promise<Page>) {
  const free: Page[] = [];

  async function newTab(): Promise<Page> {
    const page = await inNewWindow();
    await page.setCacheEnabled(false); // Each check loads the page anew, and expects 200.
    return page;
  }

  return {
    async use(url: string, check: PageCheck, work: (page: Page) => Promise<void>): Promise<void> {
      const page = free.pop() ?? (await newTab());
      try {
        await page.setJavaScriptEnabled(true);
        await useCookies(page, url, check);
        await work(page);
        for (const name of ['console', 'pageerror', 'requestfailed'] as const) page.removeAllListeners(name);
        await page.evaluate('localStorage.clear(); sessionStorage.clear()');
      } catch (error) {
        await page.browserContext().close();
        throw error;
      }
      free.push(page);
    },
  };
}

/** Replaces the cookies of the page by those of the check. */
async function useCookies(page: Page, url: string, { cookies = [] }: PageCheck): Promise<void> {
  const { hostname: domain } = new URL(url);
  const context = page.browserContext();
  await context.deleteCookie(...(await context.cookies()));
  await context.setCookie(...[...cookies].map(([name, value]) => ({ name, value, domain, path: '/' })));
}

async function open(page: Page, url: string, { complete, status = 200, send, sendFile }: PageCheck): Promise<void> {
  const opened = await page.goto(url, { waitUntil: 'load' });
  const answer = send ? await sendForm(page, send) : sendFile ? await sendFileForm(page, sendFile) : opened;
  expect(answer?.status(), `the status of ${url}`).to.equal(status);
  if (complete) await page.waitForSelector(complete);
}

/** Fills in the form in the content of the page, and presses its button. */
async function sendForm(page: Page, typed: NonNullable<PageCheck['send']>): Promise<HTTPResponse | null> {
  for (const [name, value] of Object.entries(typeof typed === 'function' ? typed() : typed)) {
    await page.evaluate(`document.querySelector('main [name="${name}"]').value = ${JSON.stringify(value)}`);
  }
  const [answer] = await Promise.all([
    page.waitForNavigation({ waitUntil: 'load' }),
    page.evaluate("document.querySelector('main form:not(.inline) button[type=submit]').click()"),
  ]);
  return answer;
}

/** Chooses a file in the form of the page, and sends it as browsers do without scripts. */
async function sendFileForm(page: Page, path: string): Promise<HTTPResponse | null> {
  const field = await page.waitForSelector('main input[type=file]');
  await (field as ElementHandle<HTMLInputElement>).uploadFile(path);
  const [answer] = await Promise.all([
    page.waitForNavigation({ waitUntil: 'load' }),
    page.evaluate("document.querySelector('main form[data-upload]').submit()"),
  ]);
  return answer;
}

/** Browsers report breaches of the content security policy as errors on the console. */
function collectFaults(page: Page, { status = 200 }: PageCheck): string[] {
  const faults: string[] = [];
  page.on('console', (message) => {
    const isExpected = status !== 200 && message.text().includes(`status of ${status}`);
    if (['error', 'warn'].includes(message.type()) && !isExpected)
      faults.push(`${message.text()} ${message.location().url ?? ''}`);
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText;
    // In another width, the browser takes another size of a picture, and stops loading this one.
    const isAnotherSize = reason === 'net::ERR_ABORTED' && request.resourceType() === 'image';
    if (!isAnotherSize) faults.push(`${request.url()}: ${reason}`);
  });
  return faults;
}

/**
 * Returns each fault with its elements. axe-core is loaded by the debugging protocol, which the policy does not
 * concern.
 */
async function accessibilityFaults(page: Page): Promise<string> {
  const isLoaded = await page.evaluate("typeof axe === 'object'");
  if (!isLoaded) await page.evaluate(await readFile(axePath, 'utf8'));
  const found = await page.evaluate(`axe.run(document, ${JSON.stringify(onlyFaults)}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 200)).join(' | ')).join('\\n'))`);
  return String(found);
}
