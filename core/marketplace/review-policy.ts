import type { Product } from './product.ts';

/**
 * Who reviews: the right `products:moderate`. When: only before a product is published first, or after every new zip or
 * thumbnail too.
 */
export const reviewPolicies = ['first', 'every'] as const;
export type ReviewPolicy = (typeof reviewPolicies)[number];

/** Returns the product as it is with a file that nobody has approved yet. */
export function withNewFile(product: Product, policy: ReviewPolicy): Product {
  if (policy === 'first') return product;
  return { ...product, isApproved: false, status: product.status === 'published' ? 'pending' : product.status };
}
