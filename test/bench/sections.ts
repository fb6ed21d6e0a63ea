import type { TemporaryFolder } from '../support/temporary-folder.ts';
import { type Cost, measureCosts } from './cost.ts';
import type { Databases } from './databases.ts';
import type { Generator } from './generators.ts';
import { type Imports, measureImports } from './imports.ts';
import { type Lists, measureLists } from './lists.ts';
import { measureSearches, type Searches } from './search.ts';
import { measureSnapshots, type Snapshots } from './snapshots.ts';
import { measureStarts, type Starts } from './starts.ts';
import { measureStorefront, type StorefrontSearches } from './storefront.ts';
import { measureUploads, type Uploads } from './uploads.ts';
import { measureVerifications, type Options, type Verifications } from './verifications.ts';
import { measureWebhooks, type WebhookSizes, type Webhooks } from './webhooks.ts';
import { measureWorkers, type Scale } from './workers.ts';

/** The results by section. */
export interface Found {
  readonly verifications?: Verifications;
  readonly uploads?: Uploads;
  readonly imports?: Imports;
  readonly starts?: Starts;
  readonly lists?: Lists;
  readonly search?: Searches;
  readonly storefront?: StorefrontSearches;
  readonly snapshot?: Snapshots;
  readonly webhooks?: Webhooks;
  readonly cost?: readonly Cost[];
  readonly workers?: readonly Scale[];
}

export type SectionName = keyof Found;

/** The sizes of the sections that are measured once. */
export interface Sizes {
  /** The number of servers with one upload, and of servers with four. */
  readonly pairs: number;
  /** The number of licenses in an import. */
  readonly licenses: number;
  readonly starts: number;
  readonly lists: Lists['sizes'];
  /** The numbers of licenses that are searched. */
  readonly search: Searches['sizes'];
  /** The numbers of products in the storefront. */
  readonly storefront: StorefrontSearches['sizes'];
  /** The number of domains of which snapshots are taken. */
  readonly domains: number;
  readonly webhooks: WebhookSizes;
}

/** The sizes for which the goals are set. */
export const promised: Sizes = {
  pairs: 3,
  licenses: 100_000,
  starts: 7,
  lists: { few: 10_000, many: 1_000_000 },
  search: { few: 10_000, many: 1_000_000 },
  storefront: { few: 1_000, many: 100_000 },
  domains: 1_000_000,
  webhooks: { deliveries: 20_000, waiting: 100_000, activations: 100_000, load: 60, rounds: 2 },
};
export const quick: Sizes = {
  pairs: 1,
  licenses: 5_000,
  starts: 3,
  lists: { few: 1_000, many: 20_000 },
  search: { few: 10_000, many: 50_000 },
  storefront: { few: 1_000, many: 10_000 },
  domains: 20_000,
  webhooks: { deliveries: 2_000, waiting: 5_000, activations: 5_000, load: 5, rounds: 1 },
};

/** The input of a section. */
export interface Ground {
  readonly folder: TemporaryFolder;
  readonly databases: Databases;
  readonly generator: Generator;
  readonly options: Options;
  readonly sizes: Sizes;
  tell(line: string): void;
}

/** All sections, in the order in which they run. */
export const sections = {
  verifications: async ({ folder, databases, generator, options, tell }) => ({
    verifications: await measureVerifications(folder, databases, generator, options, tell),
  }),
  uploads: async ({ folder, databases, sizes, tell }) => ({
    uploads: await measureUploads(folder, databases, sizes.pairs, tell),
  }),
  imports: async ({ folder, databases, options: { seed }, sizes: { licenses }, tell }) => ({
    imports: await measureImports(folder, databases, { licenses, seed }, tell),
  }),
  starts: async ({ folder, databases, sizes, tell }) => ({
    starts: await measureStarts(folder, databases, sizes.starts, tell),
  }),
  lists: async ({ folder, databases, sizes, tell }) => ({
    lists: await measureLists(folder, databases, sizes.lists, tell),
  }),
  search: async ({ databases, sizes: { search }, tell }) => ({
    search: await measureSearches(databases, search, tell),
  }),
  storefront: async ({ databases, options: { seed }, sizes: { storefront }, tell }) => ({
    storefront: await measureStorefront(databases, storefront, seed, tell),
  }),
  snapshot: async ({ folder, databases, generator, options: { seed }, sizes: { domains }, tell }) => ({
    snapshot: await measureSnapshots(folder, databases, generator, { domains, seed }, tell),
  }),
  webhooks: async ({ folder, databases, generator, options: { seed }, sizes: { webhooks }, tell }) => ({
    webhooks: await measureWebhooks(folder, databases, generator, webhooks, seed, tell),
  }),
  cost: async ({ folder, databases, generator, options, tell }) => ({
    cost: await measureCosts(folder, databases, generator, options, tell),
  }),
  workers: async ({ folder, databases, generator, options, tell }) => ({
    workers: await measureWorkers(folder, databases, generator, options, tell),
  }),
} as const satisfies Record<SectionName, (ground: Ground) => Promise<Found>>;

export const sectionNames = Object.keys(sections) as SectionName[];
