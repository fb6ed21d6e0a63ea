import type { TemplateId, UserId } from '../id.ts';
import type { Instant } from './clock.ts';
import type { Release } from './deployment-checks.ts';

/** How many deployments were reported, and how many of them are confirmed. */
export interface Tally {
  readonly reported: number;
  readonly confirmed: number;
}

/** The deployments of one day. */
export interface DayTally extends Tally {
  /** The start of the day in UTC. */
  readonly day: Instant;
}

/** The deployments on one chain. */
export interface ChainTally extends Tally {
  /** `null`: the chains that were not counted apart, because too many were reported on one day. */
  readonly chainId: number | null;
  /** The first of the days with such a deployment, and the last one. */
  readonly firstDay: Instant;
  readonly lastDay: Instant;
}

/** A sum since the beginning of what is kept. `firstAt` stays, even if that report is no longer kept. */
export interface Sum extends Tally {
  readonly firstAt: Instant;
  readonly lastAt: Instant;
}

/** The deployments of one template. `null`: those that name no template of this server. */
export interface TemplateSum extends Sum {
  readonly templateId: TemplateId | null;
  readonly title: string | null;
}

/** The deployments whose code is from one release. All are confirmed. */
export interface ReleaseSum extends Sum {
  readonly release: Release;
  readonly title: string;
}

/** The deployments of one account. */
export interface AccountSum extends Sum {
  readonly userId: UserId;
}

/** The deployments of one group. Only what it was grouped by is not `null`. */
export interface DeploymentGroup extends Tally {
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

/** Writes groups as a file for spreadsheets. A text never becomes a formula. */
export type WriteGroups = (pages: AsyncIterable<readonly DeploymentGroup[]>) => AsyncIterable<string>;

/** Which deployments to sum, in one mode: those of some templates, or all. */
export interface FiguresFilter {
  readonly isLive: boolean;
  readonly templateIds?: readonly TemplateId[] | undefined;
}

/** Which days to sum: from the first time to before the second one. Both are the start of a day in UTC. */
export interface DaysFilter extends FiguresFilter {
  readonly from: Instant;
  readonly until: Instant;
}

/** Which sums to read, the largest first. */
export interface SumsFilter extends FiguresFilter {
  readonly limit: number;
}

/** Sums of reported deployments. They lag behind by a minute or so, and may be some seconds older. */
export interface DeploymentFigures {
  /** Brings the sums up to date with a limited number of deployments. Returns how many it has counted. */
  count(): Promise<number>;
  /** The days with deployments, oldest first. */
  byDay(filter: DaysFilter): Promise<DayTally[]>;
  /** Most reports first. */
  byChain(filter: DaysFilter): Promise<ChainTally[]>;
  byTemplate(filter: SumsFilter): Promise<TemplateSum[]>;
  /** With `ownerId`, only releases of products of this owner. */
  byRelease(filter: SumsFilter & { readonly ownerId?: UserId | undefined }): Promise<ReleaseSum[]>;
  /** Of one template, or of all deployments. */
  byAccount(
    filter: Omit<SumsFilter, 'templateIds'> & { readonly templateId?: TemplateId | undefined },
  ): Promise<AccountSum[]>;
  /**
   * The templates that products of an owner are sold with, those of the newest products first, at most `limit`. For the
   * deployments of test keys, also those of live products: buyers of these try them out.
   */
  templatesOf(owner: { readonly ownerId: UserId; readonly isLive: boolean }, limit: number): Promise<TemplateId[]>;
}
