import { type Actor, byOf, may } from '../accounts/role.ts';
import type { User } from '../accounts/user.ts';
import { type EventType, event } from '../events/event.ts';
import { lettersTo } from '../mail/letters-to.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { News } from '../ports/change.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { WriteLetter } from '../ports/mailer.ts';
import type { ProductStore } from '../ports/product-store.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import type { Product } from './product.ts';
import { canMakeWait, type ProductTransition, transitProduct } from './product-transitions.ts';
import type { Reviewers } from './reviewers.ts';

/**
 * Changes the status of a product that the actor may change. Notifies the owner of approvals and rejections, and those
 * who review when it waits for approval. Returns
 * `undefined` if the product does not exist any more. With `seenAt`, the time of the last change that the actor has seen,
 * it refuses if the product has changed since then.
 */
export type TransitProduct = (
  product: Pick<Product, 'id' | 'ownerId'>,
  transition: ProductTransition,
  actor: Actor,
  seenAt?: Instant,
) => Promise<Product | Refused<'transition_not_allowed'> | undefined>;

const eventOf = {
  approve: 'product.approved',
  reject: 'product.rejected',
  unlist: 'product.unlisted',
  relist: 'product.relisted',
  resubmit: 'product.resubmitted',
  archive: 'product.archived',
} as const satisfies Record<ProductTransition, EventType>;

interface TransitProductPorts {
  readonly store: ProductStore;
  readonly accounts: Pick<AccountStore, 'findById'>;
  readonly reviewers: Pick<Reviewers, 'toTell'>;
  readonly clock: Clock;
  readonly write: WriteLetter;
}

export function createTransitProduct({
  store,
  accounts,
  reviewers,
  clock,
  write,
}: TransitProductPorts): TransitProduct {
  return async ({ id, ownerId }, transition, actor, seenAt) => {
    const owner = ownerId === null ? undefined : await accounts.findById(ownerId);
    const tellReviewers = canMakeWait(transition) ? await reviewers.toTell(actor) : undefined;
    const by = byOf(actor);
    const isModerator = may(actor, 'products:moderate');
    return await store.change(id, (before) => {
      if (seenAt !== undefined && before.updatedAt !== seenAt) {
        return refuse('transition_not_allowed', 'The product has changed in the meantime.');
      }
      const now = clock.now();
      const after = transitProduct(before, transition, { now, isModerator, reason: by.reason });
      if (isRefused(after)) return after;
      return {
        after,
        event: event(
          eventOf[transition],
          before.slug,
          by,
          now,
          transition === 'relist' ? { status: after.status } : {},
        ),
        ...(after.status === 'pending'
          ? tellReviewers?.(before, after, now)
          : owner && newsOf(write, owner, after, transition, now)),
      };
    });
  };
}

function newsOf(write: WriteLetter, owner: User, product: Product, transition: ProductTransition, now: Instant): News {
  const facts = { product: product.id, title: product.title, isLive: product.isLive };
  const { id: userId, name, email } = owner;
  const to = { name, address: email };
  switch (transition) {
    case 'approve':
      return {
        letters: lettersTo(write, to, { kind: 'product-approved', name, ...facts }, now),
        notices: [{ userId, notice: { kind: 'product_approved', ...facts }, createdAt: now }],
      };
    case 'reject': {
      const reason = product.rejectionReason ?? '';
      return {
        letters: lettersTo(write, to, { kind: 'product-rejected', name, ...facts, reason }, now),
        notices: [{ userId, notice: { kind: 'product_rejected', ...facts, reason }, createdAt: now }],
      };
    }
    case 'unlist':
    case 'relist':
    case 'resubmit':
    case 'archive':
      return {};
  }
}
