import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { event } from '../../../../core/events/event.ts';
import { bundleLimits } from '../../../../core/marketplace/bundle.ts';
import { by, operator } from '../../../support/by.ts';
import { listingForm } from '../../../support/forms.ts';
import { payable, placeOrder } from '../../../support/placed-orders.ts';
import { itLong } from '../../../support/required-service.ts';
import { type Account, type AccountService, startAccountService } from './account-service.ts';

const listing = {
  title: 'All of it',
  tagline: 'Everything',
  description: 'All the products that we have, in one.',
  price: '60.00',
};

describe('bundles on the account API', () => {
  let service: AccountService;
  let ada: Account;
  let ids: number[];
  beforeEach(async () => {
    service = await startAccountService(payable);
    ada = await service.account('pro');
    ids = [await publish('Jar', '49.90'), await publish('Cup', '0')];
  });
  afterEach(() => service.close());

  async function approve(slug: string): Promise<void> {
    const products = await service.parts.get(t.products);
    await products.change(slug, 'approve', operator);
  }
  async function publish(title: string, price: string, by = ada): Promise<number> {
    const published = await by.submit('/api/marketplace/publish', listingForm({ title, price }));
    expect(published.status, published.text).to.equal(200);
    await approve(published.body.product.slug);
    return published.body.product.id;
  }
  const productsOf = (some: readonly number[]) => some.map((product) => ({ product }));
  const publishBundle = (some: readonly number[] = ids, more: object = {}) =>
    ada.post('/api/products/bundles', { ...listing, products: productsOf(some), ...more });

  itLong('200 for a new bundle, which waits for approval and has no zip', async () => {
    const { status, body, text } = await publishBundle();
    expect(status, text).to.equal(200);
    expect(body.product).to.deep.include({ slug: 'all-of-it', status: 'pending', price: '60.00', version: null });
    expect(body.product.bundle).to.deep.equal(ids.map((product) => ({ product, offer: null })));
    expect((await ada.get('/api/products/jar')).body.product.bundle).to.equal(null);
  });

  itLong('200 for a sample of an order to a webhook of the bundle: it has a part for each product', async () => {
    const { product } = (await publishBundle()).body;
    const hook = { url: 'https://hooks.example.com/in', events: ['order.paid'], product: product.slug };
    const { webhook } = (await ada.post('/api/webhooks', hook)).body;
    const sent = await ada.post(`/api/webhooks/${webhook.id}/test`, { event: 'order.paid' });
    expect(sent.status, sent.text).to.equal(200);
    const { data } = JSON.parse(sent.body.delivery.body);
    expect(data.product.slug).to.equal('all-of-it');
    expect(data.parts.map((part: { product: { id: number } }) => part.product.id)).to.deep.equal(ids);
    const reversed = await ada.post(`/api/products/${product.slug}/bundle`, { products: productsOf(ids.toReversed()) });
    expect(reversed.status, reversed.text).to.equal(200);
    const refund = await ada.post('/api/webhooks', { ...hook, events: ['order.refunded'] });
    const told = await ada.post(`/api/webhooks/${refund.body.webhook.id}/test`, { event: 'order.refunded' });
    const [free, paid] = JSON.parse(told.body.delivery.body).data.parts;
    // Nothing can be refunded for a product that is free.
    expect([free.status, free.amount_refunded, paid.status]).to.deep.equal(['paid', 0, 'refunded']);
    expect(paid.amount_refunded).to.be.greaterThan(0);
  });

  itLong('200 on the storefront: says that it is a bundle, and the terms of each product in it', async () => {
    const offer = { slug: 'team', name: 'Team', kind: 'once', price: '80', max_domains: 7, updates_months: 6 };
    const added = await ada.post('/api/products/jar/offers', { ...offer, entitlements: ['support'] });
    expect(added.status, added.text).to.equal(200);
    const products = [{ product: ids[1] }, { product: ids[0], offer: 'team' }];
    expect((await publishBundle(ids, { products })).status).to.equal(200);
    await approve('all-of-it');
    const shown = async (path: string) => (await service.send(`/api/marketplace/products${path}`)).body.data;
    const listed = (await shown('')).map((one: { slug: string; is_bundle: boolean }) => [one.slug, one.is_bundle]);
    expect(Object.fromEntries(listed)).to.deep.equal({ jar: false, cup: false, 'all-of-it': true });
    const [cup, jar] = (await shown('/all-of-it')).bundle;
    expect(cup).to.deep.include({ slug: 'cup', title: 'Cup', price: '0.00', offer: null, updates_months: null });
    expect(jar).to.deep.include({
      slug: 'jar',
      offer: 'team',
      price: '80.00',
      updates_months: 6,
      entitlements: ['support'],
    });
    expect(jar.terms).to.include({ max_domains: 7, on_refund: 'revoke' });
    expect((await shown('/jar')).bundle).to.equal(null);
    // Only those with its link may buy it.
    const hidden = await ada.send('/api/products/jar/offers/team', {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ listed: false }),
    });
    expect(hidden.status, hidden.text).to.equal(200);
    const [, unlisted] = (await shown('/all-of-it')).bundle;
    expect(unlisted).to.deep.include({ slug: 'jar', offer: null, price: null, updates_months: 6 });
  });

  itLong('409 for more products without files than an account can have', async () => {
    const bob = await service.account('pro');
    const two = [await publish('One', '10.00', bob), await publish('Two', '20.00', bob)];
    const more = () => bob.post('/api/products/bundles', { ...listing, products: productsOf(two) });
    const first = await more();
    expect(first.status, first.text).to.equal(200);
    const [products, { id: productId }] = [await service.parts.get(t.productStore), first.body.product];
    const one = await products.findById(productId);
    if (one === undefined) throw new Error('The bundle is not stored.');
    const { id: _, ...same } = one;
    for (let n = 1; n < bundleLimits.ofAccount; n++) {
      await products.add({ ...same, slug: `many-${n}` }, (slug) => event('product.published', slug, by, one.createdAt));
    }
    const refused = await more();
    expect([refused.status, refused.body.error.code], refused.text).to.deep.equal([409, 'CONFLICT']);
    expect(refused.text).to.include('500 products without files');
    expect((await publishBundle()).status, 'of another account').to.equal(200);
  });

  it('200 for an order with its parts, and for a refund of one: its license is revoked, and the other works', async () => {
    const cheap = await publish('Pen', '10.10');
    const [jar = 0] = ids;
    await publishBundle([cheap, jar]);
    await approve('all-of-it');
    const order = await placeOrder(service.parts, 'all-of-it', { email: 'grace@example.com' });
    const { body } = await ada.get(`/api/orders/${order.id}`);
    expect(body.order).to.deep.include({ status: 'paid', license_key: null, price: 6000, invoice_number: 1 });
    const [pen, jarPart] = body.order.parts;
    expect([pen.product.slug, pen.price, pen.status]).to.deep.equal(['pen', 1010, 'paid']);
    expect([jarPart.product.slug, jarPart.price]).to.deep.equal(['jar', 4990]);
    const refunded = await ada.post(`/api/orders/${order.id}/refund`, { parts: [pen.id] });
    expect(refunded.status, refunded.text).to.equal(200);
    expect(refunded.body.order).to.deep.include({ status: 'partly_refunded', amount_refunded: 1010 });
    const statuses = refunded.body.order.parts.map((part: { status: string }) => part.status);
    expect(statuses).to.deep.equal(['refunded', 'paid']);
    expect((await ada.get(`/api/licenses/${pen.license_key}`)).body.license.status).to.equal('revoked');
    expect((await ada.get(`/api/licenses/${jarPart.license_key}`)).body.license.status).to.equal('active');
    expect((await ada.post(`/api/orders/${order.id}/refund`, { parts: [pen.id] })).status).to.equal(409);
    expect((await ada.get('/api/orders')).body.data).to.have.lengthOf(1);
    expect((await ada.get(`/api/orders/${pen.id}`)).status).to.equal(404);
  });

  itLong('tells webhooks of the parts of an order as the API shows them, and of none for other orders', async () => {
    const { id } = (await ada.post('/api/webhooks', { url: null, events: ['order.paid', 'order.refunded'] })).body
      .webhook;
    await publishBundle();
    await approve('all-of-it');
    const order = await placeOrder(service.parts, 'all-of-it');
    const path = `/api/orders/${order.id}`;
    const { parts: paid } = (await ada.get(path)).body.order;
    const refunded = await ada.post(`${path}/refund`, { parts: [paid[0].id] });
    expect(refunded.body.order.parts).not.to.deep.equal(paid);
    await placeOrder(service.parts, 'jar');
    const { data } = (await ada.post(`/api/webhooks/${id}/fetch`, { done: [] })).body;
    const told = data.map(({ event, body }: { event: string; body: string }) => [event, JSON.parse(body).data.parts]);
    expect(told).to.deep.equal([
      ['order.paid', paid],
      ['order.refunded', refunded.body.order.parts],
      ['order.paid', null],
    ]);
  });

  it('422 for a refund of an unknown part, of no part, and of parts together with an amount', async () => {
    await publishBundle();
    await approve('all-of-it');
    const order = await placeOrder(service.parts, 'all-of-it');
    for (const body of [{ parts: [999] }, { parts: [] }, { parts: [order.id], amount: 5 }]) {
      expect((await ada.post(`/api/orders/${order.id}/refund`, body)).status, JSON.stringify(body)).to.equal(422);
    }
  });

  itLong('422 for a bundle that cannot be sold, with what is wrong', async () => {
    const stranger = await service.account('pro');
    const [jar = 0] = ids;
    const others = await publish('Other', '5', stranger);
    await publishBundle();
    const cases: readonly (readonly [readonly number[], RegExp])[] = [
      [[jar], /at least 2/],
      [[jar, jar], /each product once/],
      [[jar, others], /no product with the id/],
      [[jar, 999_999], /no product with the id/],
    ];
    for (const [some, fault] of cases) {
      const { status, text } = await publishBundle(some);
      expect(status, text).to.equal(422);
      expect(text).to.match(fault);
    }
    const offered = await ada.post('/api/products/bundles', {
      ...listing,
      products: ids.map((product) => ({ product, offer: 'gone' })),
    });
    expect([offered.status, offered.text]).to.satisfy(([s, text]: [number, string]) => s === 422 && /gone/.test(text));
  });

  itLong(
    '200 for other contents, and for a product that is no bundle any more; 404 for one of somebody else',
    async () => {
      await publishBundle();
      const more = await publish('Pen', '1');
      const changed = await ada.post('/api/products/all-of-it/bundle', { products: productsOf([more, ...ids]) });
      expect(changed.body.product.bundle).to.have.lengthOf(3);
      const itself = changed.body.product.id;
      expect(
        (await ada.post('/api/products/all-of-it/bundle', { products: productsOf([more, itself]) })).status,
      ).to.equal(422);
      const none = await ada.post('/api/products/all-of-it/bundle', { products: null });
      expect(none.body.product.bundle).to.equal(null);
      const stranger = await service.account('pro');
      const refused = await stranger.post('/api/products/all-of-it/bundle', { products: null });
      expect(refused.status).to.equal(404);
      // A product with files is no bundle.
      expect((await ada.post('/api/products/jar/bundle', { products: productsOf(ids) })).status).to.equal(422);
    },
  );

  itLong('422 for an offer of a bundle that is not paid once', async () => {
    await publishBundle();
    const trial = { name: 'Try', kind: 'trial', price: '0', duration: { days: 7, from: 'issue' } };
    expect((await ada.post('/api/products/all-of-it/offers', trial)).status).to.equal(422);
    const once = await ada.post('/api/products/all-of-it/offers', { name: 'Team', price: '90' });
    expect(once.status, once.text).to.equal(200);
  });
});
