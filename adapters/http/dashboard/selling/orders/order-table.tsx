import type { VNode } from 'preact';
import type { Order } from '../../../../../core/purchases/order.ts';
import { type Column, List } from '../../../ui/list.tsx';
import { texts } from '../../../ui/texts.ts';
import { Time } from '../../../ui/time.tsx';
import { HolderText } from '../licenses/license-table.tsx';
import { OrderTag, orderPath } from '../order-link.tsx';
import { Amount } from './amount.tsx';

const { sellingOrders: words } = texts;

/** A list of orders. On a phone, the first two columns show without scrolling. */
export function OrderTable({
  root,
  label,
  orders,
  more = [],
}: {
  readonly root: string;
  readonly label: string;
  readonly orders: readonly Order[];
  /** More columns at the end. */
  readonly more?: readonly Column<Order>[];
}): VNode {
  const { columns } = words;
  return (
    <List
      label={label}
      columns={[
        {
          title: columns.order,
          cell: (order) => (
            <>
              <a href={`${root}${orderPath(order)}`} class="whole">
                {words.nameOf(order.id)}
              </a>
              <span class="under">
                <span dir="auto">{order.agreed.title}</span>
              </span>
            </>
          ),
        },
        { title: columns.state, cell: (order) => <OrderTag order={order} /> },
        { title: columns.amount, isNumber: true, cell: (order) => <Amount order={order} /> },
        { title: columns.buyer, cell: ({ buyer }) => <HolderText holder={buyer} /> },
        { title: columns.at, cell: ({ createdAt }) => <Time at={createdAt} /> },
        ...more,
      ]}
      rows={orders}
      keyOf={({ id }) => id}
    />
  );
}
