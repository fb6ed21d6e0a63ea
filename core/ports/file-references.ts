import type { Instant } from './clock.ts';

/** Knows which stored files products, templates and uploads refer to, and since when nothing has referred to the others. */
export interface FileReferences {
  /**
   * Returns those keys that nothing has referred to since `before`. The time counts from the change that ended the last
   * reference. If no change noted it, it counts from the first call that finds the key unused; this call notes `now`.
   */
  unreferenced(keys: readonly string[], times: { readonly now: Instant; readonly before: Instant }): Promise<string[]>;
  /** Forgets when references to the keys ended, as their files are deleted. */
  forget(keys: readonly string[]): Promise<void>;
}
