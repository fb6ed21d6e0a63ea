import { z } from 'zod';
import type { BillingDetails } from '../../../core/invoices/billing-details.ts';
import { invoiceNumberOf, noteNumberOf } from '../../../core/invoices/invoice.ts';
import { iso } from '../../../core/iso.ts';
import type { Order } from '../../../core/purchases/order.ts';
import { timestamp } from '../fields.ts';

/* The invoice of an order and its credit notes, for buyers and sellers. */

const pdf = z.string().meta({ example: 'https://api.example.com/orders/0zqp3s689h3wvyr6mk8p2mn4/invoice.pdf' });

export const invoiceItem = z
  .object({
    number: z.string().meta({ description: 'With what the seller puts before the numbers.', example: 'ACME-12' }),
    url: z.string().meta({ example: 'https://api.example.com/orders/0zqp3s689h3wvyr6mk8p2mn4/invoice' }),
    pdf_url: pdf,
  })
  .meta({ id: 'AccountInvoice', description: 'Null for free orders, and until the order is paid.' });

export const creditNoteItem = z
  .object({
    number: z.string().meta({ example: 'ACME-CN-3' }),
    kind: z.enum(['credit', 'cancellation']).meta({
      description: '`cancellation`: what a credit note took back was paid after all.',
      example: 'credit',
    }),
    reason: z.enum(['refund', 'dispute']).meta({ example: 'refund' }),
    amount: z.int().meta({ description: 'In the smallest unit of the currency, such as cents.', example: 900 }),
    created_at: timestamp,
    pdf_url: pdf,
  })
  .meta({ id: 'AccountCreditNote' });

export const companyItem = z
  .object({
    name: z.string().meta({ example: 'Hopper GmbH' }),
    lines: z.array(z.string()).meta({ example: ['Rosenweg 5'] }),
    postal_code: z.string().meta({ example: '10115' }),
    city: z.string().meta({ example: 'Berlin' }),
    region: z.string().meta({ example: '' }),
    country: z.string().nullable().meta({ description: 'A code of ISO 3166-1.', example: 'DE' }),
    tax_id: z.string().meta({ example: 'DE136695976' }),
  })
  .meta({ id: 'AccountOrderCompany', description: 'Who is named on the invoice, if the buyer has said so.' });

/** `page` is the address of the order. Orders that were paid before there were invoices have a receipt there. */
export function renderInvoice(order: Order, page: string) {
  const number = invoiceNumberOf(order);
  return {
    invoice: number === undefined ? null : { number, url: `${page}/invoice`, pdf_url: `${page}/invoice.pdf` },
    credit_notes: order.creditNotes.map((note) => ({
      number: noteNumberOf(order, note),
      kind: note.kind,
      reason: note.reason,
      amount: note.amount,
      created_at: iso(note.at),
      pdf_url: `${page}/credit-notes/${note.number}.pdf`,
    })),
  };
}

export function renderCompany(billing: BillingDetails | null): z.output<typeof companyItem> | null {
  if (billing === null) return null;
  const { name, lines, postalCode: postal_code, city, region, country, taxId: tax_id } = billing;
  return { name, lines: [...lines], postal_code, city, region, country, tax_id };
}
