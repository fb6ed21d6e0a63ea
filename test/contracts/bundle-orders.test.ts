import { expect } from 'chai';
import { createMemoryRateLimiter } from '../../adapters/limits/memory.ts';
import { createManualClock } from '../../adapters/node/manual-clock.ts';
import { systemSecrets } from '../../adapters/node/secrets.ts';
import { event } from '../../core/events/event.ts';
import type { Product } from '../../core/marketplace/product.ts';
import type { OrderFilter } from '../../core/ports/order-store.ts';
import { createBilling } from '../../core/purchases/billing.ts';
import { createClaimOrders } from '../../core/purchases/claim.ts';
import { forgetUnpaidOrders } from '../../core/purchases/forgetting.ts';
import type { Order } from '../../core/purchases/order.ts';
import type { PaymentSettings } from '../../core/purchases/ways-to-pay.ts';
import { isRefused } from '../../core/refusal.ts';
import { day } from '../../core/time.ts';
import { addUser, backends, openForEach } from '../support/backends.ts';
import { addBundle, createBundleShop } from '../support/bundles.ts';
import { by } from '../support/by.ts';
import { good } from '../support/good.ts';
import { exampleProfile } from '../support/invoices.ts';
import { must, issuedAt as now } from '../support/license-acts.ts';
import { createBank } from '../support/orders.ts';
import { itLong } from '../support/required-service.ts';
import { sharedBackends } from '../support/shared-backends.ts';
import { addEndpoint, receivedBy } from '../support/webhooks.ts';

for (const backend of [...backends, ...sharedBackends]) {
  describe(`order store, of bundles: ${backend.name}`, () => {
    const stores = openForEach(backend);

    function open(settings?: Partial<PaymentSettings>) {
      const [bank, clock] = [createBank(), createManualClock(now)];
      return { bank, clock, ...createBundleShop(stores, clock, bank, settings) };
    }
    const licenseOf = async ({ licenseKey }: Order) =>
      must(await stores.licenses.find(must(licenseKey ?? undefined))).license;
    const standings = async (parts: readonly Order[]) =>
      await Promise.all(parts.map(async (part) => (await licenseOf(part)).standing));
    const search = async (filter: Partial<OrderFilter>) =>
      (await stores.orders.search({ isLive: true, limit: 9, ...filter })).items.map(({ id }) => id);
    const change = (product: Product, fields: Partial<Product>) =>
      stores.products.change(product.id, (before) => ({
        after: { ...before, ...fields },
        event: event('product.changed', before.slug, by, now),
      }));

    it('stores a bundle, and reads the products in it', async () => {
      const { bundle, inside } = await addBundle(stores, [300, 100]);
      expect((await stores.products.findById(bundle.id))?.bundle).to.deep.equal(bundle.bundle);
      const found = await stores.products.findAll([...inside.map(({ id }) => id), bundle.id]);
      expect(found.map(({ id }) => id).sort()).to.deep.equal([...inside, bundle].map(({ id }) => id).sort());
      expect(await stores.products.findAll([])).to.deep.equal([]);
    });

    itLong('names the same company in the order and its parts, also when its buyer corrects it', async () => {
      const { bundle } = await addBundle(stores, [3_000, 1_000]);
      const shop = open();
      const order = await shop.pay(await shop.begin(bundle));
      const { clock } = shop;
      const billing = createBilling({
        ...{ store: stores.orders, clock, checkTaxId: (_country, id) => id },
        limiter: createMemoryRateLimiter(clock),
      });
      const { taxId, name, lines, postalCode, city, region, country } = exampleProfile;
      const company = { taxId, name, lines, postalCode, city, region, country };
      const corrected = good(await billing.correct(order, company));
      expect(corrected.billing).to.deep.equal(company);
      const parts = await shop.partsOf(order);
      expect(parts.map((part) => part.billing)).to.deep.equal([company, company]);
    });

    it('adds an order with a part for each product, and gives each a license when the order is paid', async () => {
      const { bundle, inside } = await addBundle(stores, [3_000, 1_000]);
      const shop = open();
      const order = await shop.begin(bundle);
      expect(order.agreed.bundle?.map(({ title, price }) => [title, price])).to.deep.equal([
        ['Part 2', 250],
        ['Part 1', 750],
      ]);
      const before = await shop.partsOf(order);
      expect(before.map(({ partOf, state, productId }) => [partOf, state, productId])).to.deep.equal(
        inside.map(({ id }) => [order.id, 'open', id]),
      );
      expect(new Set([order, ...before].map(({ token }) => token)).size).to.equal(3);
      const paid = await shop.pay(order);
      expect(paid).to.include({ state: 'paid', number: 1, licenseKey: null });
      const parts = await shop.partsOf(order);
      expect(parts.map(({ state, number, payment }) => [state, number, payment.total])).to.deep.equal([
        ['paid', null, 250],
        ['paid', null, 750],
      ]);
      for (const [index, part] of parts.entries()) {
        expect((await licenseOf(part)).productId).to.equal(inside[index]?.id);
        expect((await stores.orders.findByLicense(must(part.licenseKey ?? undefined)))?.id).to.equal(part.id);
        expect((await stores.orders.findByToken(part.token))?.id).to.equal(part.id);
      }
      const kinds = (await stores.mails.list({ limit: 9 })).map(({ kind }) => kind);
      expect(kinds).to.deep.equal(['order-bundle-paid']);
      expect(await shop.settle(must(parts[0]).id)).to.deep.equal(parts[0]);
    });

    itLong('tells webhooks of an order what became of each part', async () => {
      const seller = await addUser(stores, 'Sel');
      const endpoint = await addEndpoint(stores, seller.id, { isLive: true, events: ['order.paid', 'order.refunded'] });
      const { bundle } = await addBundle(stores, [3_000, 1_000], { ownerId: seller.id });
      const shop = open();
      const order = await shop.pay(await shop.begin(bundle));
      const parts = await shop.partsOf(order);
      good(await shop.refundParts(order, [must(parts[0])]));
      const told = (await receivedBy(stores, endpoint)).map(({ event, data }) => [event, data.license_key, data.parts]);
      const part = ({ id, productId, agreed, licenseKey }: Order, status: string, amount_refunded: number) => ({
        ...{ id, product: { id: productId, title: agreed.title, slug: agreed.slug }, offer: null, status },
        ...{ license_key: licenseKey, price: agreed.price, amount_refunded },
      });
      const [first, second] = parts.map(must);
      expect(told).to.deep.equal([
        ['order.paid', null, [part(must(first), 'paid', 0), part(must(second), 'paid', 0)]],
        ['order.refunded', null, [part(must(first), 'refunded', 250), part(must(second), 'paid', 0)]],
      ]);
    });

    it('counts the money of a bundle once, lists its order without its parts, and finds it by what they have', async () => {
      const seller = await addUser(stores, 'Sel');
      const { bundle, inside } = await addBundle(stores, [3_000, 1_000], { ownerId: seller.id });
      const shop = open();
      const order = await shop.pay(await shop.begin(bundle));
      const parts = await shop.partsOf(order);
      const all = { isLive: true, sellerId: seller.id, from: 0 };
      const [revenue] = await stores.orders.revenue(all);
      expect(revenue).to.include({ orders: 1, paid: 1_000, refunded: 0 });
      expect(await stores.orders.revenue({ ...all, productId: must(inside[0]).id })).to.deep.equal([]);
      for (const filter of [
        {},
        { sellerId: seller.id },
        { sellerId: seller.id, states: ['paid'] as const },
        { search: 'part 1' },
        { search: 'all of' },
        { search: 'zoe@example.com' },
        { search: must(parts[1]?.licenseKey ?? undefined), sellerId: seller.id },
        { search: String(order.id) },
        { id: order.id },
        { productId: bundle.id },
      ]) {
        expect(await search(filter), JSON.stringify(filter)).to.deep.equal([order.id]);
      }
      expect(await search({ productId: must(inside[0]).id })).to.deep.equal([]);
      expect(await search({ id: must(parts[0]).id })).to.deep.equal([]);
      expect(await shop.list.find(String(must(parts[0]).id), shop.seller)).to.include({ reason: 'order_not_found' });
      const next = await shop.begin(bundle);
      expect((await shop.pay(next)).number).to.equal(2);
    });

    itLong('waits for one payment by hand, and forgets an unpaid order with its parts', async () => {
      const seller = await addUser(stores, 'Sel');
      const { bundle } = await addBundle(stores, [300, 100], { ownerId: seller.id });
      const shop = open({ manual: { instructions: 'IBAN' } });
      const order = await shop.begin(bundle);
      expect((await stores.orders.listWaiting(9)).map(({ id }) => id)).to.deep.equal([order.id]);
      expect(await stores.orders.countWaiting(9)).to.equal(1);
      expect(await stores.orders.countToDo({ isLive: true, sellerId: seller.id }, 9)).to.include({ byHand: 1 });
      good(await shop.orders.cancel(String(order.id), shop.seller));
      const parts = await shop.partsOf(order);
      expect(parts.map(({ state }) => state)).to.deep.equal(['cancelled', 'cancelled']);
      shop.clock.advance(31 * day);
      expect(await forgetUnpaidOrders(stores.orders, shop.clock)).to.equal(1);
      expect(await shop.partsOf(order)).to.deep.equal([]);
      expect(await stores.orders.find(must(parts[0]).id)).to.equal(undefined);
    });

    for (const way of ['manual', 'stripe'] as const) {
      describe(`paid by ${way}`, () => {
        async function sold() {
          const { bundle, inside } = await addBundle(stores, [3_000, 1_000, 6_000]);
          const shop = open(way === 'manual' ? { manual: { instructions: 'IBAN' } } : undefined);
          const order = await shop.begin(bundle);
          if (way === 'manual') good(await shop.orders.pay(String(order.id), shop.seller));
          else await shop.pay(order);
          return { bundle, inside, shop, order };
        }

        it('refunds a part: its license is revoked, and the others work', async () => {
          const { shop, order } = await sold();
          const [, second] = await shop.partsOf(order);
          const after = good(await shop.refundParts(order, [must(second)]));
          expect(after).to.include({ state: 'partly_refunded' });
          expect(after.payment).to.include({ refunded: 100 });
          const parts = await shop.partsOf(order);
          expect(parts.map(({ state }) => state)).to.deep.equal(['paid', 'refunded', 'paid']);
          expect(await standings(parts)).to.deep.equal(['active', 'revoked', 'active']);
          expect(await shop.refundParts(order, [must(second)])).to.include({ reason: 'refund_not_possible' });
          const rest = good(await shop.refundParts(order, [must(parts[0]), must(parts[2])]));
          expect(rest).to.include({ state: 'refunded' });
          expect(await standings(await shop.partsOf(order))).to.deep.equal(['revoked', 'revoked', 'revoked']);
        });

        it('refunds an amount: all licenses go on; all of it: all are revoked', async () => {
          const { shop, order } = await sold();
          good(await shop.orders.refund(String(order.id), 500, shop.seller));
          expect(await standings(await shop.partsOf(order))).to.deep.equal(['active', 'active', 'active']);
          const [first] = await shop.partsOf(order);
          expect(first?.payment.refunded).to.equal(300);
          // What is left of the share of this part.
          const after = good(await shop.refundParts(order, [must(first)]));
          expect(after.payment.refunded).to.equal(800);
          good(await shop.orders.refund(String(order.id), undefined, shop.seller));
          expect(await standings(await shop.partsOf(order))).to.deep.equal(['revoked', 'revoked', 'revoked']);
        });

        it('refunds a part once that two ask for at once, also together with others', async () => {
          const { shop, order } = await sold();
          const [first, second] = await shop.partsOf(order);
          const asked = [[first], [first, second], [first]].map((some) => shop.refundParts(order, some.map(must)));
          await Promise.all(asked);
          const after = must(await stores.orders.find(order.id));
          const { refundedParts = [] } = after.payment;
          expect(refundedParts).to.include(must(first).productId);
          const sums = { [must(first).productId]: 600, [must(second).productId]: 100 };
          expect(after.payment.refunded).to.equal(refundedParts.reduce((sum, id) => sum + (sums[id] ?? 0), 0));
        });

        it('refuses what is no part of the order, and no part', async () => {
          const { shop, order } = await sold();
          expect(await shop.refundParts(order, [])).to.include({ reason: 'part_not_found' });
          expect(await shop.refundParts(order, [order])).to.include({ reason: 'part_not_found' });
        });
      });
    }

    itLong('takes all licenses away while a payment is disputed, and gives them back', async () => {
      const { bundle } = await addBundle(stores, [300, 100]);
      const shop = open();
      const order = await shop.pay(await shop.begin(bundle));
      await shop.pay(order, { dispute: 'open' });
      expect(await standings(await shop.partsOf(order))).to.deep.equal(['suspended', 'suspended']);
      await shop.pay(order, { dispute: 'won' });
      expect(await standings(await shop.partsOf(order))).to.deep.equal(['active', 'active']);
      await shop.pay(order, { dispute: 'lost' });
      expect(await standings(await shop.partsOf(order))).to.deep.equal(['revoked', 'revoked']);
    });

    itLong('issues no license for a held order until it is accepted', async () => {
      const { bundle } = await addBundle(stores, [300, 100]);
      const shop = open();
      const order = await shop.pay(await shop.begin(bundle), { subtotal: 999, total: 999 });
      expect(order.state).to.equal('held');
      expect((await shop.partsOf(order)).map(({ licenseKey }) => licenseKey)).to.deep.equal([null, null]);
      good(await shop.orders.accept(String(order.id), shop.seller));
      expect(await standings(await shop.partsOf(order))).to.deep.equal(['active', 'active']);
    });

    itLong('gives a free bundle once, also to somebody who has a product in it for free', async () => {
      const { bundle, inside } = await addBundle(stores, [0, 0], { price: 0 });
      const shop = open();
      await shop.begin(must(inside[0]));
      const order = await shop.begin(bundle);
      expect(order).to.include({ state: 'paid', number: null });
      const wish = { product: bundle.slug, email: 'zoe@example.com', name: null, client: '192.0.2.7' };
      const again = await shop.checkout.begin(wish, undefined, () => ({ done: '', cancelled: '' }));
      expect(again).to.include({ reason: 'already_bought' });
      expect(await shop.partsOf(order)).to.have.lengthOf(2);
    });

    itLong('gives the parts to the account that claims the order', async () => {
      const { bundle } = await addBundle(stores, [0, 0], { price: 0 });
      const shop = open();
      const zoe = await addUser(stores, 'Zoe');
      const order = await shop.begin(bundle, zoe.email);
      const before = await shop.partsOf(order);
      const login = { ...must(await stores.logins.find(zoe.id)), emailVerifiedAt: now };
      const claim = createClaimOrders({
        store: stores.orders,
        logins: { find: async () => login },
        clock: shop.clock,
        secrets: systemSecrets,
      });
      expect(await claim(zoe.id)).to.equal(1);
      const after = await shop.partsOf(order);
      expect(after.map(({ buyer }) => buyer.userId)).to.deep.equal([zoe.id, zoe.id]);
      expect(after.some(({ token }, index) => token === before[index]?.token)).to.equal(false);
      expect((await stores.orders.listOf(zoe.id, { limit: 9 })).items.map(({ id }) => id)).to.deep.equal([order.id]);
      expect(await claim(zoe.id)).to.equal(0);
    });

    itLong('sells no bundle while a product in it cannot be sold, but keeps what was ordered', async () => {
      const { bundle, inside } = await addBundle(stores, [300, 100]);
      const shop = open();
      const order = await shop.begin(bundle);
      await change(must(inside[0]), { archivedAt: now });
      expect(await shop.checkout.obstacle(bundle)).to.equal('bundle');
      const wish = { product: bundle.slug, email: 'ada@example.com', name: null, client: '192.0.2.7' };
      const refused = await shop.checkout.begin(wish, undefined, () => ({ done: '', cancelled: '' }));
      expect(isRefused(refused) && refused.reason).to.equal('not_for_sale');
      expect((await shop.pay(order)).state).to.equal('paid');
      expect(await standings(await shop.partsOf(order))).to.deep.equal(['active', 'active']);
    });

    itLong(
      'settles orders of bundles with the same products at once, whatever their order, without gaps in the numbers',
      async () => {
        const { bundle, inside } = await addBundle(stores, [300, 100, 200]);
        const reverse = { slug: 'reverse', bundle: must(bundle.bundle ?? undefined).toReversed() };
        const { id: _, ...same } = bundle;
        const other = await stores.products.add({ ...same, ...reverse }, (slug) =>
          event('product.added', slug, by, now),
        );
        const shop = open();
        const orders: Order[] = [];
        for (let n = 0; n < 8; n++) orders.push(await shop.begin(n % 2 ? bundle : other, `b${n}@example.com`));
        orders.push(await shop.begin(must(inside[1]), 'single@example.com'));
        const paid = await Promise.all(orders.map((order) => shop.pay(order)));
        expect(paid.map(({ number }) => number).sort()).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 9]);
      },
    );
  });
}
