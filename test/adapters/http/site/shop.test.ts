import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { payable, placeOrder } from '../../../support/placed-orders.ts';
import { type SellingService, startSellingService } from '../account/selling-service.ts';

const onSale = { status: 'published', archivedAt: null, price: 4900, thumbnail: null } as const;

describe('the first page of a shop with several products', () => {
  let service: SellingService;
  before(async () => {
    service = await startSellingService(payable);
    for (const [n, category] of ['defi', 'defi', 'games', null, null].entries()) {
      await service.product(null, `p${n}`, { ...onSale, title: `Product ${n}`, category });
    }
    for (const slug of ['p2', 'p2', 'p0']) {
      service.clock.advance(3_600_000);
      await placeOrder(service.parts, slug, { email: `${Math.random()}@example.com`, way: 'manual' });
    }
  });
  after(() => service.close());

  const page = async (path = '/', browser = service.browser()) => (await browser.get(path)).html;
  const part = (html: string, id: string) => html.split(`id="${id}"`)[1]?.split('</section>')[0] ?? '';
  const productsIn = (html: string) => Array.from(html.matchAll(/marketplace\/(p\d)"/g), ([, slug]) => slug);

  it('has what is sold most, the categories, the newest products, and asks visitors to sell', async () => {
    const html = await page();
    expect(productsIn(part(html, 'best'))).to.deep.equal(['p2', 'p0']);
    expect(productsIn(part(html, 'products'))).to.deep.equal(['p4', 'p3', 'p1']);
    expect(html).to.include('href="./marketplace?category=defi"').and.to.include('Newest products');
    expect(html).to.include('Sell your own work here').and.to.include('href="./selling"');
  });

  it('the marketplace marks what was searched for, counts the products of each filter, and shows the best sellers if nothing is found', async () => {
    const found = await page('/marketplace?q=product+4');
    expect(found).to.include('<mark>Product</mark> <mark>4</mark></a>').and.to.include('DeFi (2)</option>');
    expect(found).to.include('Games (1)</option>').and.to.not.include('Best sellers');
    const unknown = await page('/marketplace?category=other');
    expect(unknown).to.include('<option value="other" selected>Other</option>');
    const none = await page('/marketplace?q=qqqq');
    expect(none).to.include('Nothing matches');
    expect(productsIn(part(none, 'best'))).to.deep.equal(['p2', 'p0']);
    const hostile = await page(`/marketplace?q=${encodeURIComponent('"><product')}`);
    expect(hostile).to.include('<mark>Product</mark>').and.to.not.include('<product');
  });

  it('asks nobody to sell where only invited people can', async () => {
    const settings = await service.parts.get(t.siteSettings);
    good(await settings.change({ selling: 'invited' }, operator));
    expect(await page()).to.not.include('Sell your own work');
  });

  it('the page of a product has other products, and says what a refund does', async () => {
    const html = await page('/marketplace/p0');
    expect(productsIn(part(html, 'related'))).to.deep.equal(['p1', 'p2', 'p4', 'p3']);
    expect(html).to.include('After a full refund, the license stops working.');
    expect(html).to.not.include('href="../refunds"');
    good(await (await service.parts.get(t.siteSettings)).change({ refunds: 'Within 14 days.' }, operator));
    expect(await page('/marketplace/p0')).to.include('href="../refunds"');
  });
});
