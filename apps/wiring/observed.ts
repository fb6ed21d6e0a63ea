import type { Tracing } from '../../adapters/opentelemetry/tracing.ts';
import type { Instruments } from '../../adapters/prometheus/instruments.ts';
import type { ObserveBatch } from '../../adapters/sql/batch.ts';
import type { Database } from '../../adapters/sql/database.ts';
import type { Verifier } from '../../adapters/sql/verifier.ts';
import type { PurchaseCheck } from '../../core/ports/purchase-check.ts';
import type { StoredFiles } from './file-serving.ts';

/** The same database, which tells what fails. */
export function observedDatabase<T extends Database>(database: T, { databaseFailed }: Instruments): T {
  return {
    ...database,
    read: (work) => telling(database.read(work), () => databaseFailed('read')),
    write: (work) => telling(database.write(work), () => databaseFailed('write')),
    check: () => telling(database.check(), () => databaseFailed('read')),
  };
}

/** The same files, which tell what fails. */
export function observedFiles(files: StoredFiles, { storageFailed }: Instruments): StoredFiles {
  const list = () => storageFailed('list');
  return {
    staging: files.staging,
    sweepStaging: (olderThan, stopping) => telling(files.sweepStaging(olderThan, stopping), list),
    put: (key, path) => telling(files.put(key, path), () => storageFailed('put')),
    delete: (key, stopping) => telling(files.delete(key, stopping), () => storageFailed('delete')),
    has: (key, stopping) => telling(files.has(key, stopping), () => storageFailed('has')),
    read: (key) => tellingEach(files.read(key), () => storageFailed('read')),
    link: (key, filename, until) => telling(files.link(key, filename, until), () => storageFailed('link')),
    storedBefore: (prefix, time, stopping) => tellingEach(files.storedBefore(prefix, time, stopping), list),
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

/** Opens a verifier that tells each of its batches, and how many verifications wait. */
export async function observedVerifier(
  open: (observe: ObserveBatch) => Verifier | Promise<Verifier>,
  instruments: Instruments,
  tracing: Tracing,
): Promise<Verifier> {
  const verifier = await open((batch) => {
    instruments.verifyBatch(batch);
    tracing.verifyBatch(batch);
  });
  instruments.watchVerifyQueue(verifier.waiting);
  instruments.watchVerifyBatch(verifier.batchAge);
  return verifier;
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
