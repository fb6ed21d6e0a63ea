import { type Actor, may } from '../accounts/role.ts';
import { administratorsToTell, newsTo } from '../mail/news-to.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { News } from '../ports/change.ts';
import type { Instant } from '../ports/clock.ts';
import type { WriteLetter } from '../ports/mailer.ts';
import type { ProductStore } from '../ports/product-store.ts';
import type { Product } from './product.ts';

/** Products that wait are counted up to this number. */
const mostCounted = 100;

/** The news for those who review, once the product is as after a change. `before` is `undefined` for a new product. */
export type TellReviewers = (before: Pick<Product, 'status'> | undefined, after: Product, now: Instant) => News;

/** The people who review products. */
export interface Reviewers {
  /**
   * Prepares to tell them that a product waits for approval. The person who makes the change is not told: they know.
   * While others wait already, no mail is sent: sellers could cause very many.
   * Test products are never public, so nobody is told of them.
   */
  toTell(actor: Actor): Promise<TellReviewers>;
  /** Counts the live products that wait, up to 100. 0 for people who may not review. Cheap enough for every page. */
  countWaiting(actor: Actor): Promise<number>;
  /** Whether nobody else may review. */
  isAlone(actor: Actor): Promise<boolean>;
}

interface ReviewersPorts {
  readonly store: Pick<ProductStore, 'countWaiting'>;
  readonly accounts: Pick<AccountStore, 'administrators' | 'list'>;
  readonly write: WriteLetter;
}

export function createReviewers({ store, accounts, write }: ReviewersPorts): Reviewers {
  return {
    async toTell(actor) {
      const [waiting, found] = await Promise.all([store.countWaiting(1), administratorsToTell(accounts)]);
      const changing = actor.kind === 'user' ? actor.user.id : undefined;
      const told = found.filter(({ id }) => id !== changing);
      return (before, { id, title, isLive, status }, now) => {
        if (!isLive || status !== 'pending' || before?.status === 'pending') return {};
        const facts = { product: id, title, isLive };
        const letter = (name: string) => ({ kind: 'product-waits', name, ...facts }) as const;
        return newsTo(told, { kind: 'product_waits', ...facts }, waiting === 0 ? letter : undefined, { write, now });
      };
    },

    countWaiting: async (actor) => (may(actor, 'products:moderate') ? await store.countWaiting(mostCounted) : 0),

    async isAlone(actor) {
      if (actor.kind !== 'user' || !may(actor, 'products:moderate')) return false;
      return (await accounts.administrators()).every((id) => id === actor.user.id);
    },
  };
}
