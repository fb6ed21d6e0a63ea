import type { Instant } from './clock.ts';

/** A file that a user uploaded for use in a listing. */
export interface Upload {
  readonly userId: number;
  readonly isLive: boolean;
  /** The storage key. */
  readonly key: string;
  /** In bytes. */
  readonly size: number;
  readonly at: Instant;
}

/** Stores which user uploaded which file. */
export interface UploadLog {
  add(upload: Upload): Promise<void>;
  /** Returns the number of uploads. */
  count(filter: { readonly userId: number; readonly isLive: boolean }): Promise<number>;
}
