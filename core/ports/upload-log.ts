import type { Instant } from './clock.ts';

/** A file that a user uploaded for use in a listing. */
export interface Upload {
  readonly userId: number;
  readonly isLive: boolean;
  /** Where it is stored. */
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  readonly at: Instant;
}

/** Who uploaded what. */
export interface UploadLog {
  add(upload: Upload): Promise<void>;
  /** How many there are. */
  count(filter: { readonly userId: number; readonly isLive: boolean }): Promise<number>;
}
