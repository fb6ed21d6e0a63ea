import { expect } from 'chai';
import fc from 'fast-check';
import { toOrderId, toProductId } from '../../../core/id.ts';
import { creditedOf, dueNote, keptOf } from '../../../core/invoices/credit-note.ts';
import { newInvoice } from '../../../core/invoices/invoice.ts';
import { containedTax, shareOf, sumOf, type TaxLine } from '../../../core/invoices/tax-line.ts';
import type { Order } from '../../../core/purchases/order.ts';
import { disputeStates, type PaymentFacts, unpaid } from '../../../core/purchases/payment.ts';
import { exampleProfile } from '../../support/invoices.ts';
import { newProduct, issuedAt as now } from '../../support/license-acts.ts';
import { justAdded, newOrder } from '../../support/orders.ts';
import { runs } from '../../support/runs.ts';

const line = (amount: number): TaxLine => ({
  ...{ name: 'VAT', rate: 19, amount, isIncluded: false, country: 'DE', state: null },
});

/** A total with taxes that it contains. */
const taxed = fc
  .tuple(fc.integer({ min: 0, max: 10 ** 9 }), fc.array(fc.integer({ min: 0, max: 10 ** 8 }), { maxLength: 12 }))
  .map(([net, taxes]) => ({ total: Math.max(1, net + taxes.reduce((a, b) => a + b, 0)), taxes: taxes.map(line) }));

function invoiced({ total, taxes }: { total: number; taxes: readonly TaxLine[] }): Order {
  const product = { ...newProduct(), id: toProductId(7), price: total };
  const payment = { ...unpaid(total, 'usd'), status: 'paid', taxes } as const;
  const order = { ...newOrder(product), ...justAdded, id: toOrderId(3), number: 1, payment, paidAt: now };
  return { ...order, invoice: newInvoice(payment, false, exampleProfile) };
}

/** What the store does at each change. */
function looked(order: Order, facts: Partial<PaymentFacts>): Order {
  const after = { ...order, payment: { ...order.payment, ...facts } };
  const due = dueNote(after, now);
  const { creditNotes } = order;
  return due === undefined
    ? after
    : { ...after, creditNotes: [...creditNotes, { number: creditNotes.length + 1, ...due }] };
}

describe('credit notes', () => {
  it('leave of the invoice exactly what is kept, after every change of the payment, in any order', () => {
    const change = fc.record({
      part: fc.double({ min: 0, max: 1, noNaN: true }),
      dispute: fc.constantFrom(null, ...disputeStates),
    });
    fc.assert(
      fc.property(taxed, fc.array(change, { maxLength: 12 }), (sale, changes) => {
        let order = invoiced(sale);
        for (const { part, dispute } of changes) {
          order = looked(order, { refunded: Math.floor(sale.total * part), dispute });
          expect(sale.total - creditedOf(order)).to.equal(keptOf(order));
          expect(dueNote(order, now)).to.equal(undefined);
          const left = sale.taxes.map(({ amount }, at) =>
            order.creditNotes.reduce(
              (sum, note) => sum - (note.kind === 'credit' ? 1 : -1) * (note.taxes[at]?.amount ?? 0),
              amount,
            ),
          );
          expect(left.every((amount) => amount >= 0)).to.equal(true);
          expect(left.reduce((a, b) => a + b, 0)).to.be.at.most(keptOf(order));
          if (keptOf(order) === 0) expect(left.every((amount) => amount === 0)).to.equal(true);
        }
        for (const { amount, taxes } of order.creditNotes) {
          expect(amount).to.be.greaterThan(0);
          expect(sumOf(taxes)).to.be.at.most(amount);
        }
        const back = looked(order, { refunded: 0, dispute: null });
        expect(creditedOf(back)).to.equal(0);
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('are none for a dispute that is open or won, one for a lost one, and another one if it is won after all', () => {
    let order = invoiced({ total: 4_900, taxes: [line(782)] });
    for (const dispute of ['open', 'won'] as const) {
      expect(looked(order, { dispute }).creditNotes).to.deep.equal([]);
    }
    order = looked(looked(order, { refunded: 900 }), { dispute: 'lost' });
    order = looked(order, { dispute: 'won' });
    expect(order.creditNotes.map(({ kind, reason, amount }) => [kind, reason, amount])).to.deep.equal([
      ['credit', 'refund', 900],
      ['credit', 'dispute', 4_000],
      ['cancellation', 'dispute', 4_000],
    ]);
    expect(order.creditNotes.map(({ taxes }) => sumOf(taxes))).to.deep.equal([144, 638, 638]);
  });

  it('are never made for an order that was paid before there were invoices', () => {
    expect(
      looked({ ...invoiced({ total: 100, taxes: [] }), invoice: null }, { refunded: 100 }).creditNotes,
    ).to.deep.equal([]);
  });

  it('split the taxes so that no line gets more than it has, and the rounded sum is split exactly', () => {
    fc.assert(
      fc.property(taxed, fc.double({ min: 0, max: 1, noNaN: true }), ({ total, taxes }, ratio) => {
        const part = Math.floor(total * ratio);
        const shares = shareOf(taxes, part, total);
        for (const [at, { amount }] of shares.entries()) {
          expect(amount).to.be.within(0, taxes[at]?.amount ?? -1);
          expect(Math.abs(amount - ((taxes[at]?.amount ?? 0) * part) / total)).to.be.lessThan(1.001);
        }
        const exact = (BigInt(sumOf(taxes)) * BigInt(part) * 2n + BigInt(total)) / (2n * BigInt(total));
        expect(BigInt(sumOf(shares))).to.equal(exact);
      }),
      { numRuns: runs(1_000) },
    );
  });
});

describe('the tax that a price contains', () => {
  it('is the part of the rate, rounded', () => {
    const of = (total: number, rate: number) => containedTax(total, { name: 'VAT', rate }, 'DE').amount;
    expect([of(11_900, 19), of(100, 19), of(10_810, 8.1), of(1, 100), of(999, 0.001)]).to.deep.equal([
      1_900, 16, 810, 1, 0,
    ]);
  });

  it('is on the invoice of an order by hand, and never beside what the provider has computed', () => {
    const seller = { ...exampleProfile, includedTax: { name: 'USt', rate: 19 } };
    const order = invoiced({ total: 11_900, taxes: [] });
    const { taxes: _, ...payment } = order.payment;
    const byHand = newInvoice(payment, true, seller);
    expect(byHand.taxes).to.deep.equal([
      { name: 'USt', rate: 19, amount: 1_900, isIncluded: true, country: 'DE', state: null },
    ]);
    expect(newInvoice(payment, false, seller).taxes).to.deep.equal([]);
    expect(newInvoice({ ...payment, taxes: [line(5)] }, true, seller).taxes).to.have.lengthOf(1);
  });
});
