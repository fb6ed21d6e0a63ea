import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { launchSteps } from '../../../../core/administration/launch.ts';
import { createLearn } from '../../../../core/purchases/settle.ts';
import { by, operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { addForSale, addOrder } from '../../../support/orders.ts';
import { itLong } from '../../../support/required-service.ts';
import { type DashboardService, type Person, startDashboardService } from './dashboard-service.ts';

/** The titles of the steps that are not done. */
async function left({ browser }: Pick<Person, 'browser'>): Promise<string[]> {
  const page = await browser.get('/admin');
  return page
    .elements('h2')
    .map(({ text }) => text)
    .filter((text) => !text.endsWith('Done'));
}

async function sell({ parts, clock }: DashboardService): Promise<void> {
  const product = await addForSale({ products: await parts.get(t.productStore) });
  const ports = await parts.get(t.orderPorts);
  const at = { createdAt: clock.now(), updatedAt: clock.now() };
  const { id } = await addOrder({ orders: ports.store }, product, at);
  good((await createLearn(ports)(id, ({ payment }) => ({ payment: { ...payment, status: 'paid' } }), by)) ?? { id });
}

describe('the launch checklist', () => {
  itLong('is the first page of administrators, with all that is left to do and where', async () => {
    await using service = await startDashboardService();
    const admin = await service.signedInUser({ role: 'admin' });
    const page = await admin.browser.get('/admin');
    expect([page.status, page.heading]).to.deep.equal([200, 'Launch checklist']);
    expect(page.text).to.include('8 steps are left before your site is ready.');
    expect(await left(admin)).to.have.lengthOf(launchSteps.length);
    const paths = page.links.map(({ href }) => href.replace(/^[./]+/, '').replace(/#.*$/, ''));
    for (const path of [
      'admin/settings/appearance?from=launch',
      'admin/settings/payments?from=launch',
      'admin/settings/mail?from=launch',
      'selling/live/products/new',
    ]) {
      expect(paths).to.include(path);
      expect((await admin.browser.get(`/${path}`)).status, path).to.equal(200);
    }
    const saved = await admin.browser.fill('/admin/settings/appearance?from=launch', { site_name: 'Acme' });
    expect([saved.status, saved.location], 'after a step').to.deep.equal([303, '/admin']);
    const { browser } = await service.signedInUser();
    expect((await browser.get('/admin')).status).to.equal(403);
  });

  itLong('ticks each step when it is done, and leads to the users when all are', async () => {
    await using service = await startDashboardService({
      PAYMENTS_URL: 'manual:',
      PAYMENT_INSTRUCTIONS: 'Transfer it.',
      BASE_URL: 'https://shop.example.com',
    });
    const admin = await service.signedInUser({ role: 'admin' });
    expect(await left(admin)).to.deep.equal([
      'Name your site',
      'Publish your first product',
      'Make a first purchase',
      'Enter your details for invoices',
      'Connect a mail server',
      'Make backups',
    ]);
    const settings = await service.parts.get(t.siteSettings);
    good(await settings.change({ site_name: 'Acme' }, operator));
    good(await settings.change({ mail_server: 'smtp://mail.example.com', mail_from: 'a@example.com' }, operator));
    const details = await admin.browser.fill('/admin/settings/invoices', {
      company: 'Acme',
      street: 'Way 1',
      city: 'Graz',
      country: 'AT',
    });
    expect(details.status, details.text).to.equal(303);
    expect(await left(admin)).to.deep.equal(['Publish your first product', 'Make a first purchase', 'Make backups']);
    await sell(service);
    expect(await left(admin)).to.deep.equal(['Make backups']);
    expect((await admin.browser.get('/admin')).text).to.include('One step is left before your site is ready.');
    good(await settings.change({ backups: 'yes' }, operator));
    expect((await admin.browser.get('/admin')).location).to.equal('/admin/users');
  });

  itLong('leads to the order that waits for its payment, once there is one, and marks only the next step', async () => {
    await using service = await startDashboardService({
      PAYMENTS_URL: 'manual:',
      PAYMENT_INSTRUCTIONS: 'Transfer it.',
    });
    const admin = await service.signedInUser({ role: 'admin' });
    good(await (await service.parts.get(t.siteSettings)).change({ site_name: 'Acme' }, operator));
    await addForSale({ products: await service.parts.get(t.productStore) }, { slug: 'swap' });
    const next = async () =>
      [...(await admin.browser.get('/admin')).html.matchAll(/class="button primary" href="([^"]+)"/g)].map(
        ([, href]) => href,
      );
    expect(await next()).to.deep.equal(['./marketplace']);
    await service.browser().fill('/marketplace/swap/buy', { email: 'buyer@example.com' });
    expect(await next()).to.deep.equal(['./admin/orders']);
  });

  itLong('can be hidden', async () => {
    await using service = await startDashboardService();
    const admin = await service.signedInUser({ role: 'admin' });
    await admin.browser.fill('/admin/settings/launch', { checklist: 'hide' });
    expect((await admin.browser.get('/admin')).location).to.equal('/admin/users');
  });
});
