import {
  allDeployments,
  type DeploymentPage,
  type ListPart,
  type ListWish,
  listDeployments,
  type Whose,
} from '../deployments/deployment-list.ts';
import type { TemplateId, UserId } from '../id.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { DeploymentChecks, WriteDeployments } from '../ports/deployment-checks.ts';
import type { DeploymentFigures, DeploymentGroup, SumsFilter, WriteGroups } from '../ports/deployment-figures.ts';
import type { ProductStore } from '../ports/product-store.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { findProductOf, narrowedTo, type Reachable, type Seller } from './seller.ts';
import { rangeOf } from './usage-hours.ts';

/** By what deployments can be summed. Days and chains are summed in a range of days, the others since the beginning. */
export const groupings = ['day', 'chain', 'template', 'release', 'account'] as const;
export type Grouping = (typeof groupings)[number];

/** Which figures somebody wants. Without `from` and `to`: the last 30 days. */
export interface FiguresWish {
  readonly by: Grouping;
  /** Id or slug: only deployments of its template. */
  readonly product?: string | undefined;
  /** Only of the products of this seller. Sellers see their own only. */
  readonly sellerId?: UserId | undefined;
  readonly from?: Instant | undefined;
  readonly to?: Instant | undefined;
}

/** How many templates of one seller are summed, and the most groups of an answer, except days and chains. */
export const figureLimits = { templates: 100, groups: 100 } as const;

/** Which deployments of their templates sellers want to see, and administrators of all. */
export interface SoldWish extends ListWish {
  readonly templateId?: TemplateId | undefined;
  /** Only those that this account has reported. */
  readonly userId?: UserId | undefined;
  /** See `FiguresWish`. */
  readonly sellerId?: UserId | undefined;
}

/** Why there are no figures. */
export type FiguresRefused = 'forbidden' | 'product_not_found' | 'product_needed' | 'range_empty' | 'range_too_long';

/** The figures by everything. `account` is `undefined` if a product must be named for it: see `figures`. */
export interface AllFigures extends Readonly<Record<Exclude<Grouping, 'account'>, readonly DeploymentGroup[]>> {
  readonly account: readonly DeploymentGroup[] | undefined;
}

/** Deployments: sellers see those of the templates of their products, administrators all. Needs `products:manage`. */
export interface SoldDeployments {
  /**
   * Days in their order, other groups by their number of deployments, the largest first. `product_needed`: accounts are summed
   * for one template only, and the seller has several. Lags behind by a minute or so.
   */
  figures(wish: FiguresWish, seller: Seller): Promise<readonly DeploymentGroup[] | Refused<FiguresRefused>>;
  /** The same by everything at once. */
  allFigures(wish: Omit<FiguresWish, 'by'>, seller: Seller): Promise<AllFigures | Refused<FiguresRefused>>;
  /** The same as a file. */
  exportFigures(wish: FiguresWish, seller: Seller): Promise<AsyncIterable<string> | Refused<FiguresRefused>>;
  /** The last reported first. May be some seconds old. A page can be short or empty and have a `next`. */
  list(wish: SoldWish & ListPart, seller: Seller): Promise<DeploymentPage | Refused<'forbidden' | 'unknown_place'>>;
  /** A file of the same list. Reads some at a time, as fast as the file is read. */
  export(wish: SoldWish, seller: Seller): AsyncIterable<string>;
}

interface Ports {
  readonly figures: DeploymentFigures;
  readonly checks: Pick<DeploymentChecks, 'list'>;
  readonly products: Pick<ProductStore, 'findById' | 'findBySlug'>;
  readonly writeGroups: WriteGroups;
  readonly writeSheet: WriteDeployments;
  readonly clock: Clock;
}

const nothing = { day: null, chainId: null, templateId: null, version: null, title: null, userId: null };

export function createSoldDeployments(ports: Ports): SoldDeployments {
  const { figures, checks, products, writeGroups, writeSheet, clock } = ports;

  /** Whose products count. */
  const reach = (sellerId: UserId | undefined, seller: Seller) => {
    const reached = narrowedTo(sellerId, seller, 'products:manage');
    return reached ?? refuse('forbidden', 'These are products of another seller.');
  };

  /** Returns the templates, or `undefined` for all. */
  async function templatesOf({ ownerId, isLive }: Reachable): Promise<readonly TemplateId[] | undefined> {
    return ownerId === undefined ? undefined : await figures.templatesOf({ ownerId, isLive }, figureLimits.templates);
  }

  async function templateOf(
    idOrSlug: string,
    seller: Seller,
    { ownerId }: Reachable,
  ): Promise<readonly TemplateId[] | Refused<'product_not_found'>> {
    const product = await findProductOf(products, idOrSlug, seller, 'products:manage');
    if (isRefused(product)) return product;
    if (ownerId !== undefined && product.ownerId !== ownerId) return refuse('product_not_found');
    return product.templateId === null ? [] : [product.templateId];
  }

  async function accounts({ templateIds, ...filter }: SumsFilter) {
    const [templateId, ...more] = templateIds ?? [];
    if (more.length > 0) return refuse('product_needed', 'Name a product: accounts are summed for one template.');
    if (templateIds !== undefined && templateId === undefined) return [];
    return (await figures.byAccount({ ...filter, templateId })).map((one) => ({ ...nothing, ...one }));
  }

  /** Looks up what is wanted, once. Returns a function that sums it by anything. */
  async function sumsOf({ product, sellerId, from, to }: Omit<FiguresWish, 'by'>, seller: Seller) {
    const reached = reach(sellerId, seller);
    if (isRefused(reached)) return reached;
    const templateIds = product === undefined ? await templatesOf(reached) : await templateOf(product, seller, reached);
    if (isRefused(templateIds)) return templateIds;
    const range = rangeOf({ by: 'day', from, to }, clock.now());
    if (isRefused(range)) return range;
    const own = { isLive: reached.isLive, templateIds };
    const days = { ...own, from: range.from, until: range.to };
    const sums = { ...own, limit: figureLimits.groups };
    return {
      day: async () =>
        (await figures.byDay(days)).map((one) => ({ ...nothing, ...one, firstAt: one.day, lastAt: one.day })),
      chain: async () =>
        (await figures.byChain(days)).map(({ firstDay, lastDay, ...one }) => ({
          ...{ ...nothing, ...one, firstAt: firstDay, lastAt: lastDay },
        })),
      template: async () => (await figures.byTemplate(sums)).map((one) => ({ ...nothing, ...one })),
      release: async () => {
        const found = await figures.byRelease({ ...sums, ownerId: reached.ownerId });
        return found.map(({ release: { version }, ...one }) => ({ ...nothing, ...one, version }));
      },
      account: () => accounts(sums),
    };
  }

  const read: SoldDeployments['figures'] = async ({ by, ...wish }, seller) => {
    const sums = await sumsOf(wish, seller);
    return isRefused(sums) ? sums : await sums[by]();
  };

  async function whoseIs(
    { templateId, userId, sellerId }: SoldWish,
    seller: Seller,
  ): Promise<Whose | Refused<'forbidden'>> {
    const reached = reach(sellerId, seller);
    if (isRefused(reached)) return reached;
    const all = await templatesOf(reached);
    const whose = { userId, isLive: reached.isLive };
    if (templateId === undefined) return { ...whose, templateIds: all };
    return { ...whose, templateIds: all === undefined || all.includes(templateId) ? [templateId] : [] };
  }

  return {
    figures: read,

    async allFigures(wish, seller) {
      const sums = await sumsOf(wish, seller);
      if (isRefused(sums)) return sums;
      const [day, chain, template, release, account] = await Promise.all([
        ...([sums.day(), sums.chain(), sums.template(), sums.release()] as const),
        sums.account(),
      ]);
      return { day, chain, template, release, account: isRefused(account) ? undefined : account };
    },

    async exportFigures(wish, seller) {
      const groups = await read(wish, seller);
      return isRefused(groups) ? groups : writeGroups(onePage(groups));
    },

    async list(wish, seller) {
      const whose = await whoseIs(wish, seller);
      return isRefused(whose) ? whose : await listDeployments(checks, whose, wish);
    },

    async *export(wish, seller) {
      const whose = await whoseIs(wish, seller);
      if (!isRefused(whose)) yield* writeSheet(allDeployments(checks, whose, wish));
    },
  };
}

async function* onePage<Row>(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  yield rows;
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
