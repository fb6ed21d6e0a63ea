import { z } from 'zod';
import { longestRejectionReason, type ProductTransition } from '../../../../core/marketplace/product-transitions.ts';
import { trimmed } from '../../fields.ts';
import { accountRoute, type Route } from '../../route.ts';
import { instant } from '../licenses/fields.ts';
import { sellerOf } from '../seller.ts';
import { answerWithProduct, oneProduct, type ProductTools, params } from './product-tools.ts';
import { tag } from './tag.ts';

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

export function transitionRoutes({ tools, products, addresses }: ProductTools): Route[] {
  const shared = { tag, method: 'post', scope: 'marketplace:write', isIdempotent: true, params } as const;
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
