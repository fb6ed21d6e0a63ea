import { expect } from 'chai';
import type { Offer } from '../../../../core/marketplace/offers.ts';
import { itLong } from '../../../support/required-service.ts';
import { orderTokenIn, plainText, shop } from '../../../support/shop.ts';
import type { WebAnswer, WebClient } from '../../../support/web-client.ts';
import { type SellingService, startSellingService } from '../account/selling-service.ts';
import type { Person } from './dashboard-service.ts';

const onSale = { status: 'published', archivedAt: null, title: 'Swap', price: 1_500 } as const;
const chosen = {
  ...{ price: 1_500, prices: { eur: 1_400, jpy: 2_000, kwd: 4_500 } },
  leastPrices: { eur: 450, jpy: 700, kwd: 1_500, usd: 500 },
};
const fieldsOf = ({ forms }: WebAnswer) => {
  const form = forms.find(({ names }) => names.includes('email'));
  return { ...form?.common, ...form?.values };
};
const offer = (slug: string, more: Partial<Offer> = {}): Offer => ({
  ...{ slug, name: slug, kind: 'once', maxDomains: 1, duration: null, updatesMonths: null },
  ...{ entitlements: [], isListed: true, ...chosen, ...more },
});

describe('buying at a price that the buyer chooses', () => {
  let service: SellingService;
  let guest: WebClient;
  let slugs = 0;
  before(async () => {
    service = await startSellingService(shop);
  });
  beforeEach(() => {
    // Orders of an hour are limited for each client.
    service.clock.advance(3_600_000);
    guest = service.browser();
  });
  after(() => service.close());

  async function product(more: Parameters<SellingService['product']>[2] = {}, owner: Person | null = null) {
    slugs++;
    const { slug } = await service.product(owner, `gift-${slugs}`, { ...onSale, ...chosen, ...more });
    return `/marketplace/${slug}`;
  }
  const orders = async () =>
    (await service.rows('orders')).map(({ agreed, payment, state }) => {
      const { price, currency, suggested } = JSON.parse(String(agreed));
      return { price, currency, suggested, total: JSON.parse(String(payment)).total, state };
    });
  const newest = async () => (await orders()).at(-1);

  for (const [currency, typed, amount, shown] of [
    ['usd', '20', 2_000, '$20.00'],
    ['eur', '4,50', 450, '€4.50'],
    ['jpy', '12,000', 12_000, '¥12,000'],
    ['kwd', '1.500', 1_500, 'KWD 1.500'],
  ] as const) {
    it(`shows the amount in ${currency} once more before it is paid, and agrees on it`, async () => {
      const path = await product();
      const page = await guest.get(`${path}/buy?currency=${currency}`);
      const changed = await guest.submit(page, { email: 'a@example.com', amount: typed, way: 'test' });
      expect([changed.status, plainText(changed).includes(`you pay ${shown} now`)]).to.deep.equal([200, true]);
      const token = orderTokenIn(await guest.submit(changed, {}));
      const suggested = { ...chosen.prices, usd: chosen.price }[currency];
      expect(await newest()).to.deep.equal({ price: amount, total: amount, currency, suggested, state: 'open' });
      await guest.post(`/orders/${token}/pay/pay`, {});
      expect(plainText(await guest.get(`/orders/${token}/invoice`))).to.include(shown);
    });
  }

  itLong('takes the amount of the link, with the currency and a page that says what can be chosen', async () => {
    const path = await product();
    const link = await guest.get(`${path}/buy?amount=12.34&currency=eur`);
    expect(plainText(link)).to.include('€4.50 or more. €14.00 is suggested');
    await guest.submit(link, { email: 'a@example.com', way: 'test' });
    expect(await newest()).to.include({ price: 1_234, currency: 'eur' });
    for (const [query, message] of [
      ['amount=4.99', 'The least price is 5.00 USD'],
      ['amount=-5', 'Enter an amount in USD'],
      ['amount=1e9', 'Enter an amount in USD'],
      ['amount=10000000', 'Choose at most 9999999.99 USD'],
      ['amount=1.49&currency=kwd', 'The least price is 1.500 KWD'],
      ['amount=2.345&currency=kwd', 'third decimal'],
      ['amount=500.5&currency=jpy', 'Enter an amount in JPY'],
    ] as const) {
      const page = await guest.get(`${path}/buy?${query}`);
      expect([page.status, page.text.includes(message)], query).to.deep.equal([200, true]);
    }
    const fixed = await product({ leastPrices: null });
    expect((await guest.get(`${fixed}/buy?amount=1`)).text).to.include('$15.00');
  });

  itLong(
    '422 for less than the least price of the currency, for nothing and for what is no amount: no order is made',
    async () => {
      const path = await product();
      const before = (await orders()).length;
      for (const [fields, message] of [
        [{ amount: '4.99' }, 'The least price is 5.00 USD'],
        [{ amount: '0' }, 'The least price is 5.00 USD'],
        [{ amount: '' }, 'Enter an amount in USD, such as 49.00'],
        [{ amount: 'much' }, 'Enter an amount in USD, such as 49.00'],
        [{ amount: '10,000,000' }, 'Choose at most 9999999.99 USD'],
        // The currency of the page is swapped: 500 yen are less than the least price in yen.
        [{ amount: '500', currency: 'jpy', seen_currency: 'jpy' }, 'The least price is 700 JPY'],
        [{ amount: '1', currency: 'kwd', seen_currency: 'kwd' }, 'The least price is 1.500 KWD'],
      ] as const) {
        for (const seen_amount of ['15.00', fields.amount]) {
          const page = await guest.get(`${path}/buy`);
          const sent = { ...fieldsOf(page), email: 'a@example.com', way: 'test', seen_amount, ...fields };
          const answer = await guest.post(`${path}/buy`, sent);
          expect([answer.status, answer.text.includes(message)], JSON.stringify(sent)).to.deep.equal([422, true]);
        }
      }
      expect(await orders()).to.have.length(before);
    },
  );

  it('sells at no other price where the price is fixed, whatever amount is sent, also by the page of another product', async () => {
    const [gift, fixed] = [await product(), await product({ leastPrices: null })];
    const page = await guest.get(`${gift}/buy?amount=5`);
    const sent = await guest.post(`${fixed}/buy`, {
      ...fieldsOf(page),
      email: 'a@example.com',
      way: 'test',
      amount: '5',
    });
    expect(sent.status, 'the terms of another page').to.equal(422);
    const own = fieldsOf(await guest.get(`${fixed}/buy`));
    const typed = { email: 'a@example.com', way: 'test', amount: '5', seen_amount: '5.00' };
    await guest.post(`${fixed}/buy`, { ...own, ...typed });
    expect(await newest()).to.deep.equal({
      ...{ price: 1_500, total: 1_500, currency: 'usd', state: 'open' },
      suggested: undefined,
    });
  });

  itLong('is free for who chooses 0, if its seller lets buyers do so', async () => {
    const path = await product({ prices: {}, leastPrices: { usd: 0 } });
    const page = await guest.get(`${path}/buy`);
    expect(page.text).to.include('Pay what you want, or nothing');
    const free = await guest.submit(page, { email: 'free@example.com', amount: '0', way: 'test' });
    expect(free.text).to.include('you pay nothing now');
    expect(free.html, 'what the script writes on the button').to.include('data-sum="Get it for free"');
    await guest.submit(free, {});
    expect(await newest()).to.include({ price: 0, total: 0, suggested: 1_500, state: 'paid' });
    const back = await guest.get(`${path}/buy?amount=0`);
    const paid = await guest.submit(back, { email: 'free@example.com', amount: '7' });
    await guest.submit(paid, { way: 'test' });
    expect(await newest()).to.include({ price: 700, total: 700, state: 'open' });
  });

  it('replaces the open order of this browser if its buyer chooses another amount, and goes on with it for the same', async () => {
    const path = await product();
    const buy = async (amount: string) => {
      const page = await guest.get(`${path}/buy?amount=${amount}`);
      return orderTokenIn(await guest.submit(page, { email: 'a@example.com', way: 'manual' }));
    };
    const first = await buy('20');
    expect(await buy('20'), 'the same order').to.equal(first);
    const second = await buy('30');
    expect(second).not.to.equal(first);
    expect((await orders()).slice(-2).map(({ price, state }) => [price, state])).to.deep.equal([
      [2_000, 'cancelled'],
      [3_000, 'open'],
    ]);
  });

  it('takes a coupon off the chosen amount, and shows what remains before it is paid', async () => {
    const ada = await service.signedInUser();
    const path = await product({}, ada);
    const made = await ada.browser.fill('/selling/live/coupons/new', { code: `HALF${slugs}`, off: '50' });
    expect(made.status, made.text).to.equal(303);
    const page = await guest.get(`${path}/buy?coupon=half${slugs}`);
    expect(page.text).to.include('$7.50');
    const typed = { email: 'a@example.com', way: 'test', amount: '5', seen_amount: '5.00' };
    const shown = await guest.post(`${path}/buy`, { ...fieldsOf(page), ...typed });
    expect(shown.status, 'the discount of another amount was seen').to.equal(422);
    const changed = await guest.submit(page, {
      ...{ email: 'a@example.com', way: 'test', amount: '5' },
    });
    expect(changed.text).to.include('you pay $2.50 now');
    await guest.submit(changed, {});
    expect(await newest()).to.include({ price: 250, suggested: 1_500 });
  });

  itLong('lets an upgrade cost what its buyer chooses, less what is not used yet', async () => {
    const path = await product({
      ...{ leastPrices: null, price: 4_900, prices: {} },
      offers: [
        offer('solo', { price: 1_000, prices: {}, leastPrices: null, duration: { days: 30, from: 'issue' } }),
        offer('team', { kind: 'upgrade', price: 3_000, prices: {}, leastPrices: { usd: 2_000 }, maxDomains: 5 }),
      ],
    });
    const bought = orderTokenIn(
      await guest.submit(await guest.get(`${path}/buy?offer=solo`), { email: 'a@example.com', way: 'test' }),
    );
    await guest.post(`/orders/${bought}/pay/pay`, {});
    const page = await guest.get(`/orders/${bought}/renew?offer=team`);
    expect(page.text).to.include('$20.00 or more. $30.00 is suggested');
    expect((await guest.submit(page, { amount: '19' })).text).to.include('The least price is 20.00 USD');
    const changed = await guest.submit(page, { amount: '25' });
    expect(changed.text).to.include('you pay $15.00 now');
    await guest.submit(changed, {});
    expect(await newest()).to.include({ price: 1_500, suggested: 3_000 });
  });

  itLong('is told on the marketplace, on the page of the product and to search engines', async () => {
    const path = await product();
    const page = await guest.get(path);
    expect(page.text).to.include('from $5.00').and.include('$15.00 is suggested').and.include('Choose your price');
    expect(page.html).to.include('"price":"5.00"').and.include('"minPrice":"5.00"');
    expect(plainText(await guest.get(`${path}?currency=jpy`))).to.include('from ¥700');
    const any = await product({ prices: {}, leastPrices: { usd: 0 } });
    expect((await guest.get(any)).text).to.include('Pay what you want');
    expect((await guest.get('/marketplace?sort=newest')).text)
      .to.include('from $5.00')
      .and.include('Pay what you want');
    const several = await product({ offers: [offer('a'), offer('b', { price: 900, prices: {}, leastPrices: null })] });
    expect((await guest.get(several)).html).to.include('"lowPrice":"5.00","highPrice":"15.00"');
  });
});
