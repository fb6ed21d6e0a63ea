import { z } from 'zod';
import { productStatuses } from '../../../../core/marketplace/product.ts';
import { isRefused } from '../../../../core/refusal.ts';
import { pageOf, pageQuery } from '../../cursor.ts';
import { isWithoutNul, nulFault } from '../../fields.ts';
import { accountRoute, type Route } from '../../route.ts';
import { productItem, renderProduct } from '../marketplace/product.ts';
import { sellerOf } from '../seller.ts';
import { type ProductTools, sent } from './product-tools.ts';
import { tag } from './tag.ts';

const states = [...productStatuses, 'archived'] as const;

export function listProducts({ tools, products, addresses }: ProductTools): Route {
  return accountRoute(tools, {
    id: 'list-products',
    tag,
    summary: 'Lists your products; for administrators, all products',
    description:
      'Newest first, or with `q` in the order of the matching texts. A page can be short or empty and still have a `next_cursor`. Archived products are listed only with `status=archived`.',
    method: 'get',
    paths: ['/api/products'],
    scope: 'marketplace:read',
    query: z.object({
      q: z
        .string()
        .max(200, 'It must have at most 200 characters.')
        .refine(isWithoutNul, nulFault)
        .optional()
        .meta({ description: 'The beginning of a word in the title, or of the slug.', example: 'dex' }),
      status: z
        .enum(states, `It must be one of ${states.join(', ')}.`)
        .optional()
        .meta({ example: 'published' }),
      ...pageQuery,
    }),
    answer: pageOf(productItem),
    refusals: ['forbidden'],
    async handle({ caller, query }) {
      const { q: search, status: state, cursor: after, limit } = query;
      const found = await products.list({ search, state, after, limit }, sellerOf(caller));
      if (isRefused(found)) return sent(found);
      const data = await Promise.all(found.products.map((product) => renderProduct(product, addresses)));
      return { success: true as const, data, next_cursor: found.next };
    },
  });
}
