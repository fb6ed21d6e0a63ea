import { expect } from 'chai';
import { event } from '../../core/events/event.ts';
import type { UserId } from '../../core/id.ts';
import { creditedOf, keptOf } from '../../core/invoices/credit-note.ts';
import type { InvoiceProfile } from '../../core/invoices/invoice-profile.ts';
import type { Order } from '../../core/purchases/order.ts';
import { Unavailable } from '../../core/unavailable.ts';
import { backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { good } from '../support/good.ts';
import { exampleProfile } from '../support/invoices.ts';
import { issuedAt as now } from '../support/license-acts.ts';
import { addForSale, addOrder, createBank, settleOn } from '../support/orders.ts';
import { itLong } from '../support/required-service.ts';
import { sharedBackends } from '../support/shared-backends.ts';
import { addLogin } from '../support/sign-in.ts';

for (const backend of [...backends, ...sharedBackends]) {
  describe(`invoices: ${backend.name}`, () => {
    const stores = openForEach(backend);
    let ada: UserId;
    beforeEach(async () => {
      ada = (await addLogin(stores, { email: 'ada@example.com' })).id;
    });

    const save = async (seller: UserId | null, profile: InvoiceProfile) =>
      good(
        await stores.invoiceProfiles.change(seller, () => ({
          after: profile,
          event: event('user.invoice_profile_saved', 'a@example.com', by, now),
        })),
      );

    itLong(
      'keep the details of their seller as they were at the payment, and what the provider said of the tax',
      async () => {
        const bank = createBank();
        const settle = settleOn(stores, bank);
        const [own, sites] = [
          await addForSale(stores, { ownerId: ada, price: 4_990, slug: 'own' }),
          await addForSale(stores, { ownerId: null, price: 4_990, slug: 'sites' }),
        ];
        const paid = async (product: typeof own, more: { readonly isReverseCharge?: boolean } = {}) => {
          const order = await addOrder(stores, product);
          bank.set(order, { status: 'paid', ...more });
          return (await settle(order.id)) as Order;
        };
        const none = await paid(own);
        expect(none.invoice).to.deep.equal({ seller: null, taxes: [], correctedAt: null });
        await save(ada, exampleProfile);
        await save(null, { ...exampleProfile, name: 'The site' });
        expect(await stores.invoiceProfiles.findOf(ada)).to.deep.equal(exampleProfile);
        const first = await paid(own);
        await save(ada, { ...exampleProfile, name: 'Renamed' });
        expect((await stores.orders.find(none.id))?.invoice?.seller).to.equal(null);
        expect((await stores.orders.find(first.id))?.invoice?.seller).to.deep.equal(exampleProfile);
        expect((await paid(own)).invoice?.seller?.name).to.equal('Renamed');
        expect((await paid(sites)).invoice?.seller?.name).to.equal('The site');
        expect((await paid(own, { isReverseCharge: true })).invoice?.isReverseCharge).to.equal(true);
      },
    );

    itLong(
      'and credit notes have numbers without gaps, each its own series, at 64 payments and refunds at once',
      async () => {
        const bank = createBank();
        const settle = settleOn(stores, bank);
        /** As the worker does if the database has no free connection for a while. */
        const surely = async ({ id }: Order): Promise<void> => {
          for (;;) {
            try {
              return void (await settle(id));
            } catch (error) {
              if (!(error instanceof Unavailable)) throw error;
            }
          }
        };
        const product = await addForSale(stores, { ownerId: ada, price: 4_990 });
        const all: Order[] = [];
        for (let n = 0; n < 64; n++) all.push(await addOrder(stores, product));
        for (const order of all.slice(0, 32)) bank.set(order, { status: 'paid' });
        await Promise.all(all.slice(0, 32).map(surely));
        const refunded = (n: number) => (n % 3 === 0 ? 4_990 : n % 3 === 1 ? 0 : n);
        for (const [n, order] of all.entries()) bank.set(order, { status: 'paid', refunded: n < 32 ? refunded(n) : 0 });
        const failing = ({ id }: Order) =>
          stores.orders
            .change(id, (before) => ({
              after: { ...before, payment: { ...before.payment, refunded: 7 } },
              events: [event('order.refunded', 'x', by, now)],
              news: () => {
                throw new Error('planned');
              },
            }))
            .catch((error: Error) => error.message);
        const results = await Promise.all([
          ...all.map(surely),
          ...all.slice(20, 40).map(surely),
          ...all.slice(0, 5).map(failing),
        ]);
        expect(results.filter((one) => typeof one === 'string')).to.have.lengthOf(5);
        const stored = await Promise.all(all.map(async ({ id }) => (await stores.orders.find(id)) as Order));
        const sorted = (numbers: readonly (number | null)[]) => numbers.toSorted((a, b) => Number(a) - Number(b));
        expect(sorted(stored.map(({ number }) => number))).to.deep.equal(all.map((_, n) => n + 1));
        const notes = stored.flatMap(({ creditNotes }) => creditNotes);
        expect(sorted(notes.map(({ number }) => number))).to.deep.equal(notes.map((_, n) => n + 1));
        for (const [n, order] of stored.entries()) {
          expect(order.payment.total - creditedOf(order)).to.equal(keptOf(order));
          expect(order.creditNotes).to.have.lengthOf(n < 32 && refunded(n) > 0 ? 1 : 0);
        }
      },
    );
  });
}
