import { expect } from 'chai';
import type { Page } from 'puppeteer-core';
import { privateKeyToAccount } from 'viem/accounts';
import { startUsdcService, type UsdcService } from '../adapters/http/dashboard/usdc-service.ts';
import { anvil } from '../support/anvil.ts';
import { chromium, openBrowser, type TestBrowser } from '../support/browser.ts';
import { needing } from '../support/required-service.ts';

/** What stands in for the owner of the wallet. */
interface Owner {
  /** The chain that the wallet is on. */
  chain: string;
  readonly switchesChain: boolean;
  readonly confirms: boolean;
  /** The account that the wallet shows. Without it, the one that pays. */
  account?: string;
}

interface Call {
  readonly method: string;
  readonly params?: readonly (Readonly<Record<string, string>> | string)[];
}

/** A wallet in the page, as extensions of browsers put it there. The name could be anything. */
const wallet = `
  const provider = {
    async request(call) {
      const { result, error } = JSON.parse(await window.askWallet(JSON.stringify(call)));
      if (error) throw Object.assign(new Error(error.message), error);
      return result;
    },
  };
  const info = { uuid: 'a-wallet', name: 'Fox <b>&</b> {wallet} $&', icon: 'data:image/svg+xml,', rdns: 'test.fox' };
  const announce = () => dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) }));
  addEventListener('eip6963:requestProvider', announce);
  announce();
`;
const name = 'Fox <b>&</b> {wallet} $&';
const payer = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
/** Everybody knows the key of the first account of anvil. */
const payerAccount = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');

needing(chromium.skip ?? anvil.skip).describe('paying with a wallet in the browser', () => {
  let started: UsdcService;
  let browser: TestBrowser;
  before(async () => {
    started = await startUsdcService();
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await started?.[Symbol.asyncDispose]();
  });

  /** Opens the page of a new order, in a browser with a wallet. */
  async function visit(owner: Owner) {
    const { chain, order, service } = started;
    const placed = await order();
    const page = await browser.newPage();
    const asked: Call[] = [];
    const answer = async ({ method, params: [given] = [] }: Call) => {
      const first = given instanceof Object ? given : undefined;
      if (method === 'eth_requestAccounts') return [owner.account ?? payer];
      if (method === 'personal_sign') {
        if (!owner.confirms) throw Object.assign(new Error('User rejected.'), { code: 4001 });
        return await payerAccount.signMessage({ message: { raw: String(given) as `0x${string}` } });
      }
      if (method === 'eth_chainId') return owner.chain;
      if (method === 'wallet_switchEthereumChain' && owner.switchesChain) owner.chain = first?.chainId ?? '';
      if (method !== 'eth_sendTransaction') return null;
      if (!owner.confirms) throw Object.assign(new Error('User rejected.'), { code: 4001 });
      const { to, data = '' } = first ?? {};
      return await chain.submit({ ...(to !== undefined && { to }), data });
    };
    await page.exposeFunction('askWallet', async (text: string) => {
      const call: Call = JSON.parse(text);
      asked.push(call);
      try {
        return JSON.stringify({ result: await answer(call) });
      } catch (error) {
        return JSON.stringify({ error: { ...(error as object), message: (error as Error).message } });
      }
    });
    await page.evaluateOnNewDocument(wallet);
    await page.goto(service.url + placed.path);
    return { ...placed, page, asked, sent: () => asked.filter(({ method }) => method === 'eth_sendTransaction') };
  }
  const button = '[data-wallets] .choices button';
  const statusOf = (page: Page, text: string) =>
    page.waitForFunction(
      (wanted) => document.querySelector('[data-wallets] [role=status]')?.textContent === wanted,
      {},
      text,
    );

  it('fills in the payment, looks for its transaction, and shows the key when it is final', async () => {
    const { page, asked, sent } = await visit({ chain: '0x1', switchesChain: true, confirms: true });
    try {
      await page.waitForSelector(button);
      expect(await page.$eval(button, (one) => one.textContent)).to.equal(`Pay with ${name}`);
      expect(await browser.faultsOn(page)).to.equal('');
      await Promise.all([page.waitForNavigation(), page.click(button)]);
      expect(asked.map(({ method }) => method)).to.deep.equal([
        ...['eth_requestAccounts', 'eth_chainId', 'wallet_switchEthereumChain', 'eth_chainId', 'eth_sendTransaction'],
      ]);
      const [transaction] = sent();
      expect(transaction?.params?.[0]).to.include({ from: payer, value: '0x0', chainId: '0x2105' });
      expect(page.url()).to.match(/\?tx=0x[0-9a-f]{64}#paid$/);
      expect(await page.$eval('main', (one) => one.innerText)).to.match(/It has moved [\d.]+ USDC to the address/);
      // It is not offered again, also on the page without the transaction.
      await page.goto(page.url().replace(/\?.*/, ''));
      await page.waitForFunction(() => document.body.innerText.includes('This browser has sent the payment.'));
      expect(await page.$(button)).to.equal(null);
      // Unless the wallet has given it up.
      const again = page.locator('[data-wallets] button').filter((one) => one.innerText.startsWith('Pay again'));
      await Promise.all([page.waitForNavigation(), again.click()]);
      await page.waitForSelector(button);
      await started.look();
      await started.chain.mine(2);
      await started.look();
      await page.reload();
      expect(await page.$eval('main', (one) => one.innerText)).to.include('Your license key');
    } finally {
      await page.close();
    }
  });

  it('sends nothing if the wallet stays on another chain', async () => {
    const { page, sent } = await visit({ chain: '0x1', switchesChain: false, confirms: true });
    try {
      await page.waitForSelector(button);
      await page.click(button);
      await statusOf(page, 'The wallet is on another chain. Nothing was sent. Switch it to Base, and try again.');
      expect(sent()).to.deep.equal([]);
    } finally {
      await page.close();
    }
  });

  it('can be tried again after somebody has declined', async () => {
    const owner = { chain: '0x2105', switchesChain: false, confirms: false };
    const { page, sent } = await visit(owner);
    try {
      await page.waitForSelector(button);
      await page.click(button);
      await statusOf(page, 'You have declined it in the wallet. Nothing was sent.');
      owner.confirms = true;
      await Promise.all([page.waitForNavigation(), page.click(button)]);
      expect(sent()).to.have.lengthOf(2);
    } finally {
      await page.close();
    }
  });

  it('signs that an address is the seller’s', async () => {
    const { service } = started;
    const eve = await service.signedInUser({ name: 'Eve' });
    const wallets = '/selling/live/orders/wallets';
    await eve.browser.fill(wallets, { chain: '8453', address: payerAccount.address });
    expect((await eve.browser.get(wallets)).text).to.include('have not signed yet');
    const { page } = await visit({ chain: '0x1', switchesChain: false, confirms: true });
    try {
      const { hostname: domain } = new URL(service.url);
      for (const [cookie, value] of eve.browser.cookies)
        await page.browserContext().setCookie({ name: cookie, value, domain, path: '/' });
      await page.goto(`${service.url}${wallets}/sign`);
      await page.waitForSelector(button);
      expect(await browser.faultsOn(page)).to.equal('');
      await Promise.all([page.waitForNavigation(), page.click(button)]);
      const text = await page.$eval('main', (one) => one.innerText);
      expect(text).to.include('In use').and.to.include(payerAccount.address);
    } finally {
      const own = await page.browserContext().cookies();
      await page.browserContext().deleteCookie(...own);
      await page.close();
    }
  });

  it('signs that a payment without a match is for the order, and the seller takes it', async () => {
    const owner = { chain: '0x1', switchesChain: false, confirms: false, account: `0x${'12'.repeat(20)}` };
    const { page, asked, path } = await visit(owner);
    const { service, ada, pay, chain, look } = started;
    const hash = await pay(77_000_000);
    await chain.mine(2);
    await look();
    try {
      await page.goto(`${service.url}${path}?tx=${hash}#paid`);
      const link = page.locator('#paid a').filter((one) => one.innerText.startsWith('Sign that'));
      await Promise.all([page.waitForNavigation(), link.click()]);
      await page.waitForSelector(button);
      expect(await browser.faultsOn(page)).to.equal('');
      await page.click(button);
      await page.waitForFunction(() => document.body.innerText.includes('The wallet shows another account.'));
      owner.account = payer;
      await page.click(button);
      await statusOf(page, 'You have declined it in the wallet. Nothing was signed.');
      owner.confirms = true;
      await Promise.all([page.waitForNavigation(), page.click(button)]);
      expect(await page.$eval('main', (one) => one.innerText)).to.include('The seller decides about the payment');
      expect(await browser.faultsOn(page)).to.equal('');
      expect(asked.filter(({ method }) => method === 'personal_sign')).to.have.lengthOf(2);
    } finally {
      await page.close();
    }
    const { cookies } = ada.browser;
    const claims = '/selling/live/orders/claims';
    const { html } = await ada.browser.get(claims);
    const [id] = /claims\/(\d+)"/.exec(html)?.slice(1) ?? [];
    for (const end of ['', `/${id}`, `/${id}/take`, `/${id}/reject`])
      await browser.checkPage(service.url + claims + end, { cookies });
    expect((await ada.browser.fill(`${claims}/${id}/take`, {})).status).to.equal(303);
    await browser.checkPage(`${service.url}${claims}/${id}`, { cookies });
    expect((await service.browser().get(path)).text).to.include('Your license key');
  });
});
