import type { TemplateId, UserId } from '../id.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { DeploymentFigures, SumsFilter, Tally } from '../ports/deployment-figures.ts';
import type { ProductStore } from '../ports/product-store.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { findProductOf, reachableBy, type Seller } from './seller.ts';
import { rangeOf } from './usage-hours.ts';

/** By what deployments can be summed. Days and chains are summed in a range of days, the others since the beginning. */
export const groupings = ['day', 'chain', 'template', 'release', 'account'] as const;
export type Grouping = (typeof groupings)[number];

/** The deployments of one group. Only what the grouping names is not `null`. */
export interface Group extends Tally {
  readonly day: Instant | null;
  /** `null` also stands for all chains that were not counted apart. */
  readonly chainId: number | null;
  readonly templateId: TemplateId | null;
  readonly version: string | null;
  /** The title of the template, or of the product of a release. */
  readonly title: string | null;
  readonly userId: UserId | null;
  /** When the first of them was reported, and the last. Of a chain, the starts of these days. */
  readonly firstAt: Instant;
  readonly lastAt: Instant;
}

/** Which figures somebody wants. Without `from` and `to`: the last 30 days. */
export interface FiguresWish {
  readonly by: Grouping;
  /** Id or slug: only deployments of its template. */
  readonly product?: string | undefined;
  readonly from?: Instant | undefined;
  readonly to?: Instant | undefined;
}

/** How many templates of one seller are summed, and the most groups of an answer, except days and chains. */
export const figureLimits = { templates: 100, groups: 100 } as const;

/** The figures of deployments: sellers see those of the templates of their products, administrators all. */
export interface SoldDeployments {
  /**
   * Days in their order, other groups by their number of deployments, the largest first. `product_needed`: accounts are summed
   * for one template only, and the seller has several. Lags behind by a minute or so.
   */
  figures(
    wish: FiguresWish,
    seller: Seller,
  ): Promise<
    readonly Group[] | Refused<'forbidden' | 'product_not_found' | 'product_needed' | 'range_empty' | 'range_too_long'>
  >;
}

interface Ports {
  readonly figures: DeploymentFigures;
  readonly products: Pick<ProductStore, 'findById' | 'findBySlug'>;
  readonly clock: Clock;
}

const nothing = { day: null, chainId: null, templateId: null, version: null, title: null, userId: null };

export function createSoldDeployments({ figures, products, clock }: Ports): SoldDeployments {
  /** Returns the templates, or `undefined` for all. */
  async function templatesOf(
    idOrSlug: string | undefined,
    seller: Seller,
  ): Promise<readonly TemplateId[] | undefined | Refused<'forbidden' | 'product_not_found'>> {
    if (idOrSlug !== undefined) {
      const product = await findProductOf(products, idOrSlug, seller, 'products:manage');
      if (isRefused(product)) return product;
      return product.templateId === null ? [] : [product.templateId];
    }
    const reach = reachableBy(seller, 'products:manage');
    if (reach === undefined) return refuse('forbidden', 'This needs the right products:manage.');
    const { ownerId, isLive } = reach;
    return ownerId === undefined ? undefined : await figures.templatesOf({ ownerId, isLive }, figureLimits.templates);
  }

  async function accounts({ templateIds, ...filter }: SumsFilter) {
    const [templateId, ...more] = templateIds ?? [];
    if (more.length > 0) return refuse('product_needed', 'Name a product: accounts are summed for one template.');
    if (templateIds !== undefined && templateId === undefined) return [];
    return (await figures.byAccount({ ...filter, templateId })).map((one) => ({ ...nothing, ...one }));
  }

  return {
    async figures({ by, product, from, to }, seller) {
      const templateIds = await templatesOf(product, seller);
      if (isRefused(templateIds)) return templateIds;
      const range = rangeOf({ by: 'day', from, to }, clock.now());
      if (isRefused(range)) return range;
      const own = { isLive: seller.mode === 'live', templateIds };
      const days = { ...own, from: range.from, until: range.to };
      const sums = { ...own, limit: figureLimits.groups };
      switch (by) {
        case 'day':
          return (await figures.byDay(days)).map((one) => ({ ...nothing, ...one, firstAt: one.day, lastAt: one.day }));
        case 'chain':
          return (await figures.byChain(days)).map(({ firstDay, lastDay, ...one }) => ({
            ...{ ...nothing, ...one, firstAt: firstDay, lastAt: lastDay },
          }));
        case 'template':
          return (await figures.byTemplate(sums)).map((one) => ({ ...nothing, ...one }));
        case 'release': {
          const ownerId = reachableBy(seller, 'products:manage')?.ownerId;
          const found = await figures.byRelease({ ...sums, ownerId });
          return found.map(({ release: { version }, ...one }) => ({ ...nothing, ...one, version }));
        }
        case 'account':
          return await accounts(sums);
      }
    },
  };
}

/** Brings the sums up to date, in short steps, while `goesOn`. Returns how many deployments were counted. */
export async function countDeployments(
  figures: Pick<DeploymentFigures, 'count'>,
  goesOn: () => boolean,
): Promise<number> {
  for (let sum = 0; ; ) {
    const counted = goesOn() ? await figures.count() : 0;
    if (counted === 0) return sum;
    sum += counted;
  }
}
