import type { Accounts } from '../../../../../core/accounts/accounts.ts';
import type { Order } from '../../../../../core/purchases/order.ts';
import type { OrderList } from '../../../../../core/selling/order-list.ts';
import type { Orders } from '../../../../../core/selling/orders.ts';
import type { SellerProducts } from '../../../../../core/selling/products.ts';
import { areas } from '../../../ui/area-page.tsx';
import type { Once } from '../../once.ts';
import { orFail } from '../../or-fail.ts';
import type { SignedInVisit } from '../../visit.ts';
import { sellerIn } from '../selling-page.tsx';

/** The dependencies of the pages about orders. */
export interface OrderTools {
  readonly orders: Orders;
  readonly list: OrderList;
  readonly products: Pick<SellerProducts, 'list' | 'show'>;
  readonly accounts: Pick<Accounts, 'find'>;
  readonly once: Once;
}

export const base = `/${areas.selling.orders}`;

/** The order in the path. Throws `not_found` if the person cannot reach it. */
export async function orderIn({ list }: Pick<OrderTools, 'list'>, visit: SignedInVisit): Promise<Order> {
  return orFail(await list.find(visit.params.id ?? '', sellerIn(visit)));
}
