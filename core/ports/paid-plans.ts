import type { SoldTier } from '../accounts/tier.ts';
import type { User } from '../accounts/user.ts';
import type { ProductId, UserId } from '../id.ts';
import type { Change } from './change.ts';
import type { Instant } from './clock.ts';

/** The products that sell the plans. A plan without a product is not sold. */
export type PlanProducts = { readonly [Sold in SoldTier]?: ProductId };

/** The highest plan that an account has paid. Of several licenses of this plan, the one that ends last. */
export interface PaidPlan {
  readonly tier: SoldTier;
  /** `null`: it never ends. */
  readonly expiresAt: Instant | null;
  /** The token of the order that its license was issued for. */
  readonly token: string;
}

/**
 * The plans that accounts have paid. A plan is paid while the account has an order of its product, in live mode, whose
 * license is active and has not expired.
 */
export interface PaidPlans {
  /** Returns accounts whose paid plan is not the stored one, at most `most`. May be some seconds old. */
  differing(products: PlanProducts, now: Instant, most: number): Promise<UserId[]>;
  /**
   * Like `ChangeById`, without a result. `paid` is what the account has paid. It is read while nobody else can change the account, so that
   * of several processes the last one decides by the newest facts.
   */
  change(
    id: UserId,
    products: PlanProducts,
    now: Instant,
    decide: (before: User, paid: SoldTier | null) => Change<User>,
  ): Promise<void>;
  /** What an account has paid. */
  find(id: UserId, products: PlanProducts, now: Instant): Promise<PaidPlan | undefined>;
}
