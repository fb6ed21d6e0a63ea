import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'puppeteer-core';
import { failures } from '../../adapters/http/failures.ts';
import { type Service, startService } from '../adapters/http/license/license-service.ts';
import { sdkFolder } from '../apps/sdk/built-sdk.ts';
import { chromium, openBrowser, plainHost, type TestBrowser } from '../support/browser.ts';
import { operator } from '../support/by.ts';
import { needing } from '../support/required-service.ts';
import { buildExample, type Example, exampleFolder, examples } from './example.ts';
import { quickClock, walletScript } from './page-scripts.ts';
import { openStaticSite } from './static-site.ts';

/** The examples whose code runs in the page: a selector of what the license is for, and the folder that its build writes. */
const pages = {
  'plain-javascript': { licensed: '#calculator', output: undefined },
  react: { licensed: 'main form', output: 'dist' },
  ethers: { licensed: '#wallet', output: 'dist' },
} as const;

const minute = 60_000;
const notice = '.wrong[role=alert]:not([hidden])';

for (const [name, { licensed, output }] of Object.entries(pages)) {
  needing(chromium.skip ?? (output && examples.skip)).describe(`the example ${name}`, () => {
    let service: Service;
    let browser: TestBrowser;
    let example: Example | undefined;
    before(async () => {
      if (!examples.skip) example = await buildExample(name, output ? 'build' : 'copy');
      service = await startService({ settings: { RATE_LIMIT_URL: 'off:' } });
      browser = await openBrowser();
    });
    after(async () => {
      await browser?.close();
      await service?.close();
      await example?.remove();
    });

    /** Opens the site of an owner whose license is active on `localhost`. It also answers as another domain. */
    async function openSite(from = service) {
      const key = await from.license();
      await from.post('/activate', { license_key: key, domain: 'localhost' });
      const folder = join(example?.path ?? exampleFolder(name), output ?? '');
      // Without its packages, the example without a build has no copy of the SDK.
      const added = example ? {} : { '/latchkey-sdk.js': join(sdkFolder, 'index.js') };
      const { port, ...site } = await openStaticSite(folder, from.url, key, added);
      return { ...site, key, url: `http://localhost:${port}/`, other: `http://${plainHost}:${port}/` };
    }

    /** Opens a page, and keeps the addresses that it asks on the license server. */
    async function openPage(url: string, script?: string) {
      const page = await browser.newPage();
      const calls: string[] = [];
      page.on('request', (request) => {
        if (/\/(?:verify|activate)\b/.test(request.url())) calls.push(request.url());
      });
      if (script) await page.evaluateOnNewDocument(script);
      await page.goto(url);
      return { page, calls };
    }

    const saysToOwner = (page: Page, words: RegExp) =>
      page.waitForFunction(`${words}.test(document.querySelector('#owner, main')?.innerText)`);
    const isShown = (page: Page, selector: string) =>
      page.evaluate(`Boolean(document.querySelector(${JSON.stringify(selector)})?.checkVisibility())`);

    it('works where the license is active, and tells the owner', async () => {
      await using site = await openSite();
      await browser.checkPage(site.url, { complete: licensed });
      const { page } = await openPage(`${site.url}?owner`);
      await saysToOwner(page, /Valid on localhost, without end\./);
      expect(await isShown(page, licensed)).to.equal(true);
      expect(await isShown(page, notice)).to.equal(false);
      await page.close();
    });

    it('stops on another domain, tells the owner why, and why the domain cannot be activated', async () => {
      await using site = await openSite();
      await browser.checkPage(site.other, { complete: notice });
      const { page, calls } = await openPage(site.other);
      await page.waitForSelector(notice, { visible: true });
      expect(await isShown(page, licensed)).to.equal(false);
      await page.goto(`${site.other}?owner`);
      await saysToOwner(page, /The license is not active on this domain\./);
      expect(calls.filter((call) => call.includes('/activate'))).to.deep.equal([]);
      await service.issuing.change(site.key, 'revoke', operator);
      await page.click('main button::-p-text(Activate on this domain)');
      await saysToOwner(page, /revoked/);
      await page.close();
    });

    it('shows a failed activation until the state of the license changes', async () => {
      await using site = await openSite();
      const { page } = await openPage(`${site.other}?owner`, quickClock);
      await saysToOwner(page, /The license is not active on this domain\./);
      await page.click('main button::-p-text(Activate on this domain)');
      const failure = new RegExp(failures.domain_limit_reached.message.replaceAll('.', '\\.'));
      await saysToOwner(page, failure);
      await service.issuing.change(site.key, 'revoke', operator);
      await page.evaluate(`goAhead(${61 * minute})`);
      await saysToOwner(page, /The license was revoked\. Ask the seller why\./);
      await page.close();
    });

    it('activates its domain when the owner presses the button, and then works', async () => {
      await using site = await openSite();
      await service.post('/deactivate', { license_key: site.key, domain: 'localhost' });
      await browser.checkPage(`${site.other}?owner`, { complete: '.wrong button:not([hidden])' });
      const { page } = await openPage(`${site.other}?owner`);
      const button = await page.waitForSelector('main button::-p-text(Activate on this domain)', { visible: true });
      await button?.click();
      await saysToOwner(page, /Valid on plain\.test, without end\./);
      await page.goto(site.other);
      await page.waitForSelector(licensed, { visible: true });
      await page.close();
    });

    it('goes on while the server is stopped, and only the owner reads about it', async () => {
      const mortal = await startService({ settings: { RATE_LIMIT_URL: 'off:' } });
      await using site = await openSite(mortal);
      await mortal.close();
      const { page } = await openPage(`${site.url}?owner`);
      await saysToOwner(page, /The license server gave no answer \(network\)\./);
      expect(await isShown(page, licensed)).to.equal(true);
      await page.goto(site.url);
      await page.waitForSelector(licensed, { visible: true });
      expect(await isShown(page, notice)).to.equal(false);
      expect(await page.evaluate('document.body.innerText')).to.not.match(/license|server/i);
      await page.close();
    });

    it('notices a revoked license when the answer is an hour old, also in an open page', async () => {
      await using site = await openSite();
      const { page, calls } = await openPage(site.url, quickClock);
      await page.waitForFunction('Object.values(localStorage).some((text) => text.includes(\'"state":"valid"\'))');
      await service.issuing.change(site.key, 'revoke', operator);
      await page.reload();
      await page.waitForSelector(licensed, { visible: true });
      expect(calls).to.have.length(1);
      await page.evaluate(`goAhead(${61 * minute})`);
      await page.waitForSelector(notice, { visible: true });
      expect(await isShown(page, licensed)).to.equal(false);
      expect(calls).to.have.length(2);
      await page.goto(`${site.url}?owner`);
      await saysToOwner(page, /The license was revoked\./);
      await page.close();
    });

    if (name === 'ethers') {
      const wallet = { account: '0x52908400098527886E0F7030069857D2E4169EE7', balance: 1_234_567_890n };

      async function connect(url: string, script?: string) {
        const { page } = await openPage(url, script);
        expect(await isShown(page, '#result')).to.equal(false);
        await page.click('#connect');
        await page.waitForFunction("!/No wallet is connected/.test(document.querySelector('#account').innerText)");
        const text = await page.evaluate("document.querySelector('#wallet').innerText");
        await page.close();
        return text;
      }

      it('reads the balance of the connected wallet', async () => {
        await using site = await openSite();
        const text = await connect(site.url, walletScript(wallet));
        expect(text).to.include(wallet.account).and.to.include('1234.56789 USDC');
      });

      it('says so if there is no wallet, its user declines, or it is on another network', async () => {
        await using site = await openSite();
        expect(await connect(site.url)).to.include('There is no wallet in this browser.');
        const declined = await connect(site.url, walletScript({ ...wallet, declines: true }));
        expect(declined).to.include('You did not connect your wallet.');
        const elsewhere = await connect(site.url, walletScript({ ...wallet, chainId: 11_155_111 }));
        expect(elsewhere).to.include('Your wallet is on another network.').and.to.not.include('USDC');
      });

      it('asks the wallet nothing without a license', async () => {
        await using site = await openSite();
        const { page } = await openPage(site.other, walletScript(wallet));
        await page.waitForSelector(notice, { visible: true });
        await page.evaluate("document.querySelector('#connect').click()");
        expect(await isShown(page, '#connect')).to.equal(false);
        expect(await page.evaluate('walletCalls')).to.deep.equal([]);
        await page.close();
      });
    }
  });
}

describe('the examples', () => {
  for (const name of [...Object.keys(pages), 'nextjs']) {
    it(`${name} says how to run it, and cannot be published by mistake`, async () => {
      const file = (path: string) => readFile(`${exampleFolder(name)}/${path}`, 'utf8');
      const { private: isPrivate, scripts } = JSON.parse(await file('package.json'));
      expect(isPrivate).to.equal(true);
      const readme = await file('README.md');
      expect(readme, 'before the SDK is published').to.match(/^npm install \$\(npm pack --silent \S+\/apps\/sdk\)$/m);
      const commands = readme.matchAll(/^npm (?:run )?(\w+)$/gm);
      const said = Array.from(commands, ([, command = '']) => command).filter((command) => command !== 'install');
      expect(said).to.not.deep.equal([]);
      expect(Object.keys(scripts)).to.include.members(said);
    });
  }
});
