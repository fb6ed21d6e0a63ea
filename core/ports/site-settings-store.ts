import type { Event } from '../events/event.ts';
import type { Refused } from '../refusal.ts';

/** The texts of the settings that were changed in the browser, by name. */
export interface StoredSettings {
  /** Rises with each change. 0 before the first one. */
  readonly revision: number;
  /** May contain names that only another version knows. */
  readonly texts: Readonly<Record<string, string>>;
}

/** A decision about the settings. */
export interface SettingsChange {
  /** The new text of each setting that changes. `null`: it is not set any more. */
  readonly texts: Readonly<Record<string, string | null>>;
  /** Describe the change. Without any, nothing is written. */
  readonly events: readonly Event[];
}

/** The settings of the site. */
export interface SiteSettingsStore {
  /** Returns all settings. */
  read(): Promise<StoredSettings>;
  /** Returns all settings if one has changed since this revision. */
  readNewer(revision: number): Promise<StoredSettings | undefined>;
  /**
   * Loads the settings, calls `decide`, and saves the changes with their events in one transaction. No other process can
   * change a setting in between. A refusal writes nothing. `decide` may be called more than once; only the last result
   * counts.
   */
  change<R extends string = never>(
    decide: (before: StoredSettings) => SettingsChange | Refused<R>,
  ): Promise<StoredSettings | Refused<R>>;
}
