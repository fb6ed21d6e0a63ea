import { expect } from 'chai';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { type DashboardService, startDashboardService } from '../dashboard/dashboard-service.ts';

describe('what search engines read', () => {
  let service: DashboardService;
  beforeEach(async () => {
    service = await startDashboardService();
  });
  afterEach(() => service.close());

  const get = (path: string) => service.browser().get(path);
  const addressesIn = async (path: string) =>
    [...(await get(path)).html.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, address = '']) =>
      address.replace(service.url, ''),
    );
  const add = async (title: string, isApproved = true) => {
    const product = good(await service.products.add({ title, ownerId: null }, operator));
    if (isApproved) await service.products.change(String(product.id), 'approve', operator);
    return product;
  };

  it('200: robots.txt keeps them from the pages of people, and names the list of pages', async () => {
    const { status, html: text, headers } = await get('/robots.txt');
    expect([status, headers.get('Content-Type')]).to.deep.equal([200, 'text/plain; charset=utf-8']);
    for (const path of ['account', 'selling', 'admin', 'orders']) expect(text).to.include(`Disallow: /${path}\n`);
    expect(text).to.include(`Sitemap: ${service.url}/sitemap.xml\n`);
    expect(text).to.not.include('Disallow: /marketplace');
  });

  it('200: the list has the public pages and all products for sale, and no other product', async () => {
    expect(await addressesIn('/sitemap.xml')).to.deep.equal(['/sitemap/0.xml']);
    const [jar, hidden, archived] = [await add('Jar & Co'), await add('Hidden', false), await add('Archived')];
    await service.products.change(String(archived.id), 'archive', operator);
    const { status, headers, html: text } = await get('/sitemap/0.xml');
    expect([status, headers.get('Content-Type')]).to.deep.equal([200, 'application/xml']);
    expect(text).to.match(/<lastmod>\d{4}-\d\d-\d\dT[^<]*Z<\/lastmod>/);
    expect(await addressesIn('/sitemap/0.xml')).to.deep.equal(['/', '/marketplace', `/marketplace/${jar.slug}`]);
    expect(text).to.not.include(hidden.slug);
  });

  it('404 for what is no part', async () => {
    for (const part of ['x', '-1', '1.5', '99999999999', '']) {
      expect((await get(`/sitemap/${part}.xml`)).status, part).to.equal(404);
    }
  });
});
