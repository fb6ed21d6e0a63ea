import type { Measured, Series } from './rounds.ts';
import { type Found, promised } from './sections.ts';
import { median, ratio } from './statistics.ts';
import { bare, bareAgain } from './verifications.ts';

/** A figure with a goal. */
export interface Goal {
  readonly what: string;
  readonly value: number;
  readonly must: number;
  readonly aim: number;
  /** Whether higher is better. */
  readonly isFloor: boolean;
}

/** Figures that are measured once, not in rounds. */
export interface Singles {
  /** Peak memory of four parallel uploads, as a multiple of the peak of one. */
  readonly uploads?: number;
  /** Seconds for the import of 100,000 licenses. */
  readonly import?: number;
  /** Seconds from the start of the built server to its first answer. */
  readonly start?: number;
  /** Time of the slowest list in a table of 1,000,000 rows, as a multiple of the time in one of 10,000. */
  readonly lists?: number;
  /** Time of the slowest search among 1,000,000 licenses, as a multiple of the time among 10,000. */
  readonly search?: number;
  /** Time of the slowest search in the storefront among 100,000 products, as a multiple of the time among 1,000. */
  readonly storefront?: number;
  /** Seconds for a snapshot of 1,000,000 domains, on the slower database. */
  readonly snapshot?: number;
  /** The rate of verifications while snapshots run, divided by the rate alone, on the worse database. */
  readonly besideSnapshot?: number;
  /** Deliveries of webhooks a second, on the slower database. */
  readonly deliveries?: number;
  /** The time of the slowest call while 100,000 deliveries wait, as a multiple of the time without. */
  readonly besideWaiting?: number;
  /** The processor time of all processes for an answer with two workers, as a multiple of that of one process, for the worse limits. */
  readonly twoWorkers?: number;
  /** Microseconds of the primary for an answer, with the number of workers with which it is largest. */
  readonly primary?: number;
  /** The rate of verifications with a webhook for them, divided by the rate without, on the worse database. */
  readonly subscribed?: number;
}

/**
 * Returns the measured figures that have goals. A figure that depends on a size counts only if that size was measured.
 */
export function singlesOf({
  uploads,
  imports,
  starts,
  lists,
  search,
  storefront,
  snapshot,
  webhooks,
  workers = [],
}: Found): Singles {
  const two = workers.filter((one) => one.workers === 2);
  const isWhole = {
    imports: imports?.licenses === promised.licenses,
    lists: lists?.sizes.few === promised.lists.few && lists.sizes.many === promised.lists.many,
    search: search?.sizes.few === promised.search.few && search.sizes.many === promised.search.many,
    storefront: storefront?.sizes.few === promised.storefront.few && storefront.sizes.many === promised.storefront.many,
    snapshot: snapshot?.domains === promised.domains,
    webhooks: webhooks?.sizes === promised.webhooks,
  };
  const snapshots = Object.values(snapshot?.found ?? {});
  return {
    ...(uploads && { uploads: uploads.ratio }),
    ...(imports && isWhole.imports && { import: Math.max(...Object.values(imports.seconds)) }),
    ...(starts && { start: starts.median }),
    ...(lists && isWhole.lists && { lists: Math.max(...lists.all.map((list) => list.ratio)) }),
    ...(search && isWhole.search && { search: Math.max(...search.all.map((list) => list.ratio)) }),
    ...(storefront && isWhole.storefront && { storefront: Math.max(...storefront.all.map((list) => list.ratio)) }),
    ...(two.length > 0 && {
      twoWorkers: Math.max(...two.map((one) => one.ratio)),
      primary: Math.max(...workers.map((one) => one.primary)),
    }),
    ...(isWhole.snapshot && {
      snapshot: Math.max(...snapshots.map(({ seconds }) => seconds)),
      besideSnapshot: Math.min(...snapshots.map(({ beside }) => beside)),
    }),
    ...(webhooks &&
      isWhole.webhooks && {
        deliveries: Math.min(...Object.values(webhooks.rates)),
        besideWaiting: Math.max(...webhooks.calls.map((call) => call.ratio)),
        subscribed: Math.min(...Object.values(webhooks.beside)),
      }),
  };
}

type Role = readonly [what: string, of: string, to: string, must: number, aim: number];

const rates: readonly Role[] = [
  ['SQLite, uniform, to the bare route', 'sqlite: uniform', bare, 0.55, 0.75],
  ['SQLite, active set, to the bare route', 'sqlite: active set', bare, 0.7, 0.9],
  ['SQLite, one license, to the bare route', 'sqlite: one license', bare, 0.85, 1],
  ['SQLite, with changes, to the bare route', 'sqlite: with changes', bare, 0.3, 0.3],
  ['SQLite, unknown keys, to uniform', 'sqlite: unknown keys', 'sqlite: uniform', 0.9, 0.9],
  ['SQLite, foreign domains, to uniform', 'sqlite: foreign domains', 'sqlite: uniform', 0.9, 0.9],
  ['SQLite, expired, to uniform', 'sqlite: expired', 'sqlite: uniform', 0.9, 0.9],
  ['SQLite, many licenses, to the usual number', 'sqlite: uniform, many licenses', 'sqlite: uniform', 0.8, 0.8],
  ['Postgres, uniform, to the bare route', 'postgres: uniform', bare, 0.5, 0.7],
  ['Postgres, active set, to the bare route', 'postgres: active set', bare, 0.55, 0.75],
  ['Postgres, one license, to the bare route', 'postgres: one license', bare, 0.75, 0.95],
  ['Postgres, with changes, to the bare route', 'postgres: with changes', bare, 0.3, 0.3],
  ['Postgres, unknown keys, to uniform', 'postgres: unknown keys', 'postgres: uniform', 0.9, 0.9],
  ['Postgres, foreign domains, to uniform', 'postgres: foreign domains', 'postgres: uniform', 0.9, 0.9],
  ['Postgres, expired, to uniform', 'postgres: expired', 'postgres: uniform', 0.9, 0.9],
  ['Postgres, many licenses, to the usual number', 'postgres: uniform, many licenses', 'postgres: uniform', 0.8, 0.8],
];

const p99s: readonly Role[] = [
  ['SQLite, uniform: p99 to that of the bare route', 'sqlite: uniform', bare, 3.5, 2.5],
  ['SQLite, active set: p99 to that of the bare route', 'sqlite: active set', bare, 2.5, 2],
  ['SQLite, one license: p99 to that of the bare route', 'sqlite: one license', bare, 2.5, 2],
  ['Postgres, uniform: p99 to that of the bare route', 'postgres: uniform', bare, 3.5, 2.5],
  ['Postgres, active set: p99 to that of the bare route', 'postgres: active set', bare, 2.5, 2],
  ['Postgres, one license: p99 to that of the bare route', 'postgres: one license', bare, 2.5, 2],
];

const times: readonly Role[] = [
  ['SQLite, one license: process µs to those of the bare route', 'sqlite: one license', bare, 1.6, 1.25],
  ['Postgres, one license: process µs to those of the bare route', 'postgres: one license', bare, 1.6, 1.25],
];

/** Returns the goals whose figures were measured. */
export function goalsOf(measured: ReadonlyMap<string, Measured>, singles: Singles): Goal[] {
  const compare = (roles: readonly Role[], column: keyof Series, isFloor: boolean): Goal[] =>
    roles.flatMap(([what, of, to, must, aim]) => {
      const one = measured.get(of)?.series[column];
      const other = measured.get(to)?.series[column];
      return one?.length && other?.length ? [{ what, value: ratio(one, other), must, aim, isFloor }] : [];
    });
  const atMost = (what: string, value: number | undefined, must: number, aim: number): Goal[] =>
    value === undefined ? [] : [{ what, value, must, aim, isFloor: false }];
  const atLeast = (what: string, value: number | undefined, must: number, aim: number): Goal[] =>
    value === undefined ? [] : [{ what, value, must, aim, isFloor: true }];
  return [
    ...compare(rates, 'rate', true),
    ...compare(p99s, 'p99', false),
    ...compare(times, 'whole', false),
    ...atMost('Peak memory, four uploads at once to one', singles.uploads, 1.3, 1.1),
    ...atMost('Seconds to import 100,000 licenses', singles.import, 20, 5),
    ...atMost('Seconds to start', singles.start, 1, 0.6),
    ...atMost('Time of a list, 1,000,000 rows to 10,000', singles.lists, 1.5, 1.2),
    ...atMost('Time of a search, 1,000,000 licenses to 10,000', singles.search, 1.3, 1.15),
    ...atMost('Time of a search in the storefront, 100,000 products to 1,000', singles.storefront, 1.3, 1.15),
    ...atMost('Seconds for a snapshot of 1,000,000 domains', singles.snapshot, 5, 2.5),
    ...atLeast('Verifications beside snapshots, to alone', singles.besideSnapshot, 0.8, 0.9),
    ...atLeast('Deliveries of webhooks a second', singles.deliveries, 500, 1_000),
    ...atMost('Time of a call while 100,000 deliveries wait, to without', singles.besideWaiting, 1.2, 1.1),
    ...atMost('Process µs of an answer with two workers, to one process', singles.twoWorkers, 1.25, 1.1),
    ...atMost('µs of the primary for an answer', singles.primary, 5, 3),
    ...atLeast('Verifications with a subscriber, to without', singles.subscribed, 0.95, 0.98),
  ];
}

export type Judgement = 'aim reached' | 'reached' | 'MISSED';

export function judge({ value, must, aim, isFloor }: Goal): Judgement {
  const reaches = (limit: number) => (isFloor ? value >= limit : value <= limit);
  return reaches(aim) ? 'aim reached' : reaches(must) ? 'reached' : 'MISSED';
}

/** The rate of the bare route, divided by the rate of its second copy. `undefined` if they were not measured. */
export function control(measured: ReadonlyMap<string, Measured>): number | undefined {
  const one = measured.get(bare)?.series.rate;
  const other = measured.get(bareAgain)?.series.rate;
  return one && other && median(other) > 0 ? ratio(other, one) : undefined;
}

/** If two copies of the same server differ by more than this, the measurements are worthless. */
export function isQuiet(control: number): boolean {
  return control >= 0.85 && control <= 1.15;
}

/** The largest share of a core that the load generator used in any round, or `undefined` if nothing was measured. */
export function busiest(measured: ReadonlyMap<string, Measured>): number | undefined {
  const all = [...measured.values()].flatMap(({ series }) => series.busy);
  return all.length === 0 ? undefined : Math.max(...all);
}

/** The share of all processors' time that others took while the most disturbed contestant ran, in the middle of its rounds. */
export function noisiest(measured: ReadonlyMap<string, Measured>): number | undefined {
  const all = [...measured.values()].filter(({ series }) => series.others.length > 0);
  return all.length === 0 ? undefined : Math.max(...all.map(({ series }) => median(series.others)));
}

/** Above this share of a core, the load generator may be slower than the server, and its own limit is measured. */
export const mostBusy = 0.7;
