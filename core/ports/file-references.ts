import type { Instant } from './clock.ts';

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
