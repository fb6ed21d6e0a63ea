import type { UserId } from '../id.ts';
import type { Instant } from './clock.ts';

/** Counts the bytes that each user stores. A file is added before it is stored, and removed after it is deleted. */
export interface FileLedger {
  /**
   * Adds all files if the user's sum stays within `allowed` bytes; otherwise adds none. Concurrent calls cannot exceed
   * the limit together. `used` is the user's sum in bytes after the call.
   */
  add(
    userId: UserId,
    files: readonly { readonly key: string; readonly size: number }[],
    allowed: number,
    at: Instant,
  ): Promise<{ readonly isAdded: boolean; readonly used: number }>;
  /** Stops counting these files. Ignores keys that are not counted. */
  remove(keys: readonly string[]): Promise<void>;
  /** Returns the user's sum in bytes. */
  used(userId: UserId): Promise<number>;
  /** Returns the keys of files that were added before a time and that no product or upload refers to. */
  unreferenced(before: Instant): Promise<string[]>;
}

/** Knows which files products, templates and uploads refer to, and since when the other files are unreferenced. */
export interface FileReferences {
  /**
   * Returns the keys that were already unreferenced before `before`. A key is unreferenced from the change that removed
   * its last reference. If no change recorded that, the first call that finds the key unreferenced records `now`.
   */
  unreferenced(keys: readonly string[], times: { readonly now: Instant; readonly before: Instant }): Promise<string[]>;
  /** Forgets since when the keys are unreferenced, because their files are deleted. */
  forget(keys: readonly string[]): Promise<void>;
}
