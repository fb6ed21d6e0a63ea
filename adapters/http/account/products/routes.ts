import { z } from 'zod';
import { productStatuses } from '../../../../core/marketplace/product.ts';
import { longestRejectionReason, type ProductTransition } from '../../../../core/marketplace/product-transitions.ts';
import { isRefused } from '../../../../core/refusal.ts';
import { pageAnswer, pageOf, pageQuery } from '../../cursor.ts';
import { isWithoutNul, nulFault, trimmed } from '../../fields.ts';
import { accountRoute, type Route } from '../../route.ts';
import { instant } from '../licenses/fields.ts';
import { productItem, renderProduct } from '../marketplace/product.ts';
import { sellerOf } from '../seller.ts';
import {
  answerWithProduct,
  oneProduct,
  oneProductRoutes,
  type ProductTools,
  params,
  reading,
  writing,
} from './product.ts';
import { fileRoutes } from './versions.ts';

const states = [...productStatuses, 'archived'] as const;

/** The transitions of sellers. */
const texts = {
  unlist: { summary: 'Takes a published product off the marketplace' },
  relist: {
    summary: 'Lists an unlisted product again',
    description: 'It is published, or waits for approval if no administrator has approved its current contents.',
  },
  resubmit: { summary: 'Submits a rejected product for approval again' },
  archive: {
    summary: 'Takes a product off the marketplace for good',
    description: 'An archived product cannot be changed. Its licenses work as before.',
  },
} as const satisfies Record<Exclude<ProductTransition, 'approve' | 'reject'>, object>;

const seen = instant.optional().meta({
  description:
    'The `updated_at` of the product that you have looked at. If the product has changed since then, such as by a new zip, the call returns 409.',
});

/** In the order of the API reference. */
export function productRoutes(own: ProductTools): Route[] {
  const { tools, products, addresses } = own;
  return [
    accountRoute(tools, {
      id: 'list-products',
      ...reading,
      summary: 'Lists your products; for administrators, all products',
      description:
        'Newest first, or with `q` in the order of the matching texts. A page can be short or empty and still have a `next_cursor`. Archived products are listed only with `status=archived`.',
      method: 'get',
      paths: ['/api/products'],
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
        if (isRefused(found)) return found;
        const data = await Promise.all(found.products.map((product) => renderProduct(product, addresses)));
        return pageAnswer(data, found.next);
      },
    }),
    ...oneProductRoutes(own),
    ...fileRoutes(own),
    ...transitionRoutes(own),
  ];
}

function transitionRoutes({ tools, products, addresses }: ProductTools): Route[] {
  const shared = { ...writing, method: 'post', isIdempotent: true, params } as const;
  const simple = (Object.keys(texts) as (keyof typeof texts)[]).map((transition) =>
    accountRoute(tools, {
      ...shared,
      ...texts[transition],
      id: `${transition}-product`,
      paths: [`/api/products/:id/${transition}`],
      answer: oneProduct,
      refusals: ['not_found', 'conflict', 'forbidden'],
      handle: async ({ caller, params }) =>
        await answerWithProduct(await products.transit(params.id, transition, sellerOf(caller)), addresses),
    }),
  );
  const moderated = { ...shared, answer: oneProduct, refusals: ['not_found', 'conflict', 'forbidden'] } as const;
  const approve = accountRoute(tools, {
    ...moderated,
    id: 'approve-product',
    summary: 'Publishes a pending or unlisted product; only for administrators',
    paths: ['/api/products/:id/approve'],
    body: z.object({ updated_at: seen }),
    handle: async ({ caller, params, body }) =>
      await answerWithProduct(
        await products.transit(params.id, 'approve', sellerOf(caller), body.updated_at),
        addresses,
      ),
  });
  const reject = accountRoute(tools, {
    ...moderated,
    id: 'reject-product',
    summary: 'Rejects a pending product; only for administrators',
    description: 'The seller gets the reason in a notification and an e-mail.',
    paths: ['/api/products/:id/reject'],
    body: z.object({
      reason: trimmed(longestRejectionReason).meta({
        description: 'Why, for the seller.',
        example: 'The zip contains no license.',
      }),
      updated_at: seen,
    }),
    handle: async ({ caller, params, body }) =>
      await answerWithProduct(
        await products.transit(params.id, 'reject', sellerOf(caller, body.reason), body.updated_at),
        addresses,
      ),
  });
  return [...simple, approve, reject];
}
