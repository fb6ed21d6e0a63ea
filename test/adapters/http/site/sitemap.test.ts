import { expect } from 'chai';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { itLong } from '../../../support/required-service.ts';
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

  it('200: robots.txt forbids nothing, and names the list of pages', async () => {
    const { status, html: text, headers } = await get('/robots.txt');
    expect([status, headers.get('Content-Type')]).to.deep.equal([200, 'text/plain; charset=utf-8']);
    expect(text).to.equal(`User-agent: *\nDisallow:\n\nSitemap: ${service.url}/sitemap.xml\n`);
  });

  itLong(
    'no page of people, no form for an account and no page of a failure may be listed, but the public pages may',
    async () => {
      const { slug } = await add('Jar');
      const hidden = await add('Hidden', false);
      const isListed = async (path: string) => {
        const { elements, status } = await service.browser().open(path);
        expect(status, path).to.not.equal(303);
        return !elements('meta').some(({ attributes }) => attributes.content?.startsWith('noindex'));
      };
      for (const path of ['/', '/marketplace', `/marketplace/${slug}`, '/docs/reference']) {
        expect(await isListed(path), path).to.equal(true);
      }
      const people = [
        '/account',
        '/selling',
        '/selling/live/orders',
        '/admin',
        '/sign-in',
        '/sign-up',
        '/forgot-password',
      ];
      const failures = [
        '/nothing',
        '/api/nothing',
        '/files/products/gone.zip',
        `/marketplace/${hidden.slug}`,
        '/orders/gone',
      ];
      for (const path of [...people, ...failures]) expect(await isListed(path), path).to.equal(false);
    },
  );

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
