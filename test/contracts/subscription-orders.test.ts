import { expect } from 'chai';
import { createManualClock } from '../../adapters/node/manual-clock.ts';
import { event } from '../../core/events/event.ts';
import { toOrderId } from '../../core/id.ts';
import { parseAlias } from '../../core/licensing/alias.ts';
import { monthsAfter } from '../../core/licensing/ends.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import type { OrderStore } from '../../core/ports/order-store.ts';
import type { Order } from '../../core/purchases/order.ts';
import { isRefused } from '../../core/refusal.ts';
import { day } from '../../core/time.ts';
import { addUser, backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { good } from '../support/good.ts';
import { keyNumber, must, issuedAt as now } from '../support/license-acts.ts';
import { addForSale, createBank, newOrder } from '../support/orders.ts';
import { itLong } from '../support/required-service.ts';
import { runs } from '../support/runs.ts';
import { sharedBackends } from '../support/shared-backends.ts';
import { createShop } from '../support/subscriptions.ts';

const addresses = () => ({ done: 'https://a.example/done', cancelled: 'https://a.example/cancelled' });
const month = (n: number) => monthsAfter(n, now);

for (const backend of [...backends, ...sharedBackends]) {
  describe(`order store, of subscriptions: ${backend.name}`, () => {
    const stores = openForEach(backend);

    function open() {
      const [bank, clock] = [createBank(), createManualClock(now)];
      const shop = createShop(stores, clock, bank);
      const subscribe = async (offer = 'monthly', slug = 'jar') => {
        const seller = await addUser(stores, `Sel${slug}`);
        const made = await shop.order(offer, 'stripe', { ownerId: seller.id, slug });
        const id = bank.subscribe(made);
        return { root: await shop.look(made), id, seller };
      };
      return { bank, clock, shop, subscribe };
    }
    const again = async ({ id }: Order) => must(await stores.orders.find(id));

    it('returns a license with its periods, as they were saved with the first payment', async () => {
      const { root } = await open().subscribe();
      const key = must(root.licenseKey ?? undefined);
      const held = must(await stores.orders.heldOf(key));
      expect(held.license).to.deep.equal((await stores.licenses.find(key))?.license);
      expect(held.periods).to.deep.equal(await stores.orders.periodsOf(key));
      expect(held.periods).to.have.lengthOf(1);
      expect(held.periods[0]).to.deep.include({ cause: `order:${root.id}`, standing: 'paid', worth: 1_000 });
      expect(await stores.orders.heldOf(keyNumber(9))).to.equal(undefined);
    });

    describe('of a license whose key is replaced', () => {
      const replace = (from: LicenseKey, to: LicenseKey) =>
        stores.aliases.change(from, (license) => ({
          license: { ...license, key: to },
          newKey: to,
          add: [
            { kind: 'former', text: must(parseAlias(from)), validUntil: now, addedAt: now, isByHolder: false } as const,
          ],
          event: event('license.rotated', to, by, now),
        }));

      itLong(
        'between reading and writing, names a new order by the present key, and goes on with its subscription',
        async () => {
          const { bank, clock, subscribe } = open();
          const { root } = await subscribe();
          const key = must(root.licenseKey ?? undefined);
          const store: OrderStore = {
            ...stores.orders,
            async add(...made) {
              good(await replace(key, keyNumber(77)));
              return await stores.orders.add(...made);
            },
          };
          const newer = await createShop(stores, clock, bank, { store }).change(root, 'team', 'manual');
          expect(newer.renews).to.equal(keyNumber(77));
          expect((await again(newer)).renews).to.equal(keyNumber(77));
          const { pay } = createShop(stores, clock, bank);
          await pay(newer);
          expect((await stores.orders.findSubscription(keyNumber(77)))?.id).to.equal(newer.id);
        },
      );

      itLong('at the same moment, names the order by the present key', async () => {
        const { shop, subscribe } = open();
        const { root } = await subscribe();
        let present = must(root.licenseKey ?? undefined);
        for (let n = 1; n <= 10; n++) {
          const next = keyNumber(800 + n);
          const renewed = { ...root, licenseKey: present };
          const [order, replaced] = await Promise.all([
            shop.renewing.begin(
              renewed,
              { offer: 'team', way: 'manual', client: `192.0.2.${n}` },
              undefined,
              addresses,
            ),
            replace(present, next),
          ]);
          good(replaced);
          present = next;
          // It is refused if the key was replaced before the license was read.
          if (!isRefused(order)) expect((await again(order.order)).renews, `try ${n}`).to.equal(next);
        }
      });

      itLong('returns the license also to those who read its former key', async () => {
        const { root } = await open().subscribe();
        const key = must(root.licenseKey ?? undefined);
        const before = must(await stores.orders.heldOf(key));
        good(await replace(key, keyNumber(78)));
        expect(await stores.orders.heldOf(key)).to.deep.equal({
          ...before,
          license: { ...before.license, key: keyNumber(78) },
        });
      });
    });

    itLong('finds the subscription that a license has, although a newer one has ended', async () => {
      const { shop, bank, subscribe } = open();
      const { root, id } = await subscribe();
      const key = must(root.licenseKey ?? undefined);
      const found = async () => (await stores.orders.findSubscription(key))?.id;
      expect(await stores.orders.findSubscription(key)).to.deep.equal(root);
      expect(await stores.orders.findSubscription(keyNumber(9))).to.equal(undefined);
      const newer = await shop.change(root, 'team', 'manual');
      expect(await found(), 'one that is not paid is none').to.equal(root.id);
      await shop.pay(newer);
      await shop.look(root);
      expect(bank.known(id).status).to.equal('ended');
      expect(await found()).to.equal(newer.id);
      await shop.learnt(newer, { refunded: newer.payment.total });
      await shop.look(newer);
      const older = await again(root);
      const isBack = older.subscription?.status === 'ended' ? newer.id : root.id;
      expect(await found(), 'the newest if all have ended').to.equal(isBack);
    });

    itLong('finds the order of a subscription of a provider', async () => {
      const { root, id } = await open().subscribe();
      expect(await stores.orders.findBySubscription('stripe', id)).to.deep.equal(root);
      expect(await stores.orders.findBySubscription('test', id)).to.equal(undefined);
      expect(await stores.orders.findBySubscription('stripe', 'sub-none')).to.equal(undefined);
    });

    itLong('returns the payments of one subscription alone, the oldest first', async () => {
      const { shop, bank, subscribe } = open();
      const [one, other] = [await subscribe('monthly', 'one'), await subscribe('monthly', 'other')];
      for (const n of [1, 2, 3]) bank.collect(one.id, { price: 1_000, from: month(n), to: month(n + 1) });
      bank.collect(other.id, { price: 1_000, from: month(1), to: month(2) });
      await Promise.all([shop.look(one.root), shop.look(other.root)]);
      const cycles = await stores.orders.cyclesOf(one.root.id);
      expect(cycles.map(({ paymentId }) => paymentId)).to.deep.equal([1, 2, 3].map((n) => `in-${one.id}-${n}`));
      expect(cycles.map(({ cycleOf }) => cycleOf)).to.deep.equal([1, 2, 3].map(() => one.root.id));
      expect(await stores.orders.cyclesOf(other.root.id)).to.have.lengthOf(1);
      expect(await stores.orders.cyclesOf(toOrderId(9_999))).to.deep.equal([]);
    });

    it('refuses a second order of a payment, also if both are added at once', async () => {
      const product = await addForSale(stores);
      const add = async (provider: 'stripe' | 'manual', paymentId: string) => {
        const made = newOrder(product, { provider, paymentId });
        return await stores.orders.add(made, event('order.added', product.slug, by, now), now);
      };
      // A refusal, or an error of the unique index: never two orders.
      const added = await Promise.allSettled(Array.from({ length: 8 }, () => add('stripe', 'in-1')));
      const orders = added.filter((one) => one.status === 'fulfilled' && !isRefused(one.value));
      expect(orders).to.have.lengthOf(1);
      expect(await add('stripe', 'in-1')).to.include({ reason: 'already_bought' });
      expect(isRefused(await add('manual', 'in-1')), 'ids are those of one provider').to.equal(false);
      expect(isRefused(await add('stripe', 'in-2'))).to.equal(false);
    });

    itLong(
      'makes one order, number, receipt and event of each payment of many that are collected during many looks at once',
      async () => {
        const { shop, bank, clock, subscribe } = open();
        const { root, id, seller } = await subscribe();
        const many = { looks: runs(100), payments: runs(100) / 4 };
        clock.advance(30 * day);
        const looks: Promise<unknown>[] = [];
        for (let n = 0; n < many.looks; n++) {
          if (n % 4 === 0) bank.collect(id, { price: 1_000, from: month(n / 4 + 1), to: month(n / 4 + 2) });
          looks.push(shop.settle(root.id));
          if (n % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
        }
        await Promise.all(looks);
        await shop.look(root);
        const cycles = await stores.orders.cyclesOf(root.id);
        expect(cycles.map(({ paymentId }) => paymentId).sort()).to.deep.equal(
          Array.from({ length: many.payments }, (_, n) => `in-${id}-${n + 1}`).sort(),
        );
        const numbers = cycles.map(({ number }) => Number(number)).sort((a, b) => a - b);
        expect(numbers, 'without gaps').to.deep.equal(Array.from({ length: many.payments }, (_, n) => n + 2));
        const renewed = (await stores.mails.list({ limit: 500 })).filter(({ kind }) => kind === 'order-renewed');
        expect(renewed).to.have.lengthOf(many.payments);
        const notices = await stores.notifications.list(seller.id, { limit: 500 });
        expect(notices.filter(({ notice }) => notice.kind === 'order_paid')).to.have.lengthOf(many.payments + 1);
        expect(await stores.audit.list({ type: 'license.renewed', limit: 500 })).to.have.lengthOf(many.payments);
        expect((await stores.orders.heldOf(must(root.licenseKey ?? undefined)))?.periods).to.have.lengthOf(
          many.payments + 1,
        );
        expect(await shop.license(root)).to.include({
          expiresAt: month(many.payments + 1) + 7 * day,
          updatesUntil: month(many.payments + 1),
        });
        expect((await again(root)).subscription).to.include({ paidTo: month(many.payments + 1), status: 'active' });
        good(await shop.subscribing.cancel(await again(root), by));
        expect(await shop.license(root)).to.include({ expiresAt: month(many.payments + 1) });
      },
    );
  });
}
