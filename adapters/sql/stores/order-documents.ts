import type { Knex } from 'knex';
import { dueNote } from '../../../core/invoices/credit-note.ts';
import { newInvoice } from '../../../core/invoices/invoice.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import { isOutside, type Order } from '../../../core/purchases/order.ts';
import { returned } from '../database.ts';
import { readInvoiceProfile } from './invoice-profile-store.ts';

/**
 * Returns the columns of the invoice and the credit notes of a changed order. Others who want a number of the same seller wait,
 * so that a rollback leaves no gap.
 */
export async function documentsOf(trx: Knex.Transaction, before: Order, after: Order, now: Instant) {
  const invoiced = await withInvoice(trx, before, after);
  const due = dueNote(invoiced, now);
  const notes =
    due === undefined
      ? before.creditNotes
      : [...before.creditNotes, { number: await nextNumber(trx, after, 'last_credit_note'), ...due }];
  return {
    number: invoiced.number,
    invoice: invoiced.invoice === null ? null : JSON.stringify(invoiced.invoice),
    credit_notes: notes.length === 0 ? null : JSON.stringify(notes),
  } as const;
}

/** Gives an order its number, and its invoice, with the first payment. */
async function withInvoice(trx: Knex.Transaction, before: Order, after: Order): Promise<Order> {
  const { number, creditNotes } = before;
  const isDue = number === null && after.paidAt !== null && after.agreed.price > 0 && after.partOf === null;
  if (!isDue) return { ...after, number, creditNotes };
  // Others wait from the number on, so it comes last.
  const seller = await readInvoiceProfile(trx, after.sellerId);
  const invoice = newInvoice(after.payment, !isOutside(after.provider), seller ?? null);
  return { ...after, number: await nextNumber(trx, after, 'last'), invoice, creditNotes };
}

async function nextNumber(
  trx: Knex.Transaction,
  { sellerId, isLive }: Order,
  series: 'last' | 'last_credit_note',
): Promise<number> {
  const first = { last: 0, last_credit_note: 0, [series]: 1 };
  const rows: Record<typeof series, number>[] = await trx('order_numbers')
    .insert({ seller_id: sellerId ?? 0, is_live: Number(isLive), ...first })
    .onConflict(['seller_id', 'is_live'])
    .merge({ [series]: trx.raw('?? + 1', [`order_numbers.${series}`]) })
    .returning(series);
  return returned(rows)[series];
}
