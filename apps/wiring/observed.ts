import type { Container } from 'inversify';
import type { Instruments } from '../../adapters/prometheus/instruments.ts';
import type { ObserveBatch } from '../../adapters/sql/batch.ts';
import type { Database } from '../../adapters/sql/database.ts';
import type { Verifier } from '../../adapters/sql/verifier.ts';
import type { PurchaseCheck } from '../../core/ports/purchase-check.ts';
import type { Writes } from './briefly.ts';
import * as chosen from './chosen.ts';
import type { StoredFiles } from './file-serving.ts';
import { instruments, tracing } from './modules/observing.ts';
import { bind, type Part } from './part.ts';

/** Wraps a database, and counts its failures, and the writes that have ended: they may have been carried out. */
export function observedDatabase<T extends Database>(database: T, { databaseFailed }: Instruments, writes: Writes): T {
  const { writeLong } = database;
  const write = <R>(work: Promise<R>) => reporting(work, () => databaseFailed('write')).finally(writes.ended);
  return {
    ...database,
    read: (work) => reporting(database.read(work), () => databaseFailed('read')),
    write: (work) => write(database.write(work)),
    ...(writeLong && { writeLong: (work: Parameters<typeof writeLong>[0]) => write(writeLong(work)) }),
    check: () => reporting(database.check(), () => databaseFailed('read')),
  };
}

/** Wraps file storage, and counts its failures. */
export function observedFiles(files: StoredFiles, { storageFailed }: Instruments): StoredFiles {
  const list = () => storageFailed('list');
  return {
    staging: files.staging,
    sweepStaging: (olderThan, stop) => reporting(files.sweepStaging(olderThan, stop), list),
    put: (key, path) => reporting(files.put(key, path), () => storageFailed('put')),
    delete: (key, stop) => reporting(files.delete(key, stop), () => storageFailed('delete')),
    has: (key, stop) => reporting(files.has(key, stop), () => storageFailed('has')),
    read: (key) => reportingEach(files.read(key), () => storageFailed('read')),
    link: (key, filename, until) => reporting(files.link(key, filename, until), () => storageFailed('link')),
    storedBefore: (prefix, time, stop) => reportingEach(files.storedBefore(prefix, time, stop), list),
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

/**
 * Binds a verifier that reports each batch, and how many verifications wait. It is opened after its database, because
 * opening the database creates the schema.
 */
export function bindVerifier<D>(
  container: Container,
  database: Part<D>,
  open: (database: D, observe: ObserveBatch) => Verifier | Promise<Verifier>,
): void {
  bind(
    container,
    chosen.verifier,
    async ({ database, instruments, tracing }) => {
      const verifier = await open(database, (batch) => {
        instruments.verifyBatch(batch);
        tracing.verifyBatch(batch);
      });
      instruments.watchVerifyQueue(verifier.waiting);
      instruments.watchVerifyBatch(verifier.batchAge);
      return verifier;
    },
    { database, instruments, tracing },
    (verifier) => verifier.close(),
  );
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
