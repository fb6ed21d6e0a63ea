import type { UserId } from '../id.ts';
import type { Instant } from './clock.ts';

/** Knows which user keeps how many bytes. A file counts from before it is stored until it is gone. */
export interface FileLedger {
  /**
   * Adds all files if the user's sum stays within `allowed` bytes; otherwise adds none. This also holds for calls at the same
   * time. Returns the bytes that the user keeps now.
   */
  add(
    userId: UserId,
    files: readonly { readonly key: string; readonly size: number }[],
    allowed: number,
    at: Instant,
  ): Promise<{ readonly isAdded: boolean; readonly used: number }>;
  /** Counts them no longer. Does nothing for keys that are not counted. */
  remove(keys: readonly string[]): Promise<void>;
  /** The bytes that a user keeps. */
  used(userId: UserId): Promise<number>;
  /** Files that were added before a time, and that no product or upload refers to. */
  unreferenced(before: Instant): Promise<string[]>;
}
