import { expect } from 'chai';
import { t } from '../../apps/wiring/tokens.ts';
import { deploymentStates } from '../../core/deployments/deployment-state.ts';
import { event } from '../../core/events/event.ts';
import { type SellingService, startSellingService } from '../adapters/http/account/selling-service.ts';
import type { Person } from '../adapters/http/dashboard/dashboard-service.ts';
import { chromium, openBrowser, type TestBrowser } from '../support/browser.ts';
import { by, operator } from '../support/by.ts';
import { good } from '../support/good.ts';
import { placeOrder } from '../support/placed-orders.ts';
import { codeOf, reportDeployments } from '../support/reported-deployments.ts';
import { needing } from '../support/required-service.ts';

const day = 24 * 3_600_000;
const longText = 'Wolfeschlegelsteinhausenbergerdorff'.repeat(3);

needing(chromium.skip).describe('the pages about deployments in a browser', () => {
  let service: SellingService;
  let browser: TestBrowser;
  let people: Record<'ada' | 'eve' | 'root', Person>;
  let buyer: Person;
  let order: string;
  let license: string;
  before(async () => {
    service = await startSellingService();
    browser = await openBrowser();
    people = await service.people();
    buyer = await service.signedInUser({ name: longText });
    const { login } = await buyer.me();
    const links = await service.parts.get(t.productTemplates);
    const codes = await service.parts.get(t.releaseCodes);
    const now = service.clock.now();
    const releases = [];
    for (const [slug, title] of [
      ['jar', longText],
      ['cup', 'متجر الكعك'],
    ] as const) {
      const template = await service.template({ slug, title });
      const product = await service.product(people.ada, String(slug), {
        ...{ title, status: 'published', isApproved: true, price: 0 },
      });
      good(await links.link(String(product.id), String(slug), operator));
      const release = { productId: product.id, version: slug === 'jar' ? '9'.repeat(30) : '1.2.0' };
      const code = { ...release, contract: 'Dex', hash: codeOf(release), createdAt: now };
      good(await codes.add(code, event('product.changed', product.slug, by, now, { fields: 'codes' })));
      releases.push({ release, templateId: template.id, templateReference: template.slug });
    }
    const [jar, cup] = releases;
    const placed = await placeOrder(service.parts, 'jar', { email: buyer.email });
    license = `/selling/live/licenses/${placed.licenseKey}`;
    // The account claims what was ordered with its address.
    const claimed = good(await (await service.parts.get(t.purchases)).list(login.id, { limit: 1 }));
    order = `/orders/${claimed.orders[0]?.token}`;
    const chains = [1, 10, 137, 8453, 42_161, 31_337, 9_007_199_254_740_991];
    await reportDeployments(service.parts, login.id, [
      ...deploymentStates.map((state, n) => ({ ...jar, release: undefined, state, chainId: chains[n] ?? 1 })),
      ...chains.map((chainId, n) => ({
        ...(n % 2 === 0 ? jar : cup),
        ...{ chainId, at: now - n * 3 * day, state: 'confirmed' as const },
      })),
      ...Array.from({ length: 60 }, (_, n) => ({ ...jar, at: now - n * day, chainId: chains[n % 7] ?? 1 })),
      { templateReference: longText, chain: longText },
      { ...jar, isLive: false, chainId: 11_155_111 },
    ]);
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const check = (who: Person, path: string, complete?: string) =>
    browser.checkPage(service.url + path, { cookies: who.browser.cookies, ...(complete && { complete }) });

  it('have no fault before anything is deployed', async () => {
    await check(people.eve, '/selling/live/deployments');
    await check(people.eve, '/selling/live/deployments/list');
    await check(people.eve, '/account/deployments');
  });

  it('have no fault with figures, of the own templates and of all, live and for tests', async () => {
    const drawn = '.graph canvas';
    await check(people.ada, '/selling/live/deployments', drawn);
    await check(people.ada, '/selling/live/deployments?days=365&product=jar', drawn);
    await check(people.ada, '/selling/test/deployments', drawn);
    await check(people.root, '/admin/deployments?days=90', drawn);
    await check(people.root, '/admin/deployments?mode=test&product=none');
  });

  it('have no fault with each deployment in every state, and with none that match', async () => {
    await check(people.ada, '/selling/live/deployments/list');
    await check(people.root, '/admin/deployments/list');
    await check(buyer, '/account/deployments');
    await check(buyer, '/account/deployments?chain=31337&state=reverted&mode=test');
  });

  it('have no fault with the code of contracts, with none, and in their forms', async () => {
    const [jar, cup] = [1, 2].map((id) => `/selling/live/products/${id}`);
    await check(people.ada, `${jar}/codes`);
    await check(people.ada, `${jar}/codes/1/remove`);
    await check(people.ada, `${cup}/codes/new`);
  });

  it('copy the whole address of a contract, not what is shown of it', async () => {
    const page = await browser.newPage();
    try {
      await page.browserContext().overridePermissions(service.url, ['clipboard-read', 'clipboard-write']);
      const { hostname: domain } = new URL(service.url);
      for (const [name, value] of buyer.browser.cookies)
        await page.browserContext().setCookie({ name, value, domain, path: '/' });
      await page.goto(`${service.url}/account/deployments`);
      await page.click('.copied > button');
      await page.waitForFunction("document.querySelector('.copied > button').textContent === 'Copied'");
      expect(await page.evaluate('navigator.clipboard.readText()')).to.match(/^0x[0-9a-f]{40}$/);
    } finally {
      await page.browserContext().deleteCookie(...(await page.browserContext().cookies()));
      await page.close();
    }
  });

  it('have no fault on the license, for its seller and its buyer', async () => {
    await check(people.ada, license);
    await check(buyer, order);
  });
});
