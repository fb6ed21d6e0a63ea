import type { KeyedRequest } from '../events/event.ts';
import type { UserId } from '../id.ts';
import type { Instant } from './clock.ts';

/** A file that a user uploaded for use in a listing. */
export interface Upload {
  readonly userId: UserId;
  readonly isLive: boolean;
  /** The storage key. */
  readonly key: string;
  /** In bytes. */
  readonly size: number;
  readonly at: Instant;
  readonly request?: KeyedRequest | undefined;
}

/** Stores which user uploaded which file. */
export interface UploadLog {
  /** Also marks the request as having changed something. */
  add(upload: Upload): Promise<void>;
}
