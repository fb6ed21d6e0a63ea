import { expect } from 'chai';
import sharp from 'sharp';
import { Failure } from '../../../../adapters/http/failures.ts';
import { shareEndpoints } from '../../../../adapters/http/site/share-picture.ts';
import { t } from '../../../../apps/wiring/tokens.ts';
import { operator } from '../../../support/by.ts';
import { listingForm } from '../../../support/forms.ts';
import { good } from '../../../support/good.ts';
import { readHtml } from '../../../support/html.ts';
import { newProduct } from '../../../support/license-acts.ts';
import { itLong } from '../../../support/required-service.ts';
import { sharedPicture } from '../../../support/shared-picture.ts';
import { type AccountService, startAccountService } from '../account/account-service.ts';

describe('the picture that other sites show with a link', () => {
  let service: AccountService;
  before(async () => {
    service = await startAccountService({ SITE_NAME: 'Shop & Co' });
  });
  after(() => service.close());

  async function pictureAt(path: string): Promise<Buffer> {
    const response = await sharedPicture(service.url + path);
    expect([response.status, response.headers.get('Content-Type')], path).to.deep.equal([200, 'image/jpeg']);
    expect(response.headers.get('Cache-Control')).to.equal('public, max-age=3600');
    expect(response.headers.get('Content-Security-Policy')).to.not.equal(null);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(await sharp(bytes).metadata()).to.include({ width: 1200, height: 630 });
    return bytes;
  }
  async function addressIn(path: string): Promise<string> {
    const { text } = await service.send(path, { headers: { Accept: 'text/html' } });
    const metas = readHtml(text).elements('meta');
    const content = metas.find(({ attributes }) => attributes.property === 'og:image')?.attributes.content ?? '';
    expect(content.startsWith(service.url), content).to.equal(true);
    return content.slice(service.url.length);
  }

  itLong('200: is named by the page, for the site, the marketplace and a product', async () => {
    const seller = await service.account('pro');
    const { body } = await seller.submit('/api/marketplace/publish', listingForm({ title: 'Jar', price: '10' }));
    const { id, slug } = body.product as { id: number; slug: string };
    const hidden = `/share/products/${slug}.jpg`;
    expect((await service.send(hidden)).status, 'it waits for approval').to.equal(404);
    good(await service.products.change(String(id), 'approve', operator));
    const site = await pictureAt(await addressIn('/'));
    expect((await pictureAt(await addressIn('/marketplace'))).equals(site)).to.equal(true);
    const address = await addressIn(`/marketplace/${slug}`);
    const product = await pictureAt(address);
    expect(product.equals(site)).to.equal(false);
    service.clock.advance(1_000);
    const products = await service.parts.get(t.sellerProducts);
    good(await products.change(String(id), { title: 'Money jar' }, { actor: operator, mode: 'live' }));
    const other = await addressIn(`/marketplace/${slug}`);
    expect(other).to.not.equal(address);
    expect((await pictureAt(other)).equals(product), 'with the new title').to.equal(false);
  });

  it('404: for what nobody can see, and for names that are none', async () => {
    for (const path of [
      'products/nothing',
      'products/%00',
      'sellers/nothing',
      'sellers/%00',
      'other',
      'products/a/b',
    ]) {
      expect((await service.send(`/share/${path}.jpg`)).status, path).to.equal(404);
    }
    expect((await service.send('/share/site.jpg', { method: 'POST' })).status).to.equal(405);
  });

  it('302: is the thumbnail if none can be drawn; without one, 404 if none ever can be, and 503 if not now', async () => {
    const product = newProduct({ slug: 'jar', status: 'published', isLive: true, thumbnail: 'media/jar.png' });
    const [, endpoint] = shareEndpoints({
      marketplace: {
        findBySlug: async (slug) =>
          ({ ...product, title: slug, thumbnail: slug === 'jar' ? product.thumbnail : null }) as never,
      },
      sellers: { show: async () => undefined },
      addresses: { media: async (key) => `https://files.example/${key}` },
      pictures: { shared: async ({ title }) => (title === 'later' ? undefined : 'not_installed') },
      clientAddress: () => '::1',
      site: () => ({ site: 'Shop' }) as never,
    });
    const sent: Record<string, string> = {};
    const ctx = (slug: string) =>
      ({
        params: { slug },
        req: {},
        set: (name: string, value: string) => (sent[name] = value),
        redirect: (to: string) => (sent.to = to),
      }) as never;
    await endpoint?.respond(ctx('jar'));
    expect(sent).to.deep.equal({ 'Cache-Control': 'public, max-age=60', to: 'https://files.example/media/jar.png' });
    for (const [slug, code] of [
      ['other', 'not_found'],
      ['later', 'service_unavailable'],
    ] as const) {
      const failed = await Promise.resolve(endpoint?.respond(ctx(slug))).catch((error: unknown) => error);
      expect(failed instanceof Failure && failed.reason, slug).to.equal(code);
    }
  });
});
