import { type OrderState, orderStates } from '../../../../../core/purchases/order.ts';
import type { OrderWish } from '../../../../../core/selling/order-list.ts';
import { choicesIn, chosen, startOf } from '../../query.ts';
import type { Visit } from '../../visit.ts';

/** The filters in the address of a list of orders. */
export type OrderChoices = Readonly<Record<'q' | 'product' | 'state' | 'from' | 'to', string>>;

export function orderChoices(visit: Visit): OrderChoices {
  return choicesIn(visit, 'q', 'product', 'state', 'from', 'to');
}

/** Returns the query that the filters describe. The last day is included. */
export function wishOf({ q, product, state, from, to }: OrderChoices): OrderWish {
  const wanted = chosen<OrderState>(state, orderStates);
  return {
    search: q || undefined,
    product: product || undefined,
    states: wanted && [wanted],
    from: startOf(from),
    to: startOf(to, 1),
  };
}
