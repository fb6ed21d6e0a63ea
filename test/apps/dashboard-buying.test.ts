import { expect } from 'chai';
import type { Page } from 'puppeteer-core';
import { t } from '../../apps/wiring/tokens.ts';
import type { Offer } from '../../core/marketplace/offers.ts';
import { type SellingService, startSellingService } from '../adapters/http/account/selling-service.ts';
import { chromium, openBrowser, type TestBrowser } from '../support/browser.ts';
import { operator } from '../support/by.ts';
import { inPlaceOfLookups } from '../support/domain-proofs.ts';
import { good } from '../support/good.ts';
import { placeOrder } from '../support/placed-orders.ts';
import { needing } from '../support/required-service.ts';
import { type StripeDouble, startStripeDouble } from '../support/stripe-double/stripe-double.ts';
import type { WebAnswer } from '../support/web-client.ts';

const onSale = { thumbnail: null, status: 'published', archivedAt: null, price: 4900, sellerName: 'Ada & Co' } as const;
const longTitle = `Zahlungsabwicklung_${'x'.repeat(80)}`;
const tokenOf = ({ location = '' }: WebAnswer) => /^\/orders\/([0-9a-z]{24})/.exec(location)?.[1] ?? '';

const press = (page: Page, selector: string) => Promise.all([page.waitForNavigation(), page.click(selector)]);
const textOf = (page: Page) => page.evaluate('document.body.innerText').then(String);
const pathOf = (page: Page) => new URL(page.url()).pathname.replace(/[0-9a-z]{24}/, 'T');

needing(chromium.skip).describe('the pages for buyers in a browser', () => {
  let service: SellingService;
  let browser: TestBrowser;
  before(async () => {
    const instructions = 'Send the money to\nIBAN DE12 3456 7890 1234 5678 90';
    service = await startSellingService({ PAYMENTS_URL: 'test:demo,manual:', PAYMENT_INSTRUCTIONS: instructions });
    const terms = { maxDomains: 3, duration: { days: 365, from: 'first_activation' } } as const;
    await service.product(null, 'swap', { ...onSale, title: 'Swap', terms });
    const guarded = { domainProof: 'to_take', deactivation: 'holder', maxDomains: 2 } as const;
    await service.product(null, 'guarded', { ...onSale, title: 'Guarded', terms: guarded });
    await service.product(null, 'gift', { ...onSale, title: longTitle, price: 0, sellerName: 'متجر' });
    browser = await openBrowser();
  });
  beforeEach(() => service.clock.advance(3_600_000));
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const check = (path: string, more: Parameters<TestBrowser['checkPage']>[1] = {}) =>
    browser.checkPage(service.url + path, more);
  /** Orders a product as a guest without scripts, and plays these acts of the bank. */
  async function ordered(slug: string, way: string, ...acts: readonly string[]): Promise<string> {
    const guest = service.browser();
    const email = `buyer-${Math.random()}@example.com`;
    const token = tokenOf(await guest.fill(`/marketplace/${slug}/buy`, { email, ...(way && { way }) }));
    for (const act of acts) await guest.post(`/orders/${token}/pay/${act}`, {});
    return `/orders/${token}`;
  }

  it('have no fault before and after a refusal, with one way to pay and with several, free and paid', async () => {
    await check('/marketplace/swap/buy');
    await check('/marketplace/swap/buy', { send: { email: 'bob' }, status: 422 });
    await check('/marketplace/gift/buy');
    const ada = await service.signedInUser({ name: 'آدا' });
    await check('/marketplace/swap/buy', { cookies: ada.browser.cookies });
  });

  it('lead from the offers of a product to the license of the chosen one', async () => {
    const offer = (slug: string, more: Partial<Offer> = {}): Offer => ({
      ...{ slug, name: `The ${slug} offer`, kind: 'once', price: 9_900, maxDomains: 5, duration: null },
      ...{ updatesMonths: 12, entitlements: ['pro'], isListed: true },
      ...more,
    });
    const offers = [offer('team'), offer('solo', { price: 2_900, maxDomains: 1 }), offer('x'.repeat(40), { price: 0 })];
    await service.product(null, 'choice', { ...onSale, title: 'Choice', version: '1', offers });
    for (const path of ['', '/buy', '/buy?offer=solo', `/buy?offer=${'x'.repeat(40)}`]) {
      await check(`/marketplace/choice${path}`);
    }
    const page = await browser.newPage();
    try {
      await page.goto(`${service.url}/marketplace/choice`);
      await page.click('input[value="solo"]');
      await press(page, '.offer-choice button');
      expect(await textOf(page))
        .to.include('The solo offer')
        .and.to.include('$29.00');
      await page.type('#email', 'buyer-of-solo@example.com');
      await page.click('input[name="way"][value="test"]');
      await press(page, '.submit > button');
      await press(page, 'main form button');
      expect(await textOf(page))
        .to.include('The solo offer')
        .and.to.include('Updates until');
      await check(new URL(page.url()).pathname);
    } finally {
      await page.close();
    }
  });

  for (const hasScripts of [true, false]) {
    it(`let buyers choose the price, ${hasScripts ? 'with' : 'without'} scripts`, async () => {
      const slug = `tips-${hasScripts ? 'live' : 'plain'}`;
      const leastPrices = { usd: 500, jpy: 700 };
      await service.product(null, slug, {
        ...onSale,
        title: 'Tips',
        price: 1_500,
        prices: { jpy: 2_000 },
        leastPrices,
      });
      await check(`/marketplace/${slug}`);
      await check(`/marketplace/${slug}/buy`);
      await check(`/marketplace/${slug}/buy`, { send: { email: 'bob@example.com', amount: '4' }, status: 422 });
      await check(`/marketplace/${slug}/buy?amount=4`);
      const page = await browser.newPage();
      try {
        await page.setJavaScriptEnabled(hasScripts);
        await page.goto(`${service.url}/marketplace/${slug}?currency=jpy`);
        expect(await textOf(page)).to.include('from ¥700');
        await press(page, '.buy-box .buy');
        await page.$eval('#amount', (field) => field.setAttribute('value', ''));
        await page.type('#amount', '1234');
        await page.type('#email', `${slug}@example.com`);
        await page.click('input[name="way"][value="test"]');
        // The script shows the new price at once. Without it, the next page does.
        expect((await textOf(page)).includes('¥1,234')).to.equal(hasScripts);
        await press(page, '.submit > button');
        if (!hasScripts) {
          expect(await textOf(page))
            .to.include('you pay ¥1,234 now')
            .and.not.include('Pay ¥2,000');
          await press(page, '.submit > button');
        }
        expect(pathOf(page)).to.equal('/orders/T/pay');
        expect(await textOf(page)).to.include('¥1,234');
      } finally {
        await page.close();
      }
    });
  }

  it('print a receipt by a button that is not on the paper', async () => {
    const receipt = `${await ordered('swap', 'test', 'pay')}/invoice`;
    await check(receipt);
    const page = await browser.newPage();
    try {
      await page.evaluateOnNewDocument('globalThis.printed = 0; globalThis.print = () => { globalThis.printed++; };');
      await page.goto(service.url + receipt);
      await page.click('button[data-print]');
      expect(await page.evaluate('printed')).to.equal(1);
      await page.emulateMediaType('print');
      expect(await textOf(page))
        .to.include('$49.00')
        .and.to.not.include('Print');
    } finally {
      await page.close();
    }
  });

  it('have no fault where a license is renewed, upgraded, or bought after a trial', async () => {
    const offer = (slug: string, kind: Offer['kind'], more: Partial<Offer> = {}): Offer => ({
      ...{ slug, name: `The ${slug} offer`, kind, price: 3_000, maxDomains: 1, duration: { days: 30, from: 'issue' } },
      ...{ updatesMonths: 12, entitlements: ['pro', 'export.csv'], isListed: true },
      ...more,
    });
    const long = offer('long', 'upgrade', { name: 'x'.repeat(60), price: 99_999_900, maxDomains: 1_000_000 });
    const offers = [
      offer('try', 'trial', { price: 0 }),
      offer('month', 'once', { price: 6_000 }),
      offer('more', 'renewal'),
      long,
    ];
    await service.product(null, 'renewable', { ...onSale, title: longTitle, version: '1', offers });
    await check('/marketplace/renewable');
    const bought = await ordered('renewable', 'test', 'pay');
    await check(bought);
    await check(`${bought}/renew?offer=more`);
    await check(`${bought}/renew?offer=more`, { send: { way: 'gold' }, status: 422 });
    await check(`${bought}/renew?offer=long`);
    const page = await browser.newPage();
    try {
      await page.goto(`${service.url}${bought}/renew?offer=long`);
      await page.click('input[name="way"][value="test"]');
      await press(page, '.submit > button');
      await check(new URL(page.url()).pathname.replace('/pay', ''));
      await press(page, 'main form button');
      expect(await textOf(page)).to.include('Your license has changed');
      await check(new URL(page.url()).pathname);
      await page.click('section[aria-labelledby="renewed"] a.button');
      await page.waitForSelector('#key');
      expect(await textOf(page)).to.include('1,000,000');
    } finally {
      await page.close();
    }
  });

  it('have the edges of the product from which buyers come, up to the key', async () => {
    const page = await browser.newPage();
    try {
      await page.setViewport({ width: 1280, height: 900 });
      const order = await ordered('swap', 'test', 'pay');
      const edges = [];
      for (const path of ['/marketplace/swap', '/marketplace/swap/buy', order, `${order}/pay`]) {
        await page.goto(service.url + path);
        const left = "document.querySelector('QUERY').getBoundingClientRect().left";
        edges.push(await page.evaluate(`[${left.replace('QUERY', '.brand')}, ${left.replace('QUERY', 'h1')}].join()`));
      }
      expect(new Set(edges).size, edges.join(' ')).to.equal(1);
    } finally {
      await page.close();
    }
  });

  it('have no fault in any state of an order', async () => {
    const open = await ordered('swap', 'test');
    await check(open);
    await check(`${open}/pay`);
    await check(await ordered('swap', 'manual'));
    await check(await ordered('gift', ''));
    const acts = [['decline'], ['pay'], ['pay', 'refund'], ['pay', 'dispute'], ['pay', 'dispute', 'lose']];
    for (const some of acts) {
      const path = await ordered('swap', 'test', ...some);
      await check(path);
      await check(`${path}/pay`);
      if (some[0] === 'pay') await check(`${path}/invoice`);
    }
  });

  it('have no fault with domains, an explanation and the forms for domains', async () => {
    const path = await ordered('swap', 'test', 'pay');
    const key = /LIC-[0-9A-Z-]{19}/.exec((await service.browser().get(path)).html)?.[0] ?? '';
    const long = `${'very-long-name-of-a-site-'.repeat(2)}.${'sub.'.repeat(10)}example.com`;
    for (const domain of ['shop.example.com', long]) await service.activate(key, domain);
    await check(path);
    await check(`${path}?domain=www.shop.example.com`);
    await check(`${path}?domain=shop.example.com`);
    await check(`${path}/domains/shop.example.com/move`);
    await check(`${path}/domains/shop.example.com/move`, { send: { to: '' }, status: 422 });
    await check(`${path}/domains/${long}/remove`);
    await check(`${path}/pay`, { send: { amount: '1000' }, status: 422 });
  });

  it('have no fault with a domain to prove, a refused proof and what is missing', async () => {
    await inPlaceOfLookups(service.parts);
    const path = await ordered('guarded', 'test', 'pay');
    const key = /LIC-[0-9A-Z-]{19}/.exec((await service.browser().get(path)).html)?.[0] ?? '';
    const long = `${'very-long-name-of-a-site-'.repeat(2)}.${'sub.'.repeat(10)}example.com`;
    for (const domain of ['shop.example.com', long]) await service.activate(key, domain);
    await check(`${path}/domains/${long}/prove`);
    await check(`${path}/domains/${long}/prove`, { send: {}, status: 422 });
    await check(`${path}?domain=other.example.org`);
  });

  it('have no fault for a question to the seller', async () => {
    const mailing = await startSellingService({ MAIL_URL: 'smtp://mail.example', MAIL_FROM: 'shop@example.com' });
    try {
      await mailing.product(null, 'swap', { ...onSale, title: longTitle });
      const ask = `${mailing.url}/marketplace/swap/ask`;
      await browser.checkPage(ask);
      await browser.checkPage(ask, { send: { question: '' }, status: 422 });
      await browser.checkPage(ask, { send: { question: 'x'.repeat(300) } });
      await browser.checkPage(`${mailing.url}/marketplace/swap`);
    } finally {
      await mailing.close();
    }
  });

  it('have no fault with a review, before and after it is written, and on the page of the product, with many and long ones', async () => {
    const long = `${'A very long word: '}${'x'.repeat(300)}\n${'محفظة رقمية 钱包 '.repeat(60)}`;
    const paths: string[] = [];
    for (let n = 0; n < 13; n++) {
      const { token } = await placeOrder(service.parts, 'swap', { email: `${n}@example.com`, way: 'manual' });
      const path = `/orders/${token}`;
      paths.push(path);
      if (n === 0) continue;
      const name = n % 3 === 0 ? 'y'.repeat(80) : '';
      await service.browser().fill(`${path}/review`, { stars: String(1 + (n % 5)), text: n % 2 ? long : '', name });
    }
    const [unrated = '', rated = ''] = paths;
    await check(unrated);
    await check(`${unrated}/review`);
    await check(`${unrated}/review`, { send: {}, status: 422 });
    await check(rated);
    await check(`${rated}/review`);
    await check('/marketplace/swap');
    await check('/marketplace?q=swap');
    const admin = await service.signedInUser({ name: 'Root', role: 'admin' });
    const { cookies } = admin.browser;
    const { id } = good(await (await service.parts.get(t.products)).find('swap', operator));
    const list = `/selling/live/products/${id}/reviews`;
    await check(list, { cookies });
    const [one = ''] = /\d+(?=\/reply)/.exec((await admin.browser.get(list)).html) ?? [];
    await check(`${list}/${one}/reply`, { cookies });
    await check(`${list}/${one}/report`, { cookies, send: { why: '' }, status: 422 });
    await check('/admin/moderation/reviews', { cookies });
    await check('/admin/moderation/reviews?state=shown', { cookies });
    await admin.browser.fill(`${list}/${one}/report`, { why: long.slice(0, 500) });
    await check('/admin/moderation/reviews', { cookies });
    await check(`/admin/moderation/reviews/${one}`, { cookies });
    await check(`/admin/moderation/reviews/${one}/hide`, { cookies });
  });

  it('have no fault in the list of purchases, empty and full', async () => {
    const ada = await service.signedInUser();
    const { cookies } = ada.browser;
    await check('/account/purchases', { cookies });
    for (const slug of ['gift', 'swap', 'swap']) await ada.browser.fill(`/marketplace/${slug}/buy`, {});
    await check('/account/purchases', { cookies });
  });

  it('show the key on the page that tells how to pay, as soon as the payment is recorded', async () => {
    const path = await ordered('swap', 'manual');
    const page = await browser.newPage();
    try {
      await page.goto(service.url + path);
      expect(await textOf(page)).to.match(/Write on the transfer\s+[0-9A-Z]{4}-[0-9A-Z]{4}/);
      const order = await (await service.parts.get(t.orderStore)).findByToken(path.split('/').at(-1) ?? '');
      const shown = page.waitForSelector('#key');
      const orders = await service.parts.get(t.orders);
      good(await orders.pay(String(order?.id), { actor: operator, mode: 'live' }));
      await shown;
    } finally {
      await page.close();
    }
  });

  for (const hasScripts of [true, false]) {
    it(`lead a guest from the form to the key, ${hasScripts ? 'with' : 'without'} scripts`, async () => {
      const page = await browser.newPage();
      try {
        await page.setJavaScriptEnabled(hasScripts);
        await page.goto(`${service.url}/marketplace/swap/buy`);
        await page.type('#email', `guest-${hasScripts}@example.com`);
        await page.type('#name', 'Grace');
        await press(page, '.submit > button');
        expect(pathOf(page)).to.equal('/orders/T/pay');
        expect(await textOf(page)).to.include('no money moves');
        await press(page, 'form[action$="/decline"] button');
        expect(await textOf(page)).to.include('The payment was declined.');
        await press(page, 'form[action$="/pay"] button');
        expect(pathOf(page)).to.equal('/orders/T');
        const key = String(await page.evaluate("document.querySelector('#key').value"));
        expect(key).to.match(/^LIC-/);
        if (hasScripts) {
          await page.click('button[aria-controls=key]');
          await page.waitForFunction("document.querySelector('button[aria-controls=key]').textContent === 'Copied'");
        }
        await press(page, 'aside a[href$="/invoice"]');
        await page.emulateMediaType('print');
        expect(await textOf(page))
          .to.include('Invoice')
          .and.to.not.include('Back to the order');
      } finally {
        await page.close();
      }
    });
  }
});

needing(chromium.skip).describe('buying at an imitation of Stripe in a browser', () => {
  let stripe: StripeDouble;
  let service: SellingService;
  let browser: TestBrowser;
  before(async () => {
    stripe = await startStripeDouble({ clock: { now: () => service.clock.now() } });
    service = await startSellingService(stripe.settings);
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await service?.close();
    await stripe?.[Symbol.asyncDispose]();
  });

  it('leads there and back: to the key at once, and with a slow payment to a page that waits', async () => {
    const ada = await service.signedInUser();
    await service.product(ada, 'swap', { ...onSale, title: 'Swap', isLive: false });
    const page = await browser.newPage();
    try {
      const { hostname } = new URL(service.url);
      for (const [name, value] of ada.browser.cookies) await page.setCookie({ name, value, domain: hostname });
      await page.goto(`${service.url}/marketplace/swap/buy`);
      await press(page, '.submit > button');
      expect(page.url()).to.include(`${stripe.url}/c/pay/`);
      await press(page, 'button[value=pay]');
      expect(await page.evaluate("document.querySelector('#key').value")).to.match(/^LIC-/);

      await page.goto(`${service.url}/marketplace/swap/buy`);
      await press(page, '.submit > button');
      await press(page, 'button[value=slow]');
      expect(await textOf(page)).to.include('We wait for the answer of the bank');
      const waiting = page.url();
      await browser.checkPage(waiting);
      const [session] = [...stripe.account.sessions.values()].slice(-1);
      stripe.account.finish(session?.id ?? '', true);
      const token = /orders\/([0-9a-z]{24})/.exec(waiting)?.[1] ?? '';
      const order = await (await service.parts.get(t.orderStore)).findByToken(token);
      const shown = page.waitForSelector('#key');
      if (order) await (await service.parts.get(t.settleOrder))(order.id);
      await shown;
    } finally {
      await page.close();
    }
  });
});
