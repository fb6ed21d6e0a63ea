import { expect } from 'chai';
import { createManualClock, type ManualClock } from '../../../adapters/node/manual-clock.ts';
import type { Product } from '../../../core/marketplace/product.ts';
import { addBundle, createBundleShop } from '../../support/bundles.ts';
import { good } from '../../support/good.ts';
import { openStoresInMemory, type StoresInMemory } from '../../support/in-memory.ts';
import { issuedAt as now } from '../../support/license-acts.ts';
import { addForSale, type Bank, createBank } from '../../support/orders.ts';

const addresses = () => ({ done: 'https://a.example/done', cancelled: 'https://a.example/cancelled' });
const zoe = { email: 'zoe@example.com', name: 'Zoë', client: '192.0.2.7' };
const chosen = { price: 1_500, prices: { eur: 1_400 }, leastPrices: { eur: 0, usd: 500 } };

describe('an order at a price that its buyer has chosen', () => {
  let stores: StoresInMemory;
  let clock: ManualClock;
  let bank: Bank;
  beforeEach(async () => {
    stores = await openStoresInMemory();
    clock = createManualClock(now);
    bank = createBank();
  });
  afterEach(() => stores.close());

  const shop = () => createBundleShop(stores, clock, bank);
  const begin = (product: Product, amount?: number, currency?: string) =>
    shop().checkout.begin({ ...zoe, product: product.slug, amount, currency }, undefined, addresses);
  const orders = async () => (await stores.rows('orders')).length;

  it('agrees on the amount, or on the suggested one, and is held if the bank says that less was paid', async () => {
    const product = await addForSale(stores, chosen);
    expect(good(await begin(product)).order.agreed).to.include({ price: 1_500, suggested: 1_500 });
    const { order } = good(await begin(product, 500));
    expect(order.agreed).to.include({ price: 500, suggested: 1_500, currency: 'usd' });
    expect(order.payment).to.include({ subtotal: 500, total: 500 });
    expect(await shop().pay(order, { subtotal: 499, total: 499 })).to.include({ state: 'held', licenseKey: null });
    const other = good(await begin(product, 2_000)).order;
    expect(await shop().pay(other)).to.include({ state: 'paid' });
  });

  it('is not made for less than the least price of its currency, nor for what the bank does not take', async () => {
    const product = await addForSale(stores, chosen);
    for (const [amount, currency, detail] of [
      [499, 'usd', /least price is 5\.00 USD/],
      [0, 'usd', /least price/],
      [-1, 'eur', /least price is 0\.00 EUR/],
      [499.5, 'usd', /least price/],
      [Number.NaN, 'usd', /least price/],
      [1_000_000_000, 'usd', /at most 9999999\.99 USD/],
      [30, 'eur', /No way to pay takes 0\.30 EUR/],
    ] as const) {
      const refused = await begin(product, amount, currency);
      expect(refused, String(amount)).to.include({ reason: 'amount_not_possible' });
      expect(Reflect.get(refused, 'detail')).to.match(detail);
    }
    const fixed = await addForSale(stores, { slug: 'fixed', price: 1_500 });
    expect(await begin(fixed, 1_500)).to.include({ reason: 'amount_not_possible' });
    expect(await begin(product, 100_000, 'gbp')).to.include({ reason: 'currency_not_offered' });
    expect(await orders()).to.equal(0);
  });

  it('is free for 0, where the least price allows it, once for each buyer, also if the site has no way to pay', async () => {
    const product = await addForSale(stores, chosen);
    expect(good(await begin(product, 0, 'eur')).order).to.include({ state: 'paid', provider: 'free' });
    expect(await begin(product, 0, 'eur')).to.include({ reason: 'already_bought' });
    const closed = createBundleShop(stores, clock, bank, {});
    const free = await addForSale(stores, { ...chosen, slug: 'free', leastPrices: { eur: 0, usd: 0 } });
    expect(await closed.checkout.obstacle(free)).to.equal(undefined);
    expect(good(await closed.checkout.offer('free', undefined))).to.deep.include({ ways: ['free'], suggested: 1_500 });
    expect(await closed.checkout.obstacle(product)).to.equal('site');
  });

  it('shares the amount between the products of a bundle, and takes a suggested price for what one costs alone', async () => {
    const { bundle, inside } = await addBundle(stores, [1_000, 3_000], chosen);
    const [dear] = inside;
    expect(dear?.price).to.equal(3_000);
    const { order } = good(await begin(bundle, 800));
    expect(order.agreed).to.include({ price: 800, suggested: 1_500 });
    expect(order.agreed.bundle?.map(({ price }) => price)).to.deep.equal([600, 200]);
    const paid = await shop().pay(order);
    expect((await shop().partsOf(paid)).map(({ state, agreed }) => [state, agreed.price])).to.deep.equal([
      ['paid', 600],
      ['paid', 200],
    ]);
  });
});
