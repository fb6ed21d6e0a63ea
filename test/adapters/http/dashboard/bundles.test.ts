import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { event } from '../../../../core/events/event.ts';
import type { Product } from '../../../../core/marketplace/product.ts';
import { by, operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { payable, placeOrder } from '../../../support/placed-orders.ts';
import { itLong } from '../../../support/required-service.ts';
import { offerOf } from '../../../support/subscriptions.ts';
import { type SellingService, startSellingService } from '../account/selling-service.ts';

describe('the pages of bundles', () => {
  let service: SellingService;
  before(async () => {
    service = await startSellingService(payable);
  });
  after(() => service.close());

  itLong('200 with what is inside, before and after it was bought, and a refund of one product', async () => {
    const { ada } = await service.people();
    const published = { status: 'published', isApproved: true } as const;
    const jar = await service.product(ada, 'jar', { title: 'Jar', price: 4_990, ...published });
    const cup = await service.product(ada, 'cup', { title: 'Cup', price: 1_010, ...published });
    const bundle = [jar, cup].map(({ id }) => ({ productId: id, offer: null }));
    const both = await service.product(ada, 'both', {
      title: 'Both',
      price: 3_000,
      zip: null,
      version: null,
      bundle,
      ...published,
    });
    for (const path of ['/marketplace/both', '/marketplace/both/buy']) {
      const page = await service.browser().get(path);
      expect(page.status, path).to.equal(200);
      for (const text of ['Jar', 'Cup', 'You save $30.00']) expect(page.text, path).to.include(text);
    }
    const order = await placeOrder(service.parts, 'both');
    const parts = await (await service.parts.get(t.orderStore)).partsOf([order.id]);
    const bought = await service.browser().get(`/orders/${order.token}`);
    expect(bought.status).to.equal(200);
    for (const text of ['Your products', 'Jar', 'Cup']) expect(bought.text).to.include(text);
    const own = `/selling/live/orders/${order.id}`;
    const sold = await ada.browser.get(own);
    for (const { licenseKey, token } of parts) {
      expect(bought.html).to.include(String(licenseKey)).and.include(`orders/${token}`);
      expect(sold.html).to.include(String(licenseKey));
      const part = await service.browser().get(`/orders/${token}`);
      expect(part.html).to.include(String(licenseKey));
      expect(part.text).to.include(`This product is a part of \u2068Both\u2069, order ${order.id}.`);
      // Whoever was given the link of one product does not get those of the others.
      expect(part.html).not.to.include(order.token);
      const license = await ada.browser.get(`/selling/live/licenses/${licenseKey}`);
      expect(license.text).to.include('Part of the bundle').and.include(`Order ${order.id}`);
      expect(license.html).to.include(`products/${both.id}"`).and.include(`orders/${order.id}"`);
    }
    const mine = await placeOrder(service.parts, 'both', { email: ada.email });
    expect((await ada.browser.get('/account/purchases')).status).to.equal(200);
    const [first] = await (await service.parts.get(t.orderStore)).partsOf([mine.id]);
    expect((await ada.browser.get(`/orders/${first?.token}`)).html).to.include(`orders/${mine.token}"`);
    const form = await ada.browser.get(`${own}/refund-products`);
    expect(form.status).to.equal(200);
    expect(form.text).to.include('Cup: $5.05');
  });

  itLong(
    'say the terms of each product before it is bought, never those of the bundle, and no saving that nobody has',
    async () => {
      const { ada } = await service.people();
      const published = { status: 'published', isApproved: true } as const;
      const team = offerOf({ slug: 'team', name: 'Team', kind: 'once', price: 8_000, maxDomains: 7, recurs: null });
      const { recurs: _, ...once } = { ...team, updatesMonths: 6, entitlements: ['support'] };
      const days = { days: 90, from: 'issue' } as const;
      const hat = await service.product(ada, 'hat', {
        title: 'Hat',
        version: '1',
        price: 2_000,
        ...published,
        terms: { maxDomains: 3, duration: days },
      });
      const coat = await service.product(ada, 'coat', {
        title: 'Coat',
        price: 1_000,
        offers: [once],
        ...published,
        terms: { onRefund: 'keep' },
      });
      const bundle = [
        { productId: hat.id, offer: null },
        { productId: coat.id, offer: 'team' },
      ];
      const own = {
        title: 'Wardrobe',
        price: 3_000,
        zip: null,
        version: null,
        terms: { maxDomains: 987, movesPerMonth: 654 },
      };
      const one = await service.product(ada, 'wardrobe', { ...own, ...published, bundle });
      const paths = ['/marketplace/wardrobe', '/marketplace/wardrobe/buy'];
      const said = [
        'Works on 3 domains · Valid for 90 days from the day it is issued · All files, and those of later versions · After a full refund, the license stops working',
        'Works on 7 domains · Valid for ever · New releases for 6 months · Includes support · After a full refund, the license still works',
        'Each product has a license key of its own. Move domains up to 3 times a month.',
        'You save $70.00',
      ];
      for (const path of paths) {
        const { text } = await service.browser().get(path);
        for (const line of said) expect(text, path).to.include(line);
        for (const wrong of ['987 domain', '654 time']) expect(text, path).not.to.include(wrong);
      }
      const store = await service.parts.get(t.productStore);
      const set = async (of: Product, fields: Partial<Product>) =>
        await store.change(of.id, (before) => ({
          after: { ...before, ...fields },
          event: event('product.changed', before.slug, by, service.clock.now()),
        }));
      // Nobody can buy it alone at this price any more.
      await set(coat, { offers: [{ ...once, isListed: false }] });
      for (const path of paths) expect((await service.browser().get(path)).text).not.to.include('You save');
      const two = ['cheap', 'dear'].map((slug, index) => ({
        ...once,
        slug,
        name: slug,
        price: 100 + index,
        maxDomains: 543,
      }));
      await set(one, { offers: two });
      await set(coat, { archivedAt: service.clock.now() });
      for (const path of paths) {
        const { text } = await service.browser().get(path);
        expect(text, path).to.include('One of its products cannot be sold at the moment.');
        for (const wrong of ['987 domain', '654 time', '543 domain']) expect(text, path).not.to.include(wrong);
      }
    },
  );

  it('say what was agreed for each product of an order, and what a refund of all of it does to each license', async () => {
    const { ada } = await service.people();
    const published = { status: 'published', isApproved: true, price: 1_000 } as const;
    const lost = await service.product(ada, 'lost', { title: 'Lost', ...published, terms: { maxDomains: 61 } });
    const kept = await service.product(ada, 'kept', { title: 'Kept', ...published, terms: { onRefund: 'keep' } });
    const bundle = [lost, kept].map(({ id }) => ({ productId: id, offer: null }));
    const own = { title: 'Either', zip: null, version: null, terms: { maxDomains: 987 } };
    await service.product(ada, 'either', { ...own, ...published, bundle });
    const email = 'either@example.com';
    const order = await placeOrder(service.parts, 'either', { email });
    const path = `/selling/live/orders/${order.id}`;
    const before = await ada.browser.get(path);
    expect(before.text).to.include('61 domains').and.include('The buyer keeps the license');
    expect(before.text).not.to.include('987 domain');
    expect((await ada.browser.get(`${path}/refund`)).text).to.include('unless their products keep them');
    good(
      await (await service.parts.get(t.orders)).refund(String(order.id), undefined, { actor: operator, mode: 'live' }),
    );
    const after = await ada.browser.get(path);
    // The bundle itself has no license.
    for (const effect of ['The license works.', 'The license is revoked.']) expect(after.text).not.to.include(effect);
    const letters = (await service.letters(email)).map(({ text }) => text).join();
    expect(letters).to.include('Lost: Your license does not work any more.');
    expect(letters).to.include('Kept: Your license goes on as before.');
  });

  it('mails what each license does after a refund of an amount, and during and after a dispute', async () => {
    const { ada } = await service.people();
    const published = { status: 'published', isApproved: true, price: 1_000 } as const;
    const inside = await Promise.all(
      ['One', 'Two'].map((title) => service.product(ada, title, { title, ...published })),
    );
    const bundle = inside.map(({ id }) => ({ productId: id, offer: null }));
    await service.product(ada, 'told', { title: 'Told', zip: null, version: null, ...published, bundle });
    const email = 'told@example.com';
    const order = await placeOrder(service.parts, 'told', { email });
    const orders = await service.parts.get(t.orders);
    const seller = { actor: operator, mode: 'live' } as const;
    const newest = async (kind: string) =>
      (await service.letters(email)).filter((one) => one.kind === kind).at(-1)?.text;
    good(await orders.refund(String(order.id), 100, seller));
    const ofAmount = await newest('order-refunded');
    for (const title of ['One', 'Two']) expect(ofAmount).to.include(`${title}: Your license goes on as before.`);
    const [first] = await (await service.parts.get(t.orderStore)).partsOf([order.id]);
    good(await orders.refundParts(String(order.id), first ? [first.id] : [], seller));
    expect(await newest('order-refunded'))
      .to.include('One: Your license does not work')
      .and.not.to.include('Two:');
    const purchases = await service.parts.get(t.purchases);
    good(await purchases.play(order.token, { kind: 'dispute' }));
    const begun = await newest('order-disputed');
    expect(begun).to.include('Two: Your license does not work until your bank has decided.');
    good(await purchases.play(order.token, { kind: 'win' }));
    const won = await newest('order-disputed');
    expect(won).to.include('Two: Your license works again.');
    // It was refunded before.
    for (const letter of [begun, won]) expect(letter).to.include('One: Your license does not work any more.');
  });

  itLong('lead to a new order if the terms of a product in it have changed since the one that waits', async () => {
    const { ada } = await service.people();
    const published = { status: 'published', isApproved: true, price: 1_000 } as const;
    const [pin, tack] = [await service.product(ada, 'pin', published), await service.product(ada, 'tack', published)];
    const bundle = [tack, pin].map(({ id }) => ({ productId: id, offer: null }));
    await service.product(ada, 'board', { title: 'Board', zip: null, version: null, ...published, bundle });
    const guest = service.browser();
    const buy = async () =>
      (await guest.fill('/marketplace/board/buy', { email: 'board@example.com', way: 'manual' })).headers.get(
        'location',
      );
    const first = await buy();
    expect(first).to.match(/\/orders\//);
    expect(await buy()).to.equal(first);
    const waiting = await guest.get(`/orders/${first?.split('/').at(-1)}`);
    expect(waiting.text).to.include('Your license keys appear on this page').and.not.to.include('Your license key ');
    const told = (await service.letters('board@example.com')).map(({ text }) => text).join();
    expect(told).to.include('You get a license key for each product in it when the payment has arrived.');
    const store = await service.parts.get(t.productStore);
    await store.change(pin.id, (before) => ({
      after: { ...before, terms: { ...before.terms, maxDomains: 77 } },
      event: event('product.changed', before.slug, by, service.clock.now()),
    }));
    expect((await guest.get('/marketplace/board/buy')).text).to.include('Works on 77 domains');
    const next = await buy();
    expect(next)
      .to.match(/\/orders\//)
      .and.not.to.equal(first);
    const order = await (await service.parts.get(t.orderStore)).findByToken(next?.split('/').at(-1) ?? '');
    const parts = await (await service.parts.get(t.orderStore)).partsOf(order ? [order.id] : []);
    expect(parts.map(({ agreed }) => agreed.terms.maxDomains)).to.include(77);
  });

  itLong('makes a bundle, changes what it contains, and says what is wrong', async () => {
    const { ada, eve, root } = await service.people();
    const published = { status: 'published', isApproved: true } as const;
    const pot = await service.product(ada, 'pot', {
      title: 'Pot',
      price: 500,
      zip: 'products/pot.zip',
      version: '1',
      ...published,
    });
    const pan = await service.product(ada, 'pan', { title: 'Pan', price: 600, ...published });
    const lid = await service.product(ada, 'lid', { title: 'Lid', price: 700, ...published });
    const other = await service.product(eve, 'of-eve', { title: 'Of Eve', price: 700, ...published });
    const store = await service.parts.get(t.productStore);
    const path = '/selling/live/products/new-bundle';
    const page = await ada.browser.get(path);
    expect(page.status).to.equal(200);
    for (const text of ['\u2068Pot\u2069 ($5.00)', '\u2068Pan\u2069 ($6.00)']) expect(page.text).to.include(text);
    expect(page.text).not.to.include('Of Eve');
    const typed = { title: 'Kitchen', price: '9', description: 'Everything that a small kitchen needs.' };
    const alone = await ada.browser.fill(path, { ...typed, product_1: String(pot.id) });
    expect(alone.status).to.equal(422);
    expect(alone.text).to.include('A bundle contains 2 to 20 products.');
    const made = await ada.browser.fill(path, { ...typed, product_2: String(pan.id), product_5: String(pot.id) });
    expect(made.status).to.equal(303);
    const { id } = (await store.findBySlug('kitchen')) ?? expect.fail('There is no bundle.');
    const own = `/selling/live/products/${id}`;
    const shown = await ada.browser.get(own);
    for (const text of [
      '2 products. Buyers get a license for each of them. Own prices together: $11.00. Price of the bundle: $9.00.',
      'Buyers read that they save $2.00.',
      'Works on 1 domain · Valid for ever',
    ]) {
      expect(shown.text).to.include(text);
    }
    for (const { id } of [pan, pot]) expect(shown.html).to.include(`products/${id}"`);
    for (const missing of ['New version', 'Change terms', 'Usage', 'versions/new']) {
      expect(shown.html).not.to.include(missing);
    }
    expect((await ada.browser.get('/selling/live/products')).text).to.include('Bundle of 2 products');
    const inside = async () => (await store.findById(id))?.bundle?.map(({ productId }) => productId);
    expect(await inside()).to.deep.equal([pan.id, pot.id]);

    const form = await ada.browser.get(`${own}/bundle`);
    expect(form.status).to.equal(200);
    const stranger = { product_2: String(other.id) };
    const refused = await ada.browser.fill(`${own}/bundle`, stranger);
    expect(refused.status).to.equal(422);
    expect(refused.text).to.include(`Its seller has no product with the id ${other.id}.`);
    const changes = { product_1: String(lid.id), product_2: '', product_3: String(pan.id) };
    expect((await ada.browser.fill(`${own}/bundle`, changes)).status).to.equal(303);
    expect(await inside()).to.deep.equal([lid.id, pan.id]);
    const three = { product_1: String(lid.id), product_2: String(pan.id), product_3: String(pot.id) };
    const moves = [
      [{ place_3: '1' }, [pot, lid, pan]],
      [{ place_1: '3' }, [pan, pot, lid]],
      [{ place_1: '2', place_2: '1' }, [pan, lid, pot]],
      [{ place_2: '20' }, [lid, pot, pan]],
    ] as const;
    for (const [places, order] of moves) {
      expect((await ada.browser.fill(`${own}/bundle`, { ...three, ...places })).status).to.equal(303);
      expect(await inside()).to.deep.equal(order.map(({ id }) => id));
    }
    const nowhere = await ada.browser.fill(`${own}/bundle`, { place_1: 'first' });
    expect(nowhere.status).to.equal(422);
    expect(nowhere.text).to.include('Enter a whole number from 1 to 20.');
    expect(nowhere.text).to.include('Own prices together: $18.00. Price of the bundle: $9.00.');

    // Its forms ask for no terms, and keep those that it may get when it is no bundle any more.
    const terms = (await store.findById(id))?.terms;
    const edited = await ada.browser.get(`${own}/edit`);
    expect(edited.text).not.to.include('License terms');
    expect((await ada.browser.fill(`${own}/edit`, { price: '8' })).status).to.equal(303);
    expect(await store.findById(id)).to.deep.include({ price: 800, terms });
    expect((await ada.browser.get(`${own}/offers/new`)).text).not.to.include('Domains');
    const offer = { name: 'Early', price: '7' };
    expect((await ada.browser.fill(`${own}/offers/new`, offer)).status).to.equal(303);
    const offered = await ada.browser.get(own);
    expect(offered.text).to.include('$7.00 once.').and.include('Buyers read that they save $11.00.');
    expect(offered.text).not.to.include('$7.00 once. Works on');
    const moderated = await root.browser.get(`/admin/products/${id}`);
    expect(moderated.html).to.include(`admin/products/${pan.id}"`).and.not.include('Contents of the zip');
    for (const wrong of ['License terms', '$7.00 once. Works on']) expect(moderated.text).not.to.include(wrong);
    const archived = {
      after: { ...pan, archivedAt: 1 },
      event: event('product.changed', 'pan', by, service.clock.now()),
    };
    await store.change(pan.id, () => archived);
    const gone = await ada.browser.get(own);
    expect(gone.text).to.include('“Pan” is archived.').and.include('Nobody can buy the bundle until');
    expect((await ada.browser.get(`${own}/bundle`)).text).to.include('Pan');
    expect((await eve.browser.get(`${own}/bundle`)).status).to.equal(404);
    // It has files, so it cannot be a bundle.
    expect((await ada.browser.get(`/selling/live/products/${pot.id}`)).text).not.to.include('Make it a bundle');
  });
});
