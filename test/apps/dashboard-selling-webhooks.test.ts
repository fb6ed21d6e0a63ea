import { expect } from 'chai';
import { webhookBackOff } from '../../core/webhooks/delivery.ts';
import { endpointLimits } from '../../core/webhooks/endpoint.ts';
import { startWebhookService, type WebhookService } from '../adapters/http/account/webhook-service.ts';
import type { Person } from '../adapters/http/dashboard/dashboard-service.ts';
import { chromium, openBrowser, plainHost, type TestBrowser } from '../support/browser.ts';
import { needing } from '../support/required-service.ts';
import { arrived, refusedByReceiver } from '../support/webhook-attempts.ts';

const live = '/selling/live/webhooks';
const longUrl = `https://${'very-long-name.'.repeat(8)}example.com/${'path/'.repeat(40)}?token=${'x'.repeat(200)}`;

needing(chromium.skip).describe('the pages of webhooks in a browser', () => {
  let service: WebhookService;
  let browser: TestBrowser;
  let ada: Person;
  let own: string;
  let delivery: string;
  let listener: string;
  before(async () => {
    service = await startWebhookService();
    browser = await openBrowser();
    ada = await service.signedInUser({ name: 'Ada' });
    await service.product(ada, 'cup', { title: 'متجر الكعك' });
    const description = 'W'.repeat(endpointLimits.description);
    await service.webhook(ada, { description });
    const listening = await service.webhook(ada, { url: null, description: 'Laptop' });
    await service.sample(ada, listening);
    listener = `${live}/${listening.endpoint.id}`;
    const webhook = await service.webhook(ada, { url: longUrl, product: 'cup', events: ['license.domain_moved'] });
    own = `${live}/${webhook.endpoint.id}`;
    const { id } = await service.sample(ada, webhook, 'license.domain_moved');
    delivery = `${own}/deliveries/${id}`;
    const wide = { ...refusedByReceiver, request: { url: longUrl, headers: { 'webhook-id': 'x'.repeat(300) } } };
    for (const wait of [...webhookBackOff, 0]) {
      await service.attempt(wide);
      service.clock.advance(wait);
    }
    await service.sample(ada, webhook, 'license.issued');
    await service.attempt(arrived);
    await service.sample(ada, webhook, 'license.issued');
    await service.attempt(refusedByReceiver);
    await service.sample(ada, webhook, 'license.issued');
    // So that no page asks for the password again.
    const again = service.browser();
    await service.signIn(again, ada);
    ada = { ...ada, browser: again };
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const check = (path: string, more: Parameters<TestBrowser['checkPage']>[1] = {}) =>
    browser.checkPage(service.url + path, { cookies: ada.browser.cookies, ...more });

  it('have no fault before there is a webhook', () => check('/selling/test/webhooks'));

  it('have no fault as a list, and as one webhook with plot, reasons of failures and deliveries', async () => {
    for (const path of [live, own]) await check(path, { complete: '.graph canvas' });
  });

  it('have no fault with deliveries, with none that match, and with six attempts side by side', async () => {
    for (const path of [`${own}/deliveries`, `${own}/deliveries?state=failed&event=license.revoked`, delivery]) {
      await check(path);
    }
  });

  it('have no fault for a listener, which has no address', async () => {
    for (const path of [listener, `${listener}/deliveries`, `${listener}/test`, `${listener}/replay`])
      await check(path);
  });

  it('have no fault as forms, also after a mistake', async () => {
    for (const path of [
      `${live}/new`,
      `${own}/edit`,
      `${own}/test`,
      `${own}/replay`,
      `${own}/delete`,
      `${own}/secret`,
    ]) {
      await check(path);
    }
    await check(`${live}/new`, { send: { url: 'http://localhost' }, status: 422 });
  });

  it('have no fault with a secret', () => check(`${own}/secret`, { send: {} }));

  it('show the list of events only if they are to be chosen, and without script too', async () => {
    const page = await browser.newPage();
    try {
      const { port } = new URL(service.url);
      for (const [name, value] of ada.browser.cookies) await page.setCookie({ name, value, domain: plainHost });
      await page.setJavaScriptEnabled(false);
      await page.goto(`http://${plainHost}:${port}${live}/new`);
      const isShown = () => page.evaluate("document.querySelector('.if-some').checkVisibility()");
      expect(await isShown()).to.equal(false);
      await page.click('input[name="access"][value="some"]');
      expect(await isShown()).to.equal(true);
      await page.click('input[value="license.verified"]');
      await page.type('input[name="url"]', 'https://hooks.example.com/new');
      await Promise.all([page.waitForNavigation(), page.click('main form button[type="submit"]')]);
      expect(await page.evaluate("document.querySelector('#secret').value")).to.match(/^whsec_/);
    } finally {
      await page.close();
    }
  });
});
