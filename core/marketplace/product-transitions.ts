import type { Instant } from '../ports/clock.ts';
import { type Refused, refuse } from '../refusal.ts';
import type { Product, ProductStatus } from './product.ts';

/** The new status for each transition and status. `undefined` means that the transition is not allowed. */
export const productTransitions = {
  approve: { pending: 'published', published: undefined, rejected: undefined, unlisted: 'published' },
  reject: { pending: 'rejected', published: undefined, rejected: undefined, unlisted: undefined },
  unlist: { pending: undefined, published: 'unlisted', rejected: undefined, unlisted: undefined },
  relist: { pending: undefined, published: undefined, rejected: undefined, unlisted: 'published' },
  resubmit: { pending: undefined, published: undefined, rejected: 'pending', unlisted: undefined },
  archive: { pending: 'unlisted', published: 'unlisted', rejected: 'rejected', unlisted: 'unlisted' },
} as const satisfies Record<string, Record<ProductStatus, ProductStatus | undefined>>;
export type ProductTransition = keyof typeof productTransitions;

/** Whether the transition can make a product wait for approval. */
export function canMakeWait(transition: ProductTransition): boolean {
  return transition === 'relist' || transition === 'resubmit';
}

/** The most characters of the reason for a rejection. */
export const longestRejectionReason = 1_000;

/** Each transition as it is said about a product. */
const participles = {
  approve: 'approved',
  reject: 'rejected',
  unlist: 'unlisted',
  relist: 'relisted',
  resubmit: 'resubmitted',
  archive: 'archived',
} as const satisfies Record<ProductTransition, string>;

export interface Circumstances {
  readonly now: Instant;
  /** Whether the actor may approve products. */
  readonly isModerator: boolean;
  /** Why a product is rejected. */
  readonly reason?: string | undefined;
}

/**
 * Relisting publishes a product only if what it contains was approved before, and no moderator has taken it down since.
 * Otherwise it waits for approval. Moderators relist without approval.
 */
export function transitProduct(
  product: Product,
  transition: ProductTransition,
  { now, isModerator, reason }: Circumstances,
): Product | Refused<'transition_not_allowed'> {
  const wanted = isTakenDown(product, transition, isModerator)
    ? 'unlisted'
    : productTransitions[transition][product.status];
  if (product.archivedAt !== null || wanted === undefined) return notAllowed(product, transition);
  const after = { ...product, updatedAt: now };
  switch (transition) {
    case 'approve':
      return { ...after, status: wanted, isApproved: true, rejectionReason: null };
    case 'reject':
      return { ...after, status: wanted, isApproved: false, rejectionReason: reason ?? null };
    case 'unlist':
      return { ...after, status: wanted, isApproved: product.isApproved && !isModerator };
    case 'relist': {
      const isApproved = product.isApproved || isModerator;
      return { ...after, status: isApproved ? wanted : 'pending', isApproved };
    }
    case 'resubmit':
      return { ...after, status: wanted, rejectionReason: null };
    case 'archive':
      return { ...after, status: wanted, archivedAt: now };
  }
}

/**
 * A moderator also takes down an approved product that its seller has unlisted. Otherwise the seller could unlist it just
 * before, and publish it again.
 */
function isTakenDown({ status, isApproved }: Product, transition: ProductTransition, isModerator: boolean): boolean {
  return transition === 'unlist' && isModerator && status === 'unlisted' && isApproved;
}

function notAllowed({ status, archivedAt }: Product, transition: ProductTransition): Refused<'transition_not_allowed'> {
  if (archivedAt !== null) {
    return refuse('transition_not_allowed', `Cannot ${transition} a product that is archived. It stays as it is.`);
  }
  const allowed = Object.entries(productTransitions).flatMap(([name, to]) =>
    to[status] === undefined ? [] : participles[name as ProductTransition],
  );
  const last = allowed.pop();
  const possible = [allowed.join(', '), last].filter(Boolean).join(' or ');
  return refuse('transition_not_allowed', `Cannot ${transition} a product that is ${status}. It can be ${possible}.`);
}
