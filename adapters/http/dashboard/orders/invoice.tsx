import type { Order } from '../../../../core/purchases/order.ts';
import type { PrintSheet } from '../../../contracts/invoice-sheet.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { AreaPage } from '../../ui/area-page.tsx';
import { invoiceSheet } from '../../ui/invoice-sheet.ts';
import { InvoiceActs, InvoiceView } from '../../ui/invoice-view.tsx';
import { invoiceWords as names } from '../../ui/invoice-words.ts';
import { shown } from '../kit/answer.ts';
import { invoiceFiles, notesOf } from '../kit/invoice-file.ts';
import { type DashboardTools, page } from '../kit/page.ts';
import type { Subject } from '../kit/subject-page.tsx';

/** The invoice of an order for its seller and for administrators. */
export function sellerInvoicePages(tools: DashboardTools, order: Subject<Order>, print: PrintSheet): Endpoint[] {
  const { path, audience, find } = order;
  return [
    page(tools, {
      id: 'selling-order-invoice',
      path: `${path}/invoice`,
      audience,
      async show(visit) {
        const one = await find(visit);
        if (one.number === null) throw new Failure('not_found');
        const { name, path: at, place, mode, above } = order.about(one, visit);
        const { root } = visit.frame;
        const address = `${root}${at}`;
        const sheet = invoiceSheet(one, visit.frame.site);
        return shown(
          <AreaPage
            frame={visit.frame}
            place={place}
            {...(mode && { mode })}
            isBelow
            above={[
              ...above.map((part) => ({ href: `${root}${part.path}`, title: part.title })),
              { href: address, title: name },
            ]}
            title={sheet.title}
            scripts={['print.js']}
          >
            <InvoiceView sheet={sheet} />
            <InvoiceActs address={address} notes={notesOf(one)} back={names.back} />
          </AreaPage>,
        );
      },
    }),
    ...invoiceFiles(tools, { id: 'selling-order', path, audience, print, find }),
  ];
}
