import { z } from 'zod';
import type { Product } from '../../../../core/marketplace/product.ts';
import { isRefused, type Refused, refuse } from '../../../../core/refusal.ts';
import type { SellerProducts } from '../../../../core/selling/products.ts';
import type { Addresses } from '../../addresses.ts';
import { Failure, type FailureReason } from '../../failures.ts';
import { text } from '../../fields.ts';
import type { AccountTools } from '../../route.ts';
import { productItem, renderProduct } from '../marketplace/product.ts';

/** The dependencies of the routes of products. */
export interface ProductTools {
  readonly tools: AccountTools;
  readonly products: SellerProducts;
  readonly addresses: Addresses;
}

export const params = z.object({
  id: text(200).meta({
    description: 'Id or slug of a product. Digits alone are always an id.',
    example: 'uniswap-style-dex',
  }),
});

export const oneProduct = z.object({ success: z.literal(true), product: productItem });

/** How each refusal is sent. */
const reasons = {
  product_not_found: 'not_found',
  version_not_found: 'not_found',
  product_archived: 'conflict',
  transition_not_allowed: 'conflict',
  version_exists: 'conflict',
  too_many_versions: 'conflict',
  forbidden: 'forbidden',
  quota_exceeded: 'quota_exceeded',
} as const satisfies Record<string, FailureReason>;
type Reasons = typeof reasons;

/** The fields that are wrong for each refusal of an input. */
const fields = { unknown_place: 'cursor', invalid_terms: 'terms', invalid_number: 'number' } as const;

/** Returns a refusal as the API sends it. */
export function sent<Reason extends keyof Reasons>({
  reason,
  detail,
  figures,
}: Refused<Reason | keyof typeof fields>): Refused<Reasons[Reason]> {
  const field = Object.entries(fields).find(([name]) => name === reason)?.[1];
  if (field !== undefined) throw new Failure('validation_error', { fields: { [field]: [detail ?? reason] } });
  return refuse(reasons[reason as Reason], detail, figures);
}

/** Returns the response body with the product, or the refusal. */
export async function answerWithProduct<Reason extends keyof Reasons>(
  product: Product | Refused<Reason | keyof typeof fields>,
  addresses: Addresses,
): Promise<z.output<typeof oneProduct> | Refused<Reasons[Reason]>> {
  if (isRefused(product)) return sent(product);
  return { success: true, product: await renderProduct(product, addresses) };
}
