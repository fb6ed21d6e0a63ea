import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { event } from '../../../../core/events/event.ts';
import type { Offer } from '../../../../core/marketplace/offers.ts';
import { by as operator } from '../../../support/by.ts';
import { itLong } from '../../../support/required-service.ts';
import { orderTokenIn, plainText, shop } from '../../../support/shop.ts';
import type { WebClient } from '../../../support/web-client.ts';
import { type SellingService, startSellingService } from '../account/selling-service.ts';

const onSale = { status: 'published', archivedAt: null, price: 4_900, title: 'Swap' } as const;
const prices = { eur: 4_500, jpy: 7_000, kwd: 15_500 };
const offer = (slug: string, more: Partial<Offer>): Offer => ({
  ...{ slug, name: slug, kind: 'once', price: 4_900, maxDomains: 1, updatesMonths: null, entitlements: [] },
  ...{ duration: { days: 30, from: 'issue' }, isListed: true, ...more },
});

describe('buying in another currency', () => {
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

  async function product(more: Parameters<SellingService['product']>[2] = {}) {
    slugs++;
    const { slug } = await service.product(null, `yen-${slugs}`, { ...onSale, prices, ...more });
    return `/marketplace/${slug}`;
  }
  const payments = async () =>
    (await service.rows('orders')).map(({ agreed, payment }) => {
      const { price, currency } = JSON.parse(String(agreed));
      const { total, currency: paid } = JSON.parse(String(payment));
      return [price, currency, total, paid];
    });
  const newest = async () => (await payments()).at(-1);

  for (const [currency, amount, shown] of [
    ['usd', 4_900, '$49.00'],
    ['eur', 4_500, '€45.00'],
    ['jpy', 7_000, '¥7,000'],
    ['kwd', 15_500, 'KWD 15.500'],
  ] as const) {
    itLong(
      `shows and takes the price in ${currency}, from the page of the product to the invoice and a refund in part`,
      async () => {
        const path = await product();
        const page = await guest.get(`${path}?currency=${currency}`);
        expect(plainText(page)).to.include(shown);
        expect(page.html).to.include(`"priceCurrency":"${currency.toUpperCase()}"`);
        const buy = await guest.get(`${path}/buy?currency=${currency}`);
        expect(plainText(buy)).to.include(shown);
        const token = orderTokenIn(await guest.submit(buy, { email: `${currency}@example.com`, way: 'test' }));
        expect(await newest()).to.deep.equal([amount, currency, amount, currency]);
        const pay = await guest.get(`/orders/${token}/pay`);
        expect(plainText(pay)).to.include(shown);
        await guest.post(`/orders/${token}/pay/pay`, {});
        for (const end of ['', '/invoice']) {
          expect(plainText(await guest.get(`/orders/${token}${end}`)), end).to.include(shown);
        }
        await guest.fill(`/orders/${token}/pay`, { amount: currency === 'jpy' ? '3,500' : '1.50' });
        const part = { usd: '$1.50', eur: '€1.50', jpy: '¥3,500', kwd: 'KWD 1.500' }[currency];
        expect(plainText(await guest.get(`/orders/${token}`))).to.include(part);
      },
    );
  }

  itLong(
    'shows US dollars for a currency without a price, and for what is none, and keeps the addresses as they were',
    async () => {
      const path = await product();
      for (const wrong of ['gbp', 'xyz', '__proto__', 'usd', '']) {
        for (const end of ['', '/buy']) {
          const page = await guest.get(`${path}${end}?currency=${wrong}`);
          expect([page.status, page.text.includes('$49.00')], `${end} ${wrong}`).to.deep.equal([200, true]);
        }
      }
      const plain = await product({ prices: {} });
      const page = await guest.get(plain);
      expect(page.html).to.not.include('currency=').and.not.include('name="currency"');
      expect(page.html).to.include(`${plain}/buy"`.slice(1));
    },
  );

  itLong('never takes the number of one currency in another, whatever is posted', async () => {
    const path = await product();
    const before = (await payments()).length;
    const page = await guest.get(`${path}/buy?currency=jpy`);
    const form = page.forms.find(({ names }) => names.includes('email'));
    const send = (fields: object) =>
      guest.post(page.path, { ...form?.common, ...form?.values, email: 'swap@example.com', way: 'test', ...fields });
    const swapped = await send({ currency: 'eur', seen_currency: 'eur' });
    expect([swapped.status, swapped.text.includes('€45.00')], 'the page shows what it would be').to.deep.equal([
      422,
      true,
    ]);
    for (const currency of ['gbp', 'xyz', 'constructor']) {
      expect((await send({ currency })).status).to.equal(422);
      expect((await send({ currency, seen_currency: currency })).status).to.equal(422);
    }
    expect((await send({ currency: 'usd', seen_currency: 'usd' })).status).to.equal(422);
    for (const terms of [{}, { terms: '' }]) {
      const unseen = await send({ currency: 'eur', ...terms });
      expect([unseen.status, unseen.text.includes('you pay €45.00 now')], 'not shown yet').to.deep.equal([200, true]);
    }
    expect((await payments()).length).to.equal(before);
    expect((await send({ currency: 'eur', seen_currency: 'eur', terms: '' })).status, 'no digest').to.equal(303);
    expect(await newest()).to.deep.equal([4_500, 'eur', 4_500, 'eur']);
  });

  itLong(
    'keeps everything that was typed when a buyer chooses another currency, and starts with its suggested price',
    async () => {
      const path = await product({ leastPrices: { usd: 500, jpy: 700 }, prices: { jpy: 7_000 } });
      const typed = {
        email: 'kept@example.com',
        name: 'Kept',
        company: 'Kept & Co',
        street: 'Way 1',
        city: 'Graz',
        country: 'AT',
        way: 'manual',
        amount: '60',
      };
      const page = await guest.get(`${path}/buy`);
      const form = page.forms.find(({ names }) => names.includes('email'));
      const fields = { ...form?.common, ...form?.values, ...typed, currency: 'jpy', apply: 'currency' };
      const changed = await guest.post(page.path, fields);
      expect([changed.status, changed.alert]).to.deep.equal([200, undefined]);
      expect(changed.text).to.include('¥7,000');
      const kept = changed.forms.find(({ names }) => names.includes('email'))?.values;
      for (const [name, value] of Object.entries({ ...typed, amount: '7000', currency: 'jpy', seen_currency: 'jpy' })) {
        expect(kept?.[name], name).to.deep.equal([value]);
      }
      expect((await guest.submit(changed)).status).to.equal(303);
      expect(await newest()).to.deep.equal([7_000, 'jpy', 7_000, 'jpy']);
    },
  );

  it('refuses a form whose price was changed or taken away meanwhile', async () => {
    const path = await product();
    const page = await guest.get(`${path}/buy?currency=eur`);
    const slug = path.split('/').at(-1) ?? '';
    const store = await service.parts.get(t.productStore);
    const found = await store.findBySlug(slug);
    if (found === undefined) throw new Error('The product is gone.');
    const told = event('product.changed', slug, operator, 1, { fields: 'prices' });
    await store.change(found.id, (before) => ({ after: { ...before, prices: { jpy: 7_000 } }, event: told }));
    const sent = await guest.submit(page, { email: 'late@example.com', way: 'test' });
    expect([sent.status, sent.text.includes('$49.00')]).to.deep.equal([422, true]);
  });

  itLong('offers a license the renewals of its own currency only, and takes a credit off in it', async () => {
    const path = await product({
      offers: [
        offer('solo', { prices: { eur: 4_500 } }),
        offer('more', { kind: 'renewal', price: 1_900, prices: { eur: 1_700 } }),
        offer('dollars', { kind: 'renewal', price: 1_800 }),
        offer('team', { kind: 'upgrade', price: 9_900, maxDomains: 5, prices: { eur: 9_000 } }),
      ],
    });
    const buy = await guest.get(`${path}/buy?offer=solo&currency=eur`);
    const token = orderTokenIn(await guest.submit(buy, { email: 'solo@example.com', way: 'test' }));
    await guest.post(`/orders/${token}/pay/pay`, {});
    const page = await guest.get(`/orders/${token}`);
    expect(page.text).to.include('€17.00').and.not.include('dollars').and.not.include('$');
    expect(page.text, 'all of it is unused').to.include('€45.00');
    const refused = await guest.get(`/orders/${token}/renew?offer=dollars`);
    expect([refused.status, refused.text.includes('has set no price in EUR')]).to.deep.equal([404, true]);
    const upgrade = await guest.get(`/orders/${token}/renew?offer=team`);
    expect((await guest.submit(upgrade, { way: 'test' })).status).to.equal(303);
    expect(await newest()).to.deep.equal([4_500, 'eur', 4_500, 'eur']);
  });
});
