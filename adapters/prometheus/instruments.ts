import type { Registry } from 'prom-client';
import Counter from 'prom-client/lib/counter.js';
import Gauge from 'prom-client/lib/gauge.js';
import Histogram from 'prom-client/lib/histogram.js';
import { type ChainInstruments, createChainInstruments } from './chain.ts';
import { watched } from './watched.ts';
import { createWebhookInstruments, type WebhookInstruments } from './webhooks.ts';
import { createWorkInstruments, type WorkInstruments } from './work.ts';

/** The used and free connections of a pool, and the number of callers that wait for one (`pending`). */
export interface PoolState {
  readonly used: number;
  readonly free: number;
  readonly pending: number;
}

/** The metrics of the parts behind the HTTP server. The `watch…` functions set callbacks that run at each scrape. */
export interface Instruments extends WorkInstruments, WebhookInstruments, ChainInstruments {
  /** Records a finished batch of verifications. `waited` and `took` are in milliseconds. */
  verifyBatch(batch: {
    readonly size: number;
    readonly waited: number;
    readonly took: number;
    readonly error?: unknown;
  }): void;
  watchVerifyQueue(waiting: () => number): void;
  /** `age` returns how long the current batch of verifications has been running, in milliseconds. */
  watchVerifyBatch(age: () => number): void;
  rateLimited(surface: string, allowed: boolean, countedIn: 'memory' | 'redis'): void;
  watchRateLimiter(isShared: () => boolean): void;
  databaseFailed(operation: DatabaseOperation): void;
  watchPool(state: () => PoolState): void;
  /** `oldest` returns the age of the oldest open snapshot in seconds. It is called every 15 seconds at most. */
  watchSnapshots(oldest: () => Promise<number>): void;
  /** Only called if a replica is configured. `lag` is in milliseconds. */
  watchReplica(state: () => { readonly isUsed: boolean; readonly lag: number }): void;
  replicaRead(answeredBy: 'replica' | 'primary'): void;
  storageFailed(operation: StorageOperation): void;
  purchaseChecked(outcome: PurchaseOutcome): void;
}

const databaseOperations = ['read', 'write', 'verify'] as const;
const storageOperations = ['put', 'delete', 'has', 'read', 'link', 'list'] as const;
const purchaseOutcomes = ['purchased', 'not_purchased', 'error'] as const;
type DatabaseOperation = (typeof databaseOperations)[number];
type StorageOperation = (typeof storageOperations)[number];
type PurchaseOutcome = (typeof purchaseOutcomes)[number];

const seconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createInstruments(registry: Registry): Instruments {
  const registers = [registry];
  const batchSizes = new Histogram({
    name: 'latchkey_verify_batch_size',
    help: 'Number of verifications in one batch, which is one transaction.',
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000],
    registers,
  });
  const batchDurations = new Histogram({
    name: 'latchkey_verify_batch_duration_seconds',
    help: 'Duration of the transaction of a batch of verifications.',
    buckets: seconds,
    registers,
  });
  const waits = new Histogram({
    name: 'latchkey_verify_wait_seconds',
    help: 'Longest time that a verification of the batch waited until the batch started.',
    buckets: seconds,
    registers,
  });
  const rateLimits = new Counter({
    name: 'latchkey_rate_limit_calls_total',
    help: 'Calls by surface, by outcome, and by where they were counted (redis or memory).',
    labelNames: ['surface', 'outcome', 'counted_in'] as const,
    registers,
  });
  const databaseErrors = new Counter({
    name: 'latchkey_database_errors_total',
    help: 'Reads, transactions and batches of verifications that failed; retried attempts are not counted.',
    labelNames: ['operation'] as const,
    registers,
  });
  const storageErrors = new Counter({
    name: 'latchkey_storage_errors_total',
    help: 'Operations on stored files that failed.',
    labelNames: ['operation'] as const,
    registers,
  });
  const purchaseChecks = new Counter({
    name: 'latchkey_purchase_checks_total',
    help: 'Purchase checks by outcome; error: the check was not possible.',
    labelNames: ['outcome'] as const,
    registers,
  });
  // Prometheus can compute the rate of a first failure only if the counter was 0 before.
  for (const operation of databaseOperations) databaseErrors.inc({ operation }, 0);
  for (const operation of storageOperations) storageErrors.inc({ operation }, 0);
  for (const outcome of purchaseOutcomes) purchaseChecks.inc({ outcome }, 0);

  const replicaReads = new Counter({
    name: 'latchkey_replica_reads_total',
    help: 'Reads that may use the replica, by the server that answered them.',
    labelNames: ['answered_by'] as const,
    registers,
  });

  let waiting = () => 0;
  let age = () => 0;
  let isShared = () => true;
  let pool: (() => PoolState) | undefined;
  new Gauge({
    name: 'latchkey_verify_queue_depth',
    help: 'Number of verifications that wait for the next batch.',
    registers,
    collect() {
      this.set(waiting());
    },
  });
  new Gauge({
    name: 'latchkey_verify_batch_age_seconds',
    help: 'Running time of the current batch of verifications, or 0. It grows while the database does not respond.',
    aggregator: 'max',
    registers,
    collect() {
      this.set(age() / 1000);
    },
  });
  new Gauge({
    name: 'latchkey_rate_limiter_shared',
    help: 'Whether all processes share their counts. 0 while Redis is unavailable; in workers without Redis, 0 while their primary does not respond and for a minute after that.',
    aggregator: 'min',
    registers,
    collect() {
      this.set(isShared() ? 1 : 0);
    },
  });
  new Gauge({
    name: 'latchkey_database_pool_connections',
    help: 'Used and free connections to Postgres, and callers that wait for one (pending).',
    labelNames: ['state'] as const,
    registers,
    collect() {
      for (const [state, count] of Object.entries(pool?.() ?? {})) this.set({ state }, count);
    },
  });

  const snapshots = watched();
  new Gauge({
    name: 'latchkey_database_oldest_snapshot_seconds',
    help: 'Age of the oldest Postgres transaction that keeps old row versions; it slows down verifications of busy licenses.',
    aggregator: 'max',
    labelNames: [] as const,
    registers,
    async collect() {
      const seconds = await snapshots.latest();
      if (seconds === undefined) this.remove();
      else this.set(seconds);
    },
  });

  return {
    ...createWorkInstruments(registry),
    ...createWebhookInstruments(registry),
    ...createChainInstruments(registry),
    verifyBatch({ size, waited, took, error }) {
      batchSizes.observe(size);
      waits.observe(waited / 1000);
      batchDurations.observe(took / 1000);
      if (error !== undefined) databaseErrors.inc({ operation: 'verify' });
    },
    watchVerifyQueue: (read) => {
      waiting = read;
    },
    watchVerifyBatch: (read) => {
      age = read;
    },
    rateLimited: (surface, allowed, countedIn) =>
      rateLimits.inc({ surface, outcome: allowed ? 'allowed' : 'refused', counted_in: countedIn }),
    watchRateLimiter: (read) => {
      isShared = read;
    },
    databaseFailed: (operation) => databaseErrors.inc({ operation }),
    watchPool: (read) => {
      pool = read;
    },
    watchSnapshots: snapshots.watch,
    watchReplica: (read) => {
      new Gauge({
        name: 'latchkey_replica_used',
        help: 'Whether lists and status are read from the replica; 0 while it is unavailable or too far behind.',
        aggregator: 'min',
        registers,
        collect() {
          this.set(read().isUsed ? 1 : 0);
        },
      });
      new Gauge({
        name: 'latchkey_replica_lag_seconds',
        help: 'Lag of the replica at the last check.',
        aggregator: 'max',
        registers,
        collect() {
          this.set(read().lag / 1000);
        },
      });
    },
    replicaRead: (answeredBy) => replicaReads.inc({ answered_by: answeredBy }),
    storageFailed: (operation) => storageErrors.inc({ operation }),
    purchaseChecked: (outcome) => purchaseChecks.inc({ outcome }),
  };
}
