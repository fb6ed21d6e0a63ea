import type { Instant } from '../../core/ports/clock.ts';
import type { KeptAnswer } from './idempotency-store.ts';

/** How far the import of licenses is that belongs to a request with an idempotency key. */
export type ImportProgress =
  | {
      /** No license is visible before `adding`. */
      readonly state: 'checking' | 'adding';
      /** The lines that were checked so far. While licenses are added, all lines. */
      readonly lines: number;
      /** The licenses that were added so far. */
      readonly added: number;
      readonly leftOut: number;
      /** Known when licenses are added. */
      readonly passedOver: number;
    }
  | { readonly state: 'ended'; readonly answer: KeptAnswer };

/**
 * Returns `undefined` if the key is free: nothing was imported, and the same request would start an import. The times are
 * those of `IdempotencyStore.take`.
 */
export type ReadImportProgress = (
  key: string,
  times: { readonly forgetBefore: Instant; readonly abandonedBefore: Instant },
) => Promise<ImportProgress | undefined>;
