import { z } from 'zod';
import { iso } from '../../../../core/iso.ts';
import type { Customer } from '../../../../core/ports/customers.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { CustomerList } from '../../../../core/selling/customers.ts';
import { pageAnswer, pageOf, pageQuery } from '../../cursor.ts';
import { isoOrNull, timestamp } from '../../fields.ts';
import { type AccountTools, accountRoute, type Route, type Tag } from '../../route.ts';
import { searched } from '../licenses/fields.ts';
import { sellerOf } from '../seller.ts';

const tag: Tag = { name: 'Customers', description: 'Who bought your products.' };

const customerItem = z
  .object({
    email: z.string().meta({ example: 'grace@example.com' }),
    name: z.string().nullable().meta({ description: 'As in the newest order.', example: 'Grace Hopper' }),
    orders: z.int().meta({ description: 'Orders that were paid or are free. A bundle is one.', example: 3 }),
    licenses: z.int().meta({ description: 'Licenses that were issued for these orders.', example: 2 }),
    kept: z.array(z.object({ currency: z.string(), amount: z.int() })).meta({
      description:
        'What was paid, without refunds and lost disputes: by currency, in its smallest unit, such as cents.',
      example: [{ currency: 'usd', amount: 14_700 }],
    }),
    first_order_at: timestamp,
    last_order_at: timestamp,
    last_visit_at: timestamp.nullable().meta({
      description: 'When a domain of one of the newest licenses was verified last. Null if none ever was.',
    }),
    may_have_more: z.boolean().meta({
      description: 'Whether there can be more orders than are summed: then the numbers are the least.',
      example: false,
    }),
  })
  .meta({ id: 'AccountCustomer' });

function renderCustomer(customer: Customer): z.output<typeof customerItem> {
  const { email, name, orders, licenses, kept, firstOrderAt, lastOrderAt, lastVisitAt, mayHaveMore } = customer;
  return {
    ...{ email, name, orders, licenses },
    kept: kept.map(({ currency, amount }) => ({ currency, amount })),
    first_order_at: iso(firstOrderAt),
    last_order_at: iso(lastOrderAt),
    last_visit_at: isoOrNull(lastVisitAt),
    may_have_more: mayHaveMore,
  };
}

export function customerRoutes(tools: AccountTools, customers: CustomerList): Route[] {
  return [
    accountRoute(tools, {
      id: 'list-customers',
      tag,
      scope: 'orders:read',
      summary: 'Lists and searches the customers of your products by address; for administrators, all customers',
      description:
        'Customers have paid an order or taken something for free. A live key sees live orders, a test key test orders. A new order or a change may be missing for some seconds. Of each customer, the newest 1,000 orders are summed (the products of bundles count, too), and the last visit is that of 50 domains of each of the newest 20 licenses.',
      method: 'get',
      paths: ['/api/customers'],
      query: z.object({
        search: searched.optional().meta({ description: 'The start of the address.', example: 'grace@' }),
        ...pageQuery,
      }),
      answer: pageOf(customerItem),
      refusals: [],
      async handle({ caller, query: { search, cursor: after, limit } }) {
        const page = await customers.list({ search, after, limit }, sellerOf(caller));
        return isRefused(page) ? page : pageAnswer(page.customers.map(renderCustomer), page.next);
      },
    }),
  ];
}
