import { correctableUntil } from '../../../../core/purchases/billing.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { invoiceSheet } from '../../ui/invoice-sheet.ts';
import { InvoiceActs, InvoiceView } from '../../ui/invoice-view.tsx';
import { invoiceWords as names } from '../../ui/invoice-words.ts';
import { goTo, shown } from '../kit/answer.ts';
import { invoiceFiles, notesOf } from '../kit/invoice-file.ts';
import { type DashboardTools, page } from '../kit/page.ts';
import { billingWords } from './billing.tsx';
import { type BuyingTools, OrderFrame, orderIn, pathOf } from './frame.tsx';

/** The invoice of an order that was paid, for its buyer: to read, to print and as a PDF. */
export function invoicePages(tools: DashboardTools, own: BuyingTools): Endpoint[] {
  return [
    page(tools, {
      id: 'order-invoice',
      path: '/orders/:token/invoice',
      audience: 'anybody',
      async show(visit) {
        const order = await orderIn(own, visit);
        if (order.number === null) throw new Failure('not_found');
        const sheet = invoiceSheet(order, visit.frame.site);
        const address = `${visit.frame.root}${pathOf(order)}`;
        return shown(
          <OrderFrame visit={visit} order={order} title={sheet.title} scripts={['print.js']}>
            <InvoiceView sheet={sheet} />
            <InvoiceActs address={address} notes={notesOf(order)} back={names.back}>
              {correctableUntil(order, tools.clock.now()) !== undefined && (
                <ButtonLink href={`${address}/billing`} text={billingWords.change} />
              )}
            </InvoiceActs>
          </OrderFrame>,
        );
      },
    }),

    // Where the invoice was before.
    page(tools, {
      id: 'order-receipt',
      path: '/orders/:token/receipt',
      audience: 'anybody',
      async show(visit) {
        const order = await orderIn(own, visit);
        if (order.number === null) throw new Failure('not_found');
        return goTo(`${pathOf(order)}/invoice`);
      },
    }),

    ...invoiceFiles(tools, {
      id: 'order',
      path: '/orders/:token',
      audience: 'anybody',
      print: own.print,
      find: (visit) => orderIn(own, visit),
    }),
  ];
}
