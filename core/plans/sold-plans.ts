import { withPaidTier } from '../accounts/paid-tier.ts';
import { includes, type SoldTier } from '../accounts/tier.ts';
import type { User } from '../accounts/user.ts';
import { event } from '../events/event.ts';
import type { Product } from '../marketplace/product.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { PaidPlan, PaidPlans, PlanProducts } from '../ports/paid-plans.ts';
import type { ProductStore } from '../ports/product-store.ts';
import { isForSale } from '../purchases/ways-to-pay.ts';
import type { CurrentSettings } from '../site/current-settings.ts';

/** A plan with the product that sells it. */
export interface PlanForSale {
  readonly tier: SoldTier;
  readonly product: Product;
}

export interface ShownPlans {
  readonly paid: PaidPlan | undefined;
  /** Lowest first. Also without the plans up to the one that is paid, if the account does not have it yet. */
  readonly above: readonly PlanForSale[];
}

/** Plans that are sold like products. */
export interface SoldPlans {
  /** What an account has paid, and the plans above its own that it can buy. */
  shownTo(user: Pick<User, 'id' | 'tier'>): Promise<ShownPlans>;
  /**
   * Gives accounts the plan that they have paid now, or takes it away. Any number of processes may call this at any time.
   * Changes at most 1,000 accounts; the next call changes the others. Stops early if `goOn` returns false. Returns how
   * many it looked at.
   */
  follow(goOn: () => boolean): Promise<number>;
}

interface SoldPlansPorts {
  readonly plans: PaidPlans;
  readonly products: Pick<ProductStore, 'findBySlug'>;
  readonly accounts: Pick<AccountStore, 'findById'>;
  readonly settings: Pick<CurrentSettings, 'get' | 'refresh'>;
  readonly clock: Clock;
}

/** Enough for many more sales than a site has in a minute. So no run takes long. */
const atOnce = 1_000;

/** The server itself changes these plans. */
const by = { actor: 'server' };

export function createSoldPlans({ plans, products, accounts, settings, clock }: SoldPlansPorts): SoldPlans {
  /** Whether a product can sell a plan. The seller of another one could give plans away. */
  async function isOfOperator({ ownerId, isLive }: Product): Promise<boolean> {
    if (!isLive) return false;
    return ownerId === null || (await accounts.findById(ownerId))?.role === 'admin';
  }

  /** The plans that are sold, lowest first. Only live products of the operator or an administrator sell plans. */
  async function sold(): Promise<PlanForSale[]> {
    const { plan_pro: pro, plan_enterprise: enterprise } = settings.get();
    const found = await Promise.all(
      (Object.entries({ pro, enterprise }) as [SoldTier, string][]).map(async ([tier, slug]) => {
        const product = slug === '' ? undefined : await products.findBySlug(slug);
        return product !== undefined && (await isOfOperator(product)) ? [{ tier, product }] : [];
      }),
    );
    return found.flat();
  }

  return {
    async shownTo({ id, tier }) {
      const all = await sold();
      const paid = all.length === 0 ? undefined : await plans.find(id, idsOf(all), clock.now());
      const isAbove = (one: SoldTier) => !includes(tier, one) && !(paid && includes(paid.tier, one));
      return { paid, above: all.filter((one) => isAbove(one.tier) && isForSale(one.product, false)) };
    },

    async follow(goOn) {
      // Otherwise a process that learns of a setting later than another one would undo its changes.
      await settings.refresh();
      const ids = idsOf(await sold());
      const differing = await plans.differing(ids, clock.now(), atOnce);
      let done = 0;
      for (const id of differing) {
        if (!goOn()) break;
        const now = clock.now();
        await plans.change(id, ids, now, (before, paid) => {
          const after = withPaidTier(before, paid);
          if (after === before) return { after };
          return { after, event: event('user.tier_set', before.email, by, now, { tier: after.tier, paid }) };
        });
        done++;
      }
      return done;
    },
  };
}

function idsOf(sold: readonly PlanForSale[]): PlanProducts {
  return Object.fromEntries(sold.map(({ tier, product }) => [tier, product.id]));
}
