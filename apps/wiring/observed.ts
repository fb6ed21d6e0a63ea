import type { Tracing } from '../../adapters/opentelemetry/tracing.ts';
import type { Instruments } from '../../adapters/prometheus/instruments.ts';
import type { ObserveBatch } from '../../adapters/sql/batch.ts';
import type { Database } from '../../adapters/sql/database.ts';
import type { Verifier } from '../../adapters/sql/verifier.ts';
import type { PurchaseCheck } from '../../core/ports/purchase-check.ts';
import type { StoredFiles } from './file-serving.ts';

/** Wraps a database, and counts its failures. */
export function observedDatabase<T extends Database>(database: T, { databaseFailed }: Instruments): T {
  return {
    ...database,
    read: (work) => reporting(database.read(work), () => databaseFailed('read')),
    write: (work) => reporting(database.write(work), () => databaseFailed('write')),
    check: () => reporting(database.check(), () => databaseFailed('read')),
  };
}

/** Wraps file storage, and counts its failures. */
export function observedFiles(files: StoredFiles, { storageFailed }: Instruments): StoredFiles {
  const list = () => storageFailed('list');
  return {
    staging: files.staging,
    sweepStaging: (olderThan, stopping) => reporting(files.sweepStaging(olderThan, stopping), list),
    put: (key, path) => reporting(files.put(key, path), () => storageFailed('put')),
    delete: (key, stopping) => reporting(files.delete(key, stopping), () => storageFailed('delete')),
    has: (key, stopping) => reporting(files.has(key, stopping), () => storageFailed('has')),
    read: (key) => reportingEach(files.read(key), () => storageFailed('read')),
    link: (key, filename, until) => reporting(files.link(key, filename, until), () => storageFailed('link')),
    storedBefore: (prefix, time, stopping) => reportingEach(files.storedBefore(prefix, time, stopping), list),
  };
}

/** Wraps a purchase check, and counts its outcomes. */
export function observedPurchases(check: PurchaseCheck, { purchaseChecked }: Instruments): PurchaseCheck {
  return {
    async has(user, template) {
      const has = await reporting(check.has(user, template), () => purchaseChecked('error'));
      purchaseChecked(has ? 'purchased' : 'not_purchased');
      return has;
    },
  };
}

/** Opens a verifier that reports each batch, and how many verifications wait. */
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

async function reporting<T>(work: Promise<T>, failed: () => void): Promise<T> {
  try {
    return await work;
  } catch (error) {
    failed();
    throw error;
  }
}

async function* reportingEach<T>(pieces: AsyncIterable<T>, failed: () => void): AsyncIterable<T> {
  try {
    yield* pieces;
  } catch (error) {
    failed();
    throw error;
  }
}
