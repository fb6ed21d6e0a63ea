import type { VNode } from 'preact';
import type { Accounts } from '../../../../core/accounts/accounts.ts';
import type { Order, OrderState } from '../../../../core/purchases/order.ts';
import { mainOrderOf } from '../../../../core/purchases/parts.ts';
import { referenceOf } from '../../../../core/purchases/reference.ts';
import type { CustomerList } from '../../../../core/selling/customers.ts';
import type { OrderList } from '../../../../core/selling/order-list.ts';
import type { Orders } from '../../../../core/selling/orders.ts';
import type { PaymentClaims } from '../../../../core/selling/payment-claims.ts';
import type { SellerProducts } from '../../../../core/selling/products.ts';
import type { SendBack } from '../../../../core/selling/sent-back.ts';
import type { SellerSubscriptions } from '../../../../core/selling/subscriptions.ts';
import type { UndoSendBack } from '../../../../core/selling/undo-sent-back.ts';
import type { UsdcPaying } from '../../../../core/usdc/paying.ts';
import type { Wallets } from '../../../../core/usdc/wallets.ts';
import type { PrintSheet } from '../../../contracts/invoice-sheet.ts';
import { areas, entryOf, placePath } from '../../ui/area-page.tsx';
import { type Column, List } from '../../ui/list.tsx';
import { moneyOf } from '../../ui/prices.ts';
import { Time } from '../../ui/time.tsx';
import type { Once } from '../kit/once.ts';
import { orFail } from '../kit/page.ts';
import { PersonText } from '../kit/people.tsx';
import { modeIn, sellerIn } from '../kit/selling.tsx';
import type { Subject } from '../kit/subject-page.tsx';
import { words } from './words.ts';

/** The dependencies of the pages about orders. */
export interface OrderTools {
  readonly orders: Orders;
  readonly sendBack: SendBack;
  readonly undoSendBack: UndoSendBack;
  readonly list: OrderList;
  readonly subscriptions: SellerSubscriptions;
  readonly customers: CustomerList;
  readonly products: Pick<SellerProducts, 'list' | 'show'>;
  readonly accounts: Pick<Accounts, 'find'>;
  readonly wallets: Pick<Wallets, 'chainIds'>;
  readonly usdc: Pick<UsdcPaying, 'show'>;
  readonly claims: PaymentClaims;
  readonly once: Once;
  readonly print: PrintSheet;
}

/** An order. Administrators see those of others as part of the administration. */
export function orderSubject({ list }: OrderTools): Subject<Order> {
  return {
    path: `/${areas.selling.orders}/:id`,
    audience: 'user',
    find: async (visit) => orFail(await list.find(visit.params.id ?? '', sellerIn(visit))),
    about(order, visit) {
      const mode = modeIn(visit);
      const isOwn = order.sellerId === visit.me.login.id;
      const place = { area: isOwn ? 'selling' : 'admin', at: 'orders' } as const;
      return {
        name: words.nameOf(order.id),
        path: orderPath(order),
        place,
        mode,
        above: [entryOf(place, mode)],
      };
    },
  };
}

/** The path of an order from the site's first page. Everybody who reaches it sees it there. */
export function orderPath({
  id,
  isLive,
  partOf = null,
}: Pick<Order, 'id' | 'isLive'> & Partial<Pick<Order, 'partOf'>>): string {
  const place = { area: 'selling', at: 'orders' } as const;
  return `${placePath(place, isLive ? 'live' : 'test')}/${mainOrderOf({ id, partOf })}`;
}

const looks = {
  open: 'tag',
  processing: 'tag busy',
  soft: 'tag busy',
  failed: 'tag',
  expired: 'tag',
  cancelled: 'tag',
  held: 'tag bad',
  paid: 'tag good',
  partly_refunded: 'tag busy',
  refunding: 'tag busy',
  refunded: 'tag',
  disputed: 'tag bad',
  charged_back: 'tag bad',
} as const satisfies Record<OrderState, string>;

export function OrderTag({ order: { state } }: { readonly order: Pick<Order, 'state'> }): VNode {
  return <span class={looks[state]}>{words.states[state]}</span>;
}

/** The total that the buyer pays. Below it the reference of a transfer, and the refunded amount. */
function Amount({ order }: { readonly order: Order }): VNode {
  const { total, refunded, currency } = order.payment;
  if (total === 0) return <>{words.free}</>;
  return (
    <>
      {moneyOf(total, currency)}
      {order.provider === 'manual' && (
        <small class="under" title={words.payment.reference}>
          {referenceOf(order)}
        </small>
      )}
      {refunded > 0 && <small class="under">{words.refunded(moneyOf(refunded, currency))}</small>}
    </>
  );
}

/** A list of orders. On a phone, the first two columns show without scrolling. */
export function OrderTable({
  root,
  label,
  orders,
  toDo,
  more = [],
}: {
  readonly root: string;
  readonly label: string;
  readonly orders: readonly Order[];
  /** What to do with each order. The second column, so that it is in sight on a phone. */
  readonly toDo?: Column<Order>;
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
              <span class="under" dir="auto" title={order.agreed.title}>
                {order.agreed.title}
              </span>
            </>
          ),
        },
        ...(toDo ? [toDo] : []),
        { title: columns.state, isState: true, cell: (order) => <OrderTag order={order} /> },
        { title: columns.amount, isNumber: true, cell: (order) => <Amount order={order} /> },
        { title: columns.buyer, cell: ({ buyer }) => <PersonText person={buyer} /> },
        { title: columns.at, cell: ({ createdAt }) => <Time at={createdAt} /> },
        ...more,
      ]}
      rows={orders}
    />
  );
}
