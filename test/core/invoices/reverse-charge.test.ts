import { expect } from 'chai';
import { invoiceSheet } from '../../../adapters/http/ui/invoice-sheet.ts';
import { newInvoice } from '../../../core/invoices/invoice.ts';
import { isReverseCharge } from '../../../core/invoices/reverse-charge.ts';
import type { Order } from '../../../core/purchases/order.ts';
import { exampleProfile } from '../../support/invoices.ts';
import { stripeOrder } from '../../support/stripe-order.ts';

const french = { ...exampleProfile, country: 'FR', taxId: 'FR40303265045' };
interface Said {
  readonly billing?: typeof french | null;
  readonly seller?: typeof exampleProfile | null;
  readonly total?: number;
}
const vat = { name: 'VAT', rate: 19, amount: 10, isIncluded: false, country: 'DE', state: null };

describe('a reverse charge', () => {
  const order = (more: Partial<Order> = {}): Order => {
    const base = stripeOrder(0, { billing: french, number: 1 });
    return { ...base, invoice: newInvoice(base.payment, false, exampleProfile), ...more };
  };
  const isOne = (one: Order) => isReverseCharge(one, one.billing);

  it('is between companies with VAT ids in two countries of the EU, without tax, and stands on the invoice', () => {
    expect(isOne(order())).to.equal(true);
    expect(invoiceSheet(order(), 'Shop').notes[0]).to.equal('Reverse charge: the buyer owes the VAT.');
    expect(isOne(order({ billing: { ...french, country: 'GR', taxId: 'EL094259216' } }))).to.equal(true);
  });

  it('is none for anybody else', () => {
    const { payment } = order();
    const invoiceOf = (seller: typeof exampleProfile | null, taxes: readonly (typeof vat)[] = []) => ({
      ...{ seller, taxes, correctedAt: null },
    });
    for (const [more, why] of [
      [{ billing: null }, 'a person'],
      [{ billing: { ...french, taxId: '' } }, 'no VAT id'],
      [{ billing: { ...french, taxId: '40303265045' } }, 'not the form of a VAT id'],
      [{ billing: { ...french, country: 'US', taxId: '12-3456789' } }, 'outside of the EU'],
      [{ billing: { ...french, country: 'GB', taxId: 'GB980780684' } }, 'no longer in the EU'],
      [{ billing: { ...exampleProfile, name: 'Another' } }, 'the same country'],
      [{ billing: { ...french, taxId: 'DE136695976' } }, 'the id of another country'],
      [{ invoice: null }, 'an old receipt'],
      [{ invoice: invoiceOf(null) }, 'a seller without details'],
      [{ invoice: invoiceOf({ ...exampleProfile, taxId: '' }) }, 'a seller without VAT id'],
      [{ invoice: invoiceOf({ ...exampleProfile, isVatExempt: true }) }, 'a seller who is exempt from VAT'],
      [{ invoice: invoiceOf(exampleProfile, [vat]) }, 'tax was paid'],
      [{ payment: { ...payment, total: payment.subtotal + 10 } }, 'tax without a name was paid'],
    ] as const) {
      expect(isOne(order(more)), why).to.equal(false);
    }
  });

  it('is what the provider says, if it says so and the price has no tax', () => {
    const { payment } = order();
    const said = (isReverseCharge: boolean, { billing = french, seller = exampleProfile, total = 4_900 }: Said = {}) =>
      order({
        billing,
        invoice: newInvoice({ ...payment, isReverseCharge }, false, seller),
        payment: { ...payment, total },
      });
    const outside = { ...french, country: 'GB', taxId: 'GB980780684' };
    expect(isOne(said(true, { billing: outside }))).to.equal(true);
    expect(isOne(said(true, { billing: null }))).to.equal(true);
    expect(isOne(said(true, { seller: null }))).to.equal(true);
    expect(isOne(said(true, { total: 5_000 })), 'tax was paid').to.equal(false);
    expect(isOne(said(false)), 'the buyer is exempt').to.equal(false);
    expect(invoiceSheet(said(false), 'Shop').notes).to.not.include('Reverse charge: the buyer owes the VAT.');
  });
});
