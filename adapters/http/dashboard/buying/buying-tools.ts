import type { ReturnAddresses } from '../../../../core/ports/payments.ts';
import type { BoughtFiles } from '../../../../core/purchases/bought-files.ts';
import type { BoughtLicenses } from '../../../../core/purchases/bought-license.ts';
import type { Purchases } from '../../../../core/purchases/buying.ts';
import type { Checkout } from '../../../../core/purchases/checkout.ts';
import type { Order } from '../../../../core/purchases/order.ts';
import { Failure } from '../../failures.ts';
import type { Visit } from '../visit.ts';
import type { Replay } from './replay.ts';

/** The dependencies of the pages for buyers. */
export interface BuyingTools {
  readonly checkout: Checkout;
  readonly purchases: Purchases;
  readonly licenses: BoughtLicenses;
  readonly files: BoughtFiles;
  readonly replay: Replay;
  /** How to pay `manual` orders, in the operator's words. */
  readonly instructions: string | undefined;
  /** The origin of the provider's pages for paying. `undefined` if there is no provider outside. */
  readonly payPages: string | undefined;
  /** The public address of the site. */
  readonly baseUrl: string;
}

/** The path of an order from the site's first page. */
export function pathOf({ token }: Pick<Order, 'token'>): string {
  return `orders/${token}`;
}

/** The order in the path. Whoever has its token may see it. Throws `not_found`. */
export async function orderIn({ purchases }: Pick<BuyingTools, 'purchases'>, { params }: Visit): Promise<Order> {
  const order = await purchases.find(params.token ?? '');
  if (order === undefined) throw new Failure('not_found');
  return order;
}

/** Where the provider sends the buyer afterwards. */
export function returnTo({ baseUrl }: Pick<BuyingTools, 'baseUrl'>): (order: Order) => ReturnAddresses {
  return (order) => {
    const page = `${baseUrl}/${pathOf(order)}`;
    return { done: `${page}?${returned}`, cancelled: page };
  };
}

/** The parameter of the order's page when the buyer comes from the provider. */
export const returned = 'paid';
