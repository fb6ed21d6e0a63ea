import { noteNumberOf } from '../../../../core/invoices/invoice.ts';
import type { Order } from '../../../../core/purchases/order.ts';
import type { InvoiceSheet, PrintSheet } from '../../../contracts/invoice-sheet.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { invoiceSheet, noteSheet, printedSheet } from '../../ui/invoice-sheet.ts';
import { invoiceWords } from '../../ui/invoice-words.ts';
import { type Audience, admit, type DashboardTools, type VisitOf } from './page.ts';

/** The PDFs of the invoices of orders, below the path of an order. `find` throws `not_found` for the orders of others. */
export function invoiceFiles<const Of extends Audience>(
  tools: DashboardTools,
  {
    id,
    path,
    audience,
    print,
    find,
  }: {
    readonly id: string;
    readonly path: string;
    readonly audience: Of;
    readonly print: PrintSheet;
    find(visit: VisitOf<Of>): Promise<Order>;
  },
): Endpoint[] {
  const file = (what: string, end: string, sheetOf: (order: Order, site: string, name: string) => InvoiceSheet) => ({
    id: `${id}-${what}`,
    method: 'get' as const,
    paths: [`${path}/${end}`],
    async respond(ctx: Parameters<Endpoint['respond']>[0]) {
      const visit = await admit(tools, ctx, audience);
      if (!visit) return;
      const order = await find(visit);
      if (order.number === null) throw new Failure('not_found');
      const { site } = visit.frame;
      const sheet = sheetOf(order, site, visit.params.note ?? '');
      const caller = visit.me === undefined ? visit.from : { account: visit.me.login.id };
      const pdf = await print(printedSheet(sheet, order, site), caller);
      if (pdf === undefined) throw new Failure('service_unavailable');
      ctx.set('Cache-Control', 'private, no-store');
      // Only letters that every header can have.
      ctx.attachment(`${sheet.title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.pdf`, { type: 'inline' });
      ctx.type = 'application/pdf';
      ctx.body = pdf;
    },
  });
  return [
    file('invoice-file', 'invoice.pdf', (order, site) => invoiceSheet(order, site)),
    file('credit-note-file', 'credit-notes/:note', (order, site, name) => {
      const note = order.creditNotes.find(({ number }) => `${number}.pdf` === name);
      if (note === undefined) throw new Failure('not_found');
      return noteSheet(order, note, site);
    }),
  ];
}

/** The credit notes of an order, with their titles. */
export function notesOf(order: Order): { number: number; title: string }[] {
  return order.creditNotes.map((note) => {
    const title = note.kind === 'credit' ? invoiceWords.creditNote : invoiceWords.cancellation;
    return { number: note.number, title: title(noteNumberOf(order, note)) };
  });
}
