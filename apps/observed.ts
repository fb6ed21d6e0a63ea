import type { Tracing } from '../adapters/opentelemetry/tracing.ts';
import type { Instruments } from '../adapters/prometheus/instruments.ts';
import type { ObserveBatch } from '../adapters/sql/batch.ts';
import type { Database } from '../adapters/sql/database.ts';
import type { PurchaseCheck } from '../core/ports/purchase-check.ts';
import type { StoredFiles } from './file-serving.ts';

/** The same database, which tells what fails. */
export function observedDatabase<T extends Database>(database: T, { databaseFailed }: Instruments): T {
  return {
    ...database,
    read: (work) => telling(database.read(work), () => databaseFailed('read')),
    write: (work) => telling(database.write(work), () => databaseFailed('write')),
  };
}

/** The same files, which tell what fails. */
export function observedFiles(files: StoredFiles, { storageFailed }: Instruments): StoredFiles {
  const list = () => storageFailed('list');
  return {
    staging: files.staging,
    sweepStaging: (olderThan) => telling(files.sweepStaging(olderThan), list),
    put: (key, path) => telling(files.put(key, path), () => storageFailed('put')),
    delete: (key) => telling(files.delete(key), () => storageFailed('delete')),
    has: (key) => telling(files.has(key), () => storageFailed('has')),
    read: (key) => tellingEach(files.read(key), () => storageFailed('read')),
    link: (key, filename, until) => telling(files.link(key, filename, until), () => storageFailed('link')),
    storedBefore: (prefix, time) => tellingEach(files.storedBefore(prefix, time), list),
  };
}

/** The same check, which tells each outcome. */
export function observedPurchases(check: PurchaseCheck, { purchaseChecked }: Instruments): PurchaseCheck {
  return {
    async has(user, template) {
      const has = await telling(check.has(user, template), () => purchaseChecked('error'));
      purchaseChecked(has ? 'purchased' : 'not_purchased');
      return has;
    },
  };
}

/** Tells of each batch of verifications. */
export function observeBatches(instruments: Instruments, tracing: Tracing): ObserveBatch {
  return (batch) => {
    instruments.verifyBatch(batch);
    tracing.verifyBatch(batch);
  };
}

async function telling<T>(work: Promise<T>, failed: () => void): Promise<T> {
  try {
    return await work;
  } catch (error) {
    failed();
    throw error;
  }
}

async function* tellingEach<T>(pieces: AsyncIterable<T>, failed: () => void): AsyncIterable<T> {
  try {
    yield* pieces;
  } catch (error) {
    failed();
    throw error;
  }
}
