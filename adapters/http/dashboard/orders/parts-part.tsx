import type { VNode } from 'preact';
import { type Order, titleOf } from '../../../../core/purchases/order.ts';
import { areas } from '../../ui/area-page.tsx';
import { type Column, List } from '../../ui/list.tsx';
import { PartHead } from '../../ui/part-head.tsx';
import { moneyOf } from '../../ui/prices.ts';
import { OrderTag } from './subject.tsx';
import { words } from './words.ts';

const { parts: names } = words;

/** The products of a bundle that was ordered, with their licenses and their shares of the price. */
export function PartsPart({ parts, root }: { readonly parts: readonly Order[]; readonly root: string }): VNode | null {
  if (parts.length === 0) return null;
  const columns: readonly Column<Order>[] = [
    { title: names.product, cell: ({ agreed }) => <bdi class="breakable">{titleOf(agreed)}</bdi> },
    { title: names.state, cell: (part) => <OrderTag order={part} /> },
    {
      title: names.license,
      cell: ({ licenseKey, isLive }) =>
        licenseKey && (
          <a href={`${root}${areas.selling.licenses.replace(':mode', isLive ? 'live' : 'test')}/${licenseKey}`}>
            <code>{licenseKey}</code>
          </a>
        ),
    },
    { title: names.share, isNumber: true, cell: ({ agreed }) => moneyOf(agreed.price, agreed.currency) },
    {
      title: names.refunded,
      isNumber: true,
      cell: ({ payment }) => (payment.refunded > 0 ? moneyOf(payment.refunded, payment.currency) : ''),
    },
  ];
  return (
    <section id="parts">
      <PartHead title={names.title} lead={names.lead} />
      <List label={names.title} columns={columns} rows={parts} />
    </section>
  );
}
