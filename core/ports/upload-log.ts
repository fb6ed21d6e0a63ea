import type { UserId } from '../id.ts';
import type { Instant } from './clock.ts';

/** A file that a user uploaded for use in a listing. */
export interface Upload {
  readonly userId: UserId;
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
}
