import { z } from 'zod';
import type { Marketplace } from '../../../../core/marketplace/marketplace.ts';
import type { Addresses } from '../../addresses.ts';
import { type AccountTools, accountRoute, type Route } from '../../route.ts';
import { productItem, renderProduct } from './product.ts';
import { tag } from './tag.ts';

/** A number in a query, from 1 to `most`. A missing or invalid number becomes `fallback`. */
const counting = (fallback: number, most: number) =>
  z
    .string()
    .optional()
    .transform((value) => {
      const number = value === undefined ? fallback : /^-?\d+$/.test(value) ? Number(value) : fallback;
      return Math.min(Math.max(number, 1), most);
    })
    .meta({ type: 'integer', minimum: 1, maximum: most });

export function myProducts(tools: AccountTools, marketplace: Marketplace, addresses: Addresses): Route {
  return accountRoute(tools, {
    id: 'my-products',
    tag,
    summary: "Lists the caller's products, newest first",
    method: 'get',
    paths: ['/api/marketplace/my-products'],
    scope: 'marketplace:read',
    query: z.object({
      page: counting(1, 1_000_000).meta({ description: 'Page number, starting at 1; 1 by default.', example: 1 }),
      per_page: counting(15, 100).meta({ description: 'Items on a page; 15 by default.', example: 15 }),
    }),
    answer: z.object({
      success: z.literal(true),
      data: z.array(productItem),
      current_page: z.int(),
      last_page: z.int().meta({ description: 'At least 1.' }),
      per_page: z.int().meta({ example: 15 }),
      total: z.int(),
    }),
    refusals: [],
    async handle({ caller, query }) {
      const { items, total } = await marketplace.own(caller, query.page, query.per_page);
      return {
        success: true,
        data: await Promise.all(items.map((product) => renderProduct(product, addresses))),
        current_page: query.page,
        last_page: Math.max(1, Math.ceil(total / query.per_page)),
        per_page: query.per_page,
        total,
      };
    },
  });
}
