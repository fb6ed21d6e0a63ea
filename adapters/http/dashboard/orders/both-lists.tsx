import type { VNode } from 'preact';
import type { OrderPage } from '../../../../core/purchases/buying.ts';
import type { Order } from '../../../../core/purchases/order.ts';
import type { Refused } from '../../../../core/refusal.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import type { Options } from '../../ui/form.tsx';
import type { Column } from '../../ui/list.tsx';
import { type Asked, type ListPage, list } from '../kit/list.tsx';
import { type DashboardTools, orFail } from '../kit/page.ts';
import { type Owners, ownerLink, ownersOf } from '../kit/people.tsx';
import { withOwnProducts } from '../kit/selling.tsx';
import type { OrderTools } from './subject.tsx';
import { words } from './words.ts';

const perPage = 50;

/** What a list of orders has found. */
export interface FoundOrders {
  readonly rows: readonly Order[];
  readonly next: string | null;
  /** The choices of the filter by product. Without them, the product is typed. */
  readonly products?: Options | undefined;
  /** The orders of both modes that wait for the reader, before the list of all. */
  readonly waiting?: readonly Order[];
  readonly owners?: Owners;
}

type Shared<Name extends string> = ListPage<Name | 'product', FoundOrders>;

/** What two lists of the same orders have in common, and what each of them shows. */
interface BothLists<Name extends string>
  extends Pick<Shared<Name>, 'below' | 'title' | 'filters' | 'none'>,
    Pick<Partial<Shared<Name>>, 'csv'> {
  readonly name: string;
  find(asked: Asked<Name | 'product'>, limit: number): Promise<OrderPage | Refused<'forbidden' | 'unknown_place'>>;
  /** The orders that wait for an administrator. */
  waiting?(asked: Asked<Name | 'product'>): Promise<readonly Order[]>;
  readonly showAll: Shared<Name>['show'];
  readonly showOwn: Shared<Name>['show'];
}

/** Makes two lists: the reader's own (also for administrators), and those of all sellers. */
export function bothLists<const Name extends string>(
  tools: DashboardTools,
  { products, accounts }: Pick<OrderTools, 'products' | 'accounts'>,
  { name, find, waiting, showAll, showOwn, csv, ...shared }: BothLists<Name>,
): Endpoint[] {
  async function found(asked: Asked<Name | 'product'>): Promise<FoundOrders> {
    const { orders: rows, next } = orFail(await find(asked, perPage));
    return { rows, next };
  }
  return [
    ...list(tools, {
      ...shared,
      id: `admin-${name}`,
      place: { area: 'admin', at: 'orders' },
      audience: 'purchases:manage',
      reach: 'all',
      async find(asked): Promise<FoundOrders> {
        const [page, first = []] = await Promise.all([found(asked), waiting?.(asked)]);
        const sellers = [...page.rows, ...first].map(({ sellerId }) => sellerId);
        return { ...page, waiting: first, owners: await ownersOf(accounts, sellers) };
      },
      show: showAll,
    }),
    ...list(tools, {
      ...shared,
      id: `selling-${name}`,
      place: { area: 'selling', at: 'orders' },
      audience: 'user',
      reach: 'own',
      find: (asked): Promise<FoundOrders> => withOwnProducts(products, asked, found(asked)),
      show: showOwn,
      ...(csv && { csv }),
    }),
  ];
}

/** The column with the seller, in the list of all. */
export function sellerColumn(root: string, owners: Owners = new Map()): Column<Order> {
  return { title: words.columns.seller, cell: ({ sellerId }) => ownerLink(root, sellerId, owners) };
}

/** Stands in the place of the own list while it is empty. */
export function NoneYet({
  asked: { root, seller },
  words: { noneTitle, none, noneTest, toProducts },
}: {
  readonly asked: Pick<Asked<string>, 'root' | 'seller'>;
  readonly words: Readonly<Record<'noneTitle' | 'none' | 'noneTest' | 'toProducts', string>>;
}): VNode {
  return (
    <EmptyState heading="h2" icon="orders" title={noneTitle}>
      <p>{seller.mode === 'live' ? none : noneTest}</p>
      <p class="actions">
        <ButtonLink href={`${root}selling/${seller.mode}/products`} text={toProducts} />
      </p>
    </EmptyState>
  );
}
