import { expect } from 'chai';
import { t } from '../../apps/wiring/tokens.ts';
import { type SellingService, startSellingService } from '../adapters/http/account/selling-service.ts';
import { chromium, openBrowser, type TestBrowser } from '../support/browser.ts';
import { addCoupon } from '../support/coupons.ts';
import { payable, placeOrder } from '../support/placed-orders.ts';
import { needing } from '../support/required-service.ts';

const long = 'Swap and bridge everything, everywhere, '.repeat(4) + 'x'.repeat(30);
const chosen = {
  ...{ price: 99_999_900, prices: { eur: 99_999_900, jpy: 999_999_900, kwd: 999_999_990 } },
  leastPrices: { eur: 0, jpy: 100, kwd: 1_500, usd: 500 },
};

needing(chromium.skip).describe('the pages about prices that buyers choose, and about coupons, in a browser', () => {
  let service: SellingService;
  let browser: TestBrowser;
  before(async () => {
    service = await startSellingService({ ...payable, RATE_LIMIT_URL: 'memory:', RATE_LIMIT_PAGES: '1000000' });
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  it('have no faults: nothing yet, large amounts and long titles, and many coupons', async () => {
    const { ada, eve } = await service.people();
    const check = (path: string, cookies = ada.browser.cookies) => browser.checkPage(service.url + path, { cookies });
    const onSale = { status: 'published', isApproved: true, thumbnail: null, title: long, ...chosen } as const;
    const jar = await service.product(ada, 'jar', onSale);
    const coupons = await service.parts.get(t.couponStore);
    const of = { sellerId: jar.ownerId, isLive: true };
    const terms = { payments: 'every', mostUses: 9_999_999, mostPerBuyer: 3, endsAt: 2 ** 41 } as const;
    const full = { ...terms, takesOff: { amount: 99_999_999, currency: 'kwd' }, ownersOf: jar.id };
    const coupon = await addCoupon({ coupons }, { ...of, ...full, code: 'X'.repeat(40) });
    for (let n = 1; n <= 30; n++) await addCoupon({ coupons }, { ...of, code: `LAUNCH-${n}` });
    const order = await placeOrder(service.parts, 'jar');
    expect(order.agreed).to.include({ price: chosen.price, suggested: chosen.price });
    for (const path of ['/selling/live/coupons', '/selling/live/coupons/new']) await check(path, eve.browser.cookies);
    for (const path of [
      '/selling/live/coupons',
      '/selling/live/coupons/new',
      `/selling/live/coupons/${coupon.id}`,
      `/selling/live/products/${jar.id}`,
      `/selling/live/products/${jar.id}/edit`,
      `/selling/live/products/${jar.id}/offers/new`,
      '/selling/live/licenses/import',
      `/selling/live/orders/${order.id}`,
      '/selling/live/orders/invoice-details',
      '/marketplace',
      '/marketplace/jar',
      '/marketplace/jar?currency=jpy',
      '/marketplace/jar/buy?currency=kwd&amount=1.500',
      '/marketplace/jar/buy?amount=1&coupon=LAUNCH-1',
      `/orders/${order.token}`,
    ]) {
      await check(path);
    }
  });
});
