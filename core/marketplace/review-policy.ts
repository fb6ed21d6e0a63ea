import type { User } from '../accounts/user.ts';
import type { Product } from './product.ts';

/**
 * Who reviews: the right `products:moderate`. When: only before a product is published first, or after every new zip or
 * thumbnail too.
 */
export const reviewPolicies = ['first', 'every'] as const;
export type ReviewPolicy = (typeof reviewPolicies)[number];

/**
 * Returns the product as it is with a file that nobody has approved yet. A file of a trusted seller needs no approval, but a
 * product that waits for a decision goes on to wait.
 */
export function withNewFile(product: Product, policy: ReviewPolicy, seller: Trusted): Product {
  if (policy === 'first' || isTrusted(seller)) return product;
  return { ...product, isApproved: false, status: product.status === 'published' ? 'pending' : product.status };
}

/**
 * How a new product begins. That of a trusted seller is published at once. What a moderator has taken down or rejected later
 * waits for approval, whoever the seller is.
 */
export function beginning(seller: Trusted): Pick<Product, 'status' | 'isApproved'> {
  return isTrusted(seller) ? { status: 'published', isApproved: true } : { status: 'pending', isApproved: false };
}

type Trusted = Pick<User, 'selling'> | undefined;

function isTrusted(seller: Trusted): boolean {
  return seller?.selling === 'trusted';
}
