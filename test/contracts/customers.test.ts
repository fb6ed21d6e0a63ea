import { expect } from 'chai';
import fc from 'fast-check';
import { createManualClock } from '../../adapters/node/manual-clock.ts';
import { keptOf } from '../../core/invoices/credit-note.ts';
import type { Product } from '../../core/marketplace/product.ts';
import type { Customer, CustomerFilter, CustomerLimits } from '../../core/ports/customers.ts';
import type { NewOrder } from '../../core/ports/order-store.ts';
import { type Order, orderStates } from '../../core/purchases/order.ts';
import { unpaid } from '../../core/purchases/payment.ts';
import { addUser, backends, openForEach } from '../support/backends.ts';
import { addBundle, createBundleShop } from '../support/bundles.ts';
import { actOn, domain, keyNumber, must, newLicense, issuedAt as now } from '../support/license-acts.ts';
import { addForSale, addOrder, createBank } from '../support/orders.ts';
import { itLong } from '../support/required-service.ts';
import { runs } from '../support/runs.ts';
import { sharedBackends } from '../support/shared-backends.ts';

const addresses = ['ada@example.com', 'ada-b@example.com', 'ada.c@example.com', 'bob@example.com', 'ünal@example.com'];

/** An order that was paid, or is free. */
const paid = (email: string, fields: Partial<NewOrder> = {}): Partial<NewOrder> => ({
  buyer: { userId: null, email, name: email.slice(0, 3) },
  state: 'paid',
  paidAt: now,
  ...fields,
});

for (const backend of [...backends, ...sharedBackends]) {
  describe(`customers: ${backend.name}`, () => {
    const stores = openForEach(backend);

    /** Reads all pages. */
    async function found(
      filter: Omit<CustomerFilter, 'limit' | 'after'>,
      limit = 50,
      limits?: CustomerLimits,
    ): Promise<Customer[]> {
      const all: Customer[] = [];
      let after: string | undefined;
      do {
        const { items, next } = await stores.customers(limits).list({ ...filter, limit, after });
        expect(items.length).to.be.at.most(limit);
        all.push(...items);
        after = next;
      } while (after !== undefined);
      return all;
    }

    /** The customers of these orders, in a slower way. */
    function expected(orders: readonly Order[]): Customer[] {
      const bought = orders.filter(({ paidAt }) => paidAt !== null);
      const each = [...new Set(bought.map(({ buyer }) => buyer.email))].sort((a, b) =>
        Buffer.compare(Buffer.from(a), Buffer.from(b)),
      );
      return each.map((email) => {
        const own = bought.filter(({ buyer }) => buyer.email === email);
        const currencies = [...new Set(own.map(({ payment }) => payment.currency))].sort();
        const times = own.map(({ paidAt }) => paidAt ?? 0);
        return {
          email,
          name: own.at(-1)?.buyer.name ?? null,
          orders: own.length,
          licenses: own.filter(({ licenseKey }) => licenseKey !== null).length,
          kept: currencies.map((currency) => ({
            currency,
            amount: own
              .filter(({ payment }) => payment.currency === currency)
              .reduce((sum, order) => sum + keptOf(order), 0),
          })),
          firstOrderAt: Math.min(...times),
          lastOrderAt: Math.max(...times),
          lastVisitAt: null,
          mayHaveMore: false,
        };
      });
    }

    itLong('are those who bought of a seller, with the sums of their orders, whatever these are', async () => {
      const products: Product[] = [];
      for (const name of ['Ada', 'Bob']) {
        const ownerId = (await addUser(stores, name)).id;
        for (const isLive of [true, false]) {
          products.push(await addForSale(stores, { slug: `${name}-${isLive}`.toLowerCase(), ownerId, isLive }));
        }
      }
      const all: Order[] = [];
      const orders = fc.array(
        fc.record({
          product: fc.nat({ max: 3 }),
          email: fc.constantFrom(...addresses),
          name: fc.option(fc.constantFrom('Ada', 'Ünal')),
          // In the states of the table, with what a payment in them can be.
          state: fc.constantFrom(...orderStates),
          currency: fc.constantFrom('usd', 'eur', 'jpy'),
          total: fc.integer({ min: 1, max: 3_000_000_000 }),
          part: fc.double({ min: 0, max: 1, noNaN: true }),
          days: fc.nat({ max: 500 }),
          hasLicense: fc.boolean(),
        }),
        { minLength: 1, maxLength: 12 },
      );
      const wishes = fc.record({
        search: fc.constantFrom('', 'AD', 'ada-', 'Ü', 'x'),
        limit: fc.constantFrom(1, 2, 50),
      });
      await fc.assert(
        fc.asyncProperty(orders, wishes, async (more, { search, limit }) => {
          for (const { product, email, name, state, currency, total, part, days, hasLicense } of more) {
            const isPaid = ['paid', 'partly_refunded', 'refunding', 'refunded', 'disputed', 'charged_back'].includes(
              state,
            );
            const refunded = state === 'refunded' ? total : state === 'paid' ? 0 : Math.floor(total * part);
            const payment = {
              ...unpaid(total, currency),
              refunded: isPaid ? refunded : 0,
              dispute: state === 'charged_back' ? ('lost' as const) : null,
            };
            const fields = paid(email, { state, payment, paidAt: isPaid ? now + days : null });
            all.push(
              await addOrder(stores, must(products[product]), {
                ...fields,
                buyer: { userId: null, email, name },
                licenseKey: isPaid && hasLicense ? keyNumber(all.length) : null,
              }),
            );
          }
          const isMatch = ({ buyer }: Order) => buyer.email.startsWith(search.toLowerCase());
          for (const { ownerId, isLive } of products) {
            const own = all.filter((order) => order.sellerId === ownerId && order.isLive === isLive && isMatch(order));
            expect(await found({ sellerId: must(ownerId ?? undefined), isLive, search }, limit)).to.deep.equal(
              expected(own),
            );
          }
          const live = all.filter((order) => order.isLive && isMatch(order));
          expect(await found({ isLive: true, search }, limit)).to.deep.equal(expected(live));
        }),
        { numRuns: runs(25) },
      );
    });

    it('are none before somebody has paid', async () => {
      const product = await addForSale(stores);
      for (const state of ['open', 'expired', 'held'] as const) await addOrder(stores, product, { state });
      expect(await stores.customers().list({ isLive: true, limit: 5 })).to.deep.equal({ items: [], next: undefined });
    });

    it('have the licenses of the parts of bundles, whose money counts once', async () => {
      const { bundle } = await addBundle(stores, [300, 100]);
      const [bank, clock] = [createBank(), createManualClock(now)];
      const shop = createBundleShop(stores, clock, bank);
      const { payment } = await shop.pay(await shop.begin(bundle));
      const [customer] = await found({ isLive: true });
      expect(customer).to.deep.include({ orders: 1, licenses: 2, kept: [{ currency: 'usd', amount: payment.total }] });
    });

    itLong(
      'were seen when a domain of one of their licenses was verified last, also if it was removed since',
      async () => {
        const product = await addForSale(stores);
        const acts = actOn(stores.licenses);
        for (const [n, email] of [
          'ada@example.com',
          'ada@example.com',
          'bob@example.com',
          'eve@example.com',
        ].entries()) {
          await acts.issue(newLicense(keyNumber(n), product.id));
          await addOrder(stores, product, paid(email, { licenseKey: keyNumber(n) }));
        }
        for (const [n, name, at] of [
          [0, 'a.com', now + 10],
          [0, 'b.com', now + 70],
          [1, 'c.com', now + 40],
          [2, 'd.com', now + 50],
        ] as const) {
          await acts.activate(keyNumber(n), domain(name), now);
          await acts.verify(keyNumber(n), domain(name), at);
        }
        const seen = async () => (await found({ isLive: true })).map(({ lastVisitAt }) => lastVisitAt);
        expect(await seen()).to.deep.equal([now + 70, now + 50, null]);
        await acts.deactivate(keyNumber(0), domain('b.com'), now + 90);
        expect(await seen()).to.deep.equal([now + 70, now + 50, null]);
      },
    );

    it('may have more if they have as many orders as are summed', async () => {
      const product = await addForSale(stores);
      const limits = { orders: 4, licenses: 1, domains: 1 };
      for (let n = 0; n < 3; n++) {
        const payment = unpaid(1 + n, 'usd');
        await addOrder(stores, product, paid('ada@example.com', { payment, paidAt: now + n }));
      }
      const ofAda = async () => must((await found({ isLive: true, search: 'ada' }, 50, limits))[0]);
      expect(await ofAda()).to.deep.include({ orders: 3, kept: [{ currency: 'usd', amount: 6 }], mayHaveMore: false });
      for (let n = 3; n < 5; n++) {
        await addOrder(stores, product, paid('ada@example.com', { payment: unpaid(7, 'usd'), paidAt: now + n }));
      }
      const more = { orders: 4, kept: [{ currency: 'usd', amount: 19 }], firstOrderAt: now + 1, lastOrderAt: now + 4 };
      expect(await ofAda()).to.deep.include({ ...more, mayHaveMore: true });
      await addOrder(stores, product, paid('bob@example.com'));
      expect(
        (await found({ isLive: true }, 1, limits)).map(({ email, mayHaveMore }) => [email, mayHaveMore]),
      ).to.deep.equal([
        ['ada@example.com', true],
        ['bob@example.com', false],
      ]);
    });
  });
}
