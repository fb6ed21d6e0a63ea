import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import type { Product } from '../../../../core/marketplace/product.ts';
import type { Order } from '../../../../core/purchases/order.ts';
import { createLearn } from '../../../../core/purchases/settle.ts';
import { by, operator } from '../../../support/by.ts';
import { exampleOffer } from '../../../support/example-product.ts';
import { good } from '../../../support/good.ts';
import { must } from '../../../support/license-acts.ts';
import { addOrder } from '../../../support/orders.ts';
import { payable, placeOrder } from '../../../support/placed-orders.ts';
import { itLong } from '../../../support/required-service.ts';
import type { WebClient } from '../../../support/web-client.ts';
import { type SellingService, startSellingService } from '../account/selling-service.ts';
import type { Person } from './dashboard-service.ts';

const onSale = { status: 'published', archivedAt: null, price: 4900, sellerName: 'Ada & Co' } as const;
const agreedTeam = { slug: 'team', name: 'Team', kind: 'upgrade', updatesMonths: null, entitlements: [] } as const;
const hostile = '<script>alert(1)</script> [link](https://evil.example) https://evil.example "\'&';

describe('reviews', () => {
  let service: SellingService;
  let seller: Person;
  let admin: Person;
  let guest: WebClient;
  let jar: Product;
  let count = 0;
  before(async () => {
    service = await startSellingService(payable);
    seller = await service.signedInUser({ name: 'Ada' });
    admin = await service.signedInUser({ name: 'Root', role: 'admin' });
  });
  beforeEach(async () => {
    service.clock.advance(3_600_000);
    guest = service.browser();
    jar = await service.product(seller, `jar-${++count}`, { ...onSale, title: `Jar ${count}` });
  });
  after(() => service.close());

  const buy = (email = `buyer-${count}@example.com`, more: Parameters<typeof placeOrder>[2] = {}, of = jar) =>
    placeOrder(service.parts, of.slug, { email, way: 'manual', ...more });
  const formOf = ({ token }: Order) => `/orders/${token}/review`;
  const write = (order: Order, fields: Record<string, string> = {}, browser = guest) =>
    browser.fill(formOf(order), { stars: '4', name: 'Grace', text: 'Good', ...fields });
  const productPage = async (of = jar) => (await guest.get(`/marketplace/${of.slug}`)).html;
  const list = () => `/selling/live/products/${jar.id}/reviews`;
  /** The path of the only review of the product, for its seller. */
  async function oneOfSeller(): Promise<string> {
    const [, id = ''] = /reviews\/(\d+)\/reply/.exec((await seller.browser.get(list())).html) ?? [];
    return `${list()}/${id}`;
  }

  itLong(
    'are written on the page of a paid order, and are on the page of the product, with their average',
    async () => {
      expect(await productPage())
        .to.include('No buyer has written a review yet.')
        .and.to.not.include('aggregateRating');
      const order = await buy();
      expect((await guest.get(`/orders/${order.token}`)).text).to.include('Write a review');
      const sent = await write(order, { text: 'Works.\nEasy.' });
      expect([sent.status, sent.location]).to.deep.equal([303, `/orders/${order.token}`]);
      expect((await guest.follow(sent)).text)
        .to.include('Thank you!')
        .and.to.include('Works.');
      await write(await buy('two@example.com'), { stars: '1', name: '', text: '' });
      const page = await productPage();
      expect(page).to.include('Works.\nEasy.').and.to.include('<bdi>Grace</bdi>').and.to.include('<bdi>A buyer</bdi>');
      expect(page).to.include('aria-label="2.5 of 5 stars"').and.to.include('2 reviews');
      expect(page).to.include(
        '"aggregateRating":{"@type":"AggregateRating","ratingValue":2.5,"reviewCount":2,"bestRating":5}',
      );
      expect(page).to.not.include('example.com</bdi>').and.to.not.include('two@');
      expect((await guest.get(`/marketplace?q=${jar.slug}`)).html).to.include('2 reviews');
      expect((await seller.browser.get('/account/notifications')).text).to.include(`gave “${jar.title}” 4 of 5 stars`);
    },
  );

  itLong('are one for each buyer, who can change it and take it back', async () => {
    const order = await buy();
    await write(order);
    const again = await guest.get(formOf(order));
    expect(again.html)
      .to.match(/value="4" checked/)
      .and.to.include('Good</textarea>');
    await write(order, { stars: '2', text: 'Less good' });
    expect(await productPage())
      .to.include('Less good')
      .and.to.include('1 review)')
      .and.to.not.include('>Good<');
    const withdrawn = await guest.post(`${formOf(order)}/withdraw`, {});
    expect(withdrawn.status).to.equal(303);
    expect(await productPage())
      .to.include('No buyer has written')
      .and.to.not.include('Less good');
    expect((await guest.post(`${formOf(order)}/withdraw`, {})).text).to.include(
      'You have withdrawn this review already',
    );
    await write(order, { stars: '5', text: 'Better' });
    expect(await productPage())
      .to.include('Better')
      .and.to.include('1 review)');
  });

  itLong(
    'are only for buyers: not before the payment, nor after a refund, nor by the seller, nor by another order of the buyer',
    async () => {
      const unpaid = await buy('unpaid@example.com', { isPaid: false });
      const refunded = await buy('refunded@example.com', { payment: { refunded: 4900 } });
      const own = await buy(seller.email);
      const first = await buy('twice@example.com');
      await write(first);
      const second = await buy('twice@example.com');
      for (const order of [unpaid, refunded, own, second]) {
        expect((await guest.get(formOf(order))).status, order.buyer.email).to.equal(404);
        const sent = await guest.post(formOf(order), { stars: '5', name: '', text: 'Bought?' });
        expect(sent.status, order.buyer.email).to.be.within(400, 499);
        expect((await guest.post(`${formOf(order)}/withdraw`, {})).status).to.not.equal(303);
      }
      expect((await guest.get(`/orders/${second.token}`)).text).to.include('with another order');
      expect(await productPage())
        .to.include('1 review)')
        .and.to.not.include('Bought?');
      expect((await guest.get('/orders/000000000000000000000000/review')).status).to.equal(404);
    },
  );

  itLong(
    'of what costs nothing need an account and a site that uses the key, so that nobody makes up buyers',
    async () => {
      const free = await service.product(seller, `free-${count}`, { ...onSale, price: 0 });
      const made = await placeOrder(service.parts, free.slug, { email: 'made-up@example.com' });
      await service.activate(made.licenseKey ?? '', 'a.example.com');
      expect((await guest.get(`/orders/${made.token}`)).text).to.include('To review this product, sign in');
      expect((await guest.post(formOf(made), { stars: '5' })).status).to.be.within(400, 499);
      const buyer = await service.signedInUser({ name: 'Grace' });
      const { location = '' } = await buyer.browser.fill(`/marketplace/${free.slug}/buy`, {});
      const page = await buyer.browser.get(location);
      expect(page.text).to.include('You can review it when your site uses the key.');
      const [key = ''] = /LIC-[0-9A-Z-]{19}/.exec(page.html) ?? [];
      await service.activate(key, 'b.example.com');
      const path = `${location.replace(/\?.*/, '')}/review`;
      expect((await buyer.browser.fill(path, { stars: '5', text: 'Free and good' })).status).to.equal(303);
      expect(await productPage(free))
        .to.include('Free and good')
        .and.to.include('1 review)');
    },
  );

  itLong('of what was free are over when it costs money; those that are there can be taken back', async () => {
    const free = await service.product(seller, `dear-${count}`, { ...onSale, price: 0 });
    const buyer = await service.signedInUser({ name: 'Grace' });
    const order = async () => {
      const { location = '' } = await buyer.browser.fill(`/marketplace/${free.slug}/buy`, {});
      return location.replace(/\?.*/, '');
    };
    const path = await order();
    const [key = ''] = /LIC-[0-9A-Z-]{19}/.exec((await buyer.browser.get(path)).html) ?? [];
    await service.activate(key, 'c.example.com');
    await buyer.browser.fill(`${path}/review`, { stars: '5', text: 'It was free' });
    await seller.browser.fill(`/selling/live/products/${free.id}/edit`, { price: '499' });
    const page = await buyer.browser.get(path);
    expect(page.text).to.include('It was free').and.to.not.include('Write a review');
    expect((await buyer.browser.get(`${path}/review`)).status).to.equal(404);
    expect((await buyer.browser.post(`${path}/review`, { stars: '5' })).status).to.be.within(400, 499);
    expect((await buyer.browser.submit(page, {}, 'Withdraw')).status).to.equal(303);
    expect((await buyer.browser.get(path)).text).to.include('the product costs money');
    expect(await productPage(free)).to.not.include('It was free');
  });

  itLong('of a trial or a free offer are for those who have paid in the end, if the product costs money', async () => {
    const basic = { ...exampleOffer, slug: 'basic', name: 'Basic', price: 0 };
    const tried = {
      ...exampleOffer,
      slug: 'try',
      kind: 'trial',
      price: 0,
      duration: { days: 14, from: 'issue' },
    } as const;
    const some = { ...onSale, title: `Tea ${count}`, offers: [basic, exampleOffer, tried] };
    const tea = await service.product(seller, `tea-${count}`, some);
    const buyer = await service.signedInUser({ name: 'Grace' });
    const take = async (offer: string) => {
      const { location = '' } = await buyer.browser.fill(`/marketplace/${tea.slug}/buy?offer=${offer}`, {});
      const path = location.replace(/\?.*/, '');
      const [key = ''] = /LIC-[0-9A-Z-]{19}/.exec((await buyer.browser.get(path)).html) ?? [];
      await service.activate(key, `${offer}.example.com`);
      return path;
    };
    const path = await take('basic');
    expect((await buyer.browser.get(path)).text).to.include('You can review it when you have paid for it.');
    expect((await buyer.browser.post(`${path}/review`, { stars: '5' })).status).to.be.within(400, 499);
    const other = await service.signedInUser({ name: 'Eve' });
    const begun = await other.browser.fill(`/marketplace/${tea.slug}/buy?offer=try`, {});
    const trial = (begun.location ?? '').replace(/\?.*/, '');
    const page = await other.browser.get(trial);
    expect(page.text).to.include('You can review it when you have paid for it.');
    const [key = ''] = /LIC-[0-9A-Z-]{19}/.exec(page.html) ?? [];
    await service.activate(key, 'eve.example.com');
    const ports = await service.parts.get(t.orderPorts);
    const order = must(await ports.store.findByToken(trial.split('/').at(-1) ?? ''));
    const { id } = await addOrder({ orders: ports.store }, tea, {
      ...{ renews: order.licenseKey, buyer: order.buyer, provider: 'manual', createdAt: service.clock.now() },
      agreed: { ...order.agreed, price: 4900, offer: agreedTeam },
    });
    good(await createLearn(ports)(id, ({ payment }) => ({ payment: { ...payment, status: 'paid' } }), by));
    expect((await other.browser.fill(`${trial}/review`, { stars: '4', text: 'Paid in the end' })).status).to.equal(303);
    expect(await productPage(tea))
      .to.include('Paid in the end')
      .and.to.include('1 review)');
  });

  it('stay after a refund, so that nobody is paid for silence, but their buyer can take them back', async () => {
    const order = await buy();
    await write(order, { text: 'Bad' });
    good(
      await (await service.parts.get(t.orders)).refund(String(order.id), undefined, { actor: operator, mode: 'live' }),
    );
    const page = await guest.get(`/orders/${order.token}`);
    expect(page.text).to.include('Bad');
    expect(await productPage()).to.include('Bad');
    expect((await guest.get(formOf(order))).status).to.equal(404);
    expect((await guest.submit(page, {}, 'Withdraw')).status).to.equal(303);
    expect(await productPage()).to.not.include('>Bad<');
  });

  it('need stars, and texts of a reasonable length', async () => {
    const order = await buy();
    for (const [fields, message] of [
      [{ stars: '' }, 'Choose a number of stars.'],
      [{ stars: '6' }, 'Choose a number of stars.'],
      [{ stars: '-1' }, 'Choose a number of stars.'],
      [{ text: 'x'.repeat(2001) }, 'at most 2000'],
      [{ name: 'x'.repeat(81) }, 'at most 80'],
    ] as const) {
      const sent = await guest.post(formOf(order), { stars: '4', name: '', text: '', ...fields });
      expect([sent.status, sent.text.includes(message)], JSON.stringify(fields).slice(0, 40)).to.deep.equal([
        422,
        true,
      ]);
    }
  });

  itLong('are plain text, whatever is in them', async () => {
    const order = await buy();
    await write(order, { text: hostile, name: hostile.slice(0, 80) });
    await seller.browser.fill(`${await oneOfSeller()}/reply`, { reply: hostile });
    for (const page of [
      await productPage(),
      (await guest.get(`/orders/${order.token}`)).html,
      (await seller.browser.get(list())).html,
      (await admin.browser.get('/admin/moderation/reviews?state=shown')).html,
    ]) {
      expect(page).to.include('&lt;script>alert(1)').and.to.not.include('<script>alert(1)');
      expect(page).to.not.match(/href="[^"]*evil\.example/);
    }
  });

  itLong('are answered by the seller, whose reply everybody sees', async () => {
    await write(await buy());
    const one = await oneOfSeller();
    const sent = await seller.browser.fill(`${one}/reply`, { reply: 'Thank you, Grace' });
    expect([sent.status, sent.location]).to.deep.equal([303, list()]);
    expect(await productPage())
      .to.include('Thank you, Grace')
      .and.to.include('Reply of the seller');
    await seller.browser.fill(`${one}/reply`, { reply: '' });
    expect(await productPage()).to.not.include('Reply of the seller');
  });

  itLong('are reported by the seller, and an administrator keeps or hides them', async () => {
    const order = await buy();
    await write(order, { text: 'An insult' });
    const one = await oneOfSeller();
    expect((await seller.browser.post(`${one}/report`, { why: '' })).status).to.equal(422);
    expect((await seller.browser.fill(`${one}/report`, { why: 'It is an insult.' })).location).to.equal(list());
    expect(await productPage()).to.include('An insult');
    const queue = await admin.browser.get('/admin/moderation/reviews');
    expect((await admin.browser.get('/account/notifications')).text).to.include(`“${jar.title}” has reported a review`);
    const [, id = ''] = new RegExp(`moderation/reviews/(\\d+)"[^>]*>Grace about ${jar.title}<`).exec(queue.html) ?? [];
    const moderated = `/admin/moderation/reviews/${id}`;
    expect((await admin.browser.get(moderated)).text)
      .to.include('It is an insult.')
      .and.to.include(order.buyer.email);
    expect((await admin.browser.post(`${moderated}/keep`, {})).location).to.equal('/admin/moderation/reviews');
    expect((await admin.browser.get('/admin/moderation/reviews')).text).to.not.include(`about ${jar.title}`);
    const again = await seller.browser.post(`${one}/report`, { why: 'It is still an insult.' });
    expect([again.status, again.text.includes('has looked at this review')], 'once').to.deep.equal([422, true]);
    await write(order, { text: 'Another insult' });
    expect((await seller.browser.fill(`${one}/report`, { why: 'It is one again.' })).location).to.equal(list());
    expect((await admin.browser.post(`${moderated}/keep`, {})).status).to.equal(303);
    await write(order, { text: 'An insult' });
    expect((await admin.browser.fill(`${moderated}/hide`, { reason: 'It is one.' })).status).to.equal(303);
    expect(await productPage())
      .to.include('No buyer has written')
      .and.to.not.include('An insult');
    expect((await guest.get(`/orders/${order.token}`)).text).to.include('An administrator has hidden this review.');
    // Writing it again, or taking it back, does not bring it back.
    await write(order, { text: 'Another insult' });
    await guest.post(`${formOf(order)}/withdraw`, {});
    await write(order, { text: 'A third insult' });
    expect(await productPage()).to.not.include('insult');
    expect((await seller.browser.post(`${one}/report`, { why: 'Again' })).status).to.be.within(400, 499);
    expect((await admin.browser.post(`${moderated}/keep`, {})).status).to.equal(303);
    expect(await productPage()).to.include('A third insult');
    const trail = (await admin.browser.get('/admin/audit')).text;
    for (const event of ['Review hidden', 'Reported review kept', 'Review reported']) expect(trail).to.include(event);
  });

  itLong('are listed newest first, on several pages', async () => {
    for (let n = 1; n <= 12; n++) await write(await buy(`${count}-${n}@example.com`), { text: `Review number ${n}.` });
    const first = await productPage();
    expect(first.match(/Review number \d+\./g)).to.deep.equal(
      [12, 11, 10, 9, 8, 7, 6, 5, 4, 3].map((n) => `Review number ${n}.`),
    );
    const [, query = ''] = /(\?reviews=\d+)#reviews/.exec(first) ?? [];
    const second = (await guest.get(`/marketplace/${jar.slug}${query}`)).html;
    expect(second.match(/Review number \d+\./g)).to.deep.equal(['Review number 2.', 'Review number 1.']);
    for (const place of ['x', '-1', '', '1&reviews=2']) {
      expect((await guest.get(`/marketplace/${jar.slug}?reviews=${place}`)).html).to.include('Review number 12.');
    }
  });

  it('of other sellers are not there for others: 404; only administrators moderate: 403', async () => {
    await write(await buy());
    const one = await oneOfSeller();
    const other = await service.signedInUser({ name: 'Eve' });
    for (const path of [list(), one, `${one}/reply`, `${one}/report`]) {
      expect((await other.browser.get(path)).status, path).to.equal(404);
    }
    const id = one.slice(one.lastIndexOf('/') + 1);
    for (const path of ['', `/${id}`, `/${id}/hide`]) {
      expect((await seller.browser.get(`/admin/moderation/reviews${path}`)).status, path).to.equal(403);
      expect((await admin.browser.get(`/admin/moderation/reviews${path}`)).status, path).to.equal(200);
    }
    expect((await seller.browser.post(`/admin/moderation/reviews/${id}/keep`, {})).status).to.equal(403);
    for (const path of [
      '/admin/moderation/reviews/999',
      '/admin/moderation/reviews/x',
      `${list()}/999`,
      `${list()}?after=x`,
    ]) {
      expect((await admin.browser.get(path)).status, path).to.equal(404);
    }
  });
});
