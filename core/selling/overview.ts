import { needing } from '../accounts/role.ts';
import type { UserId } from '../id.ts';
import { statusOf } from '../licensing/license.ts';
import type { Product } from '../marketplace/product.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { Count, IssuedOnDay, LicenseCounts } from '../ports/license-counts.ts';
import type { LicenseSearch } from '../ports/license-search.ts';
import type { ProductState, ProductStore } from '../ports/product-store.ts';
import type { OwnedProducts, UsageFigures } from '../ports/usage-figures.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import type { Seller } from './seller.ts';
import type { SoldLicense } from './sold-license.ts';
import { daysFrom, pointsOf, startOf, steps, type UsagePoint } from './usage-hours.ts';

/** The days that the overview counts, of which the last is today, and the days in which licenses expire soon. */
export const overviewDays = 30;
/** The most rows of each list. */
const mostListed = 5;

/** The first steps of a new seller. They can be done in any order. */
export interface FirstSteps {
  readonly hasProduct: boolean;
  readonly hasPublished: boolean;
}

/** How a seller's business goes. All lists are short: their pages have the rest. */
export interface SellerOverview {
  /** `undefined` once there is a license. */
  readonly steps: FirstSteps | undefined;
  readonly active: Count;
  /** Those of all days. */
  readonly issued: Count;
  /** Those of the last snapshot. */
  readonly activeDomains: number;
  /** Those of all days, up to the last snapshot. */
  readonly verifications: number;
  /** One for each day, oldest first. */
  readonly usage: readonly UsagePoint[];
  /** One for each day, oldest first. */
  readonly issuedOn: readonly IssuedOnDay[];
  /** Newest first. */
  readonly newest: readonly SoldLicense[];
  /** Active licenses that expire soon, the next one first. */
  readonly expiring: readonly SoldLicense[];
  /** Products that wait for approval. Newest first. */
  readonly waiting: readonly Product[];
  readonly rejected: readonly Product[];
}

/** Shows the products and licenses of the seller only, to administrators too. May be some seconds old. */
export type ShowOverview = (seller: Seller) => Promise<SellerOverview | Refused<'forbidden'>>;

interface SellerOverviewPorts {
  readonly figures: Pick<UsageFigures, 'ofOwner'>;
  readonly counts: LicenseCounts;
  readonly licenses: Pick<LicenseSearch, 'list'>;
  readonly products: Pick<ProductStore, 'search'>;
  readonly clock: Clock;
}

export function createSellerOverview({
  figures,
  counts,
  licenses,
  products,
  clock,
}: SellerOverviewPorts): ShowOverview {
  async function listed(owner: OwnedProducts, order: 'newest' | 'expires', now: Instant): Promise<SoldLicense[]> {
    const soon = order === 'expires' && ({ status: 'active', expiresBefore: now + overviewDays * steps.day } as const);
    const found = await licenses.list({ reach: owner, limit: mostListed, ...soon }, order, now);
    return found.licenses.map((one) => ({ ...one, status: statusOf(one.license, now) }));
  }

  const productsIn = async (owner: OwnedProducts, state: ProductState | undefined, limit = mostListed) =>
    (await products.search({ ...owner, state, limit, isOnlyPage: true })).items;

  async function stepsOf(owner: OwnedProducts): Promise<FirstSteps> {
    const [any, published] = await Promise.all([productsIn(owner, undefined, 1), productsIn(owner, 'published', 1)]);
    return { hasProduct: any.length > 0, hasPublished: published.length > 0 };
  }

  return async (seller) => {
    const ownerId = ownerOf(seller);
    if (isRefused(ownerId)) return ownerId;
    const owner = { ownerId, isLive: seller.mode === 'live' };
    const now = clock.now();
    const to = startOf('day', now) + steps.day;
    const range = { by: 'day', from: to - overviewDays * steps.day, to } as const;
    const days = daysFrom(range.from, overviewDays);
    const [used, active, issuedOn, newest, expiring, waiting, rejected] = await Promise.all([
      figures.ofOwner(owner, range),
      counts.active(owner, now),
      counts.issued(owner, days),
      listed(owner, 'newest', now),
      listed(owner, 'expires', now),
      productsIn(owner, 'pending'),
      productsIn(owner, 'rejected'),
    ]);
    const usage = pointsOf(used.rows, range, used.domainsBefore);
    return {
      steps: newest.length > 0 ? undefined : await stepsOf(owner),
      active,
      issued: {
        count: issuedOn.reduce((sum, { count }) => sum + count, 0),
        isAtLeast: issuedOn.some(({ isAtLeast }) => isAtLeast),
      },
      activeDomains: usage.at(-1)?.activeDomains ?? 0,
      verifications: usage.reduce((sum, { verifications }) => sum + verifications, 0),
      usage,
      issuedOn,
      newest,
      expiring,
      waiting,
      rejected,
    };
  };
}

/** Returns whose products and licenses the seller sees. The operator has none. */
function ownerOf({ actor }: Seller): UserId | Refused<'forbidden'> {
  if (actor.kind === 'operator') return refuse('forbidden', 'This needs an account.');
  return (
    needing(actor, 'products:manage', actor.user.id) ??
    needing(actor, 'licenses:manage', actor.user.id) ??
    actor.user.id
  );
}
