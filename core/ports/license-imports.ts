import type { By } from '../events/event.ts';
import type { LicenseKey } from '../licensing/license-key.ts';
import type { Refused } from '../refusal.ts';
import type { Instant } from './clock.ts';
import type { NewLicense } from './license-store.ts';

/** How new licenses come in: with keys minted here, or elsewhere. */
export type Origin = 'issued' | 'imported';

/** One license of an import. */
export interface ImportLine {
  /** Tells the lines apart, 1 to 2,147,483,647; the licenses are added in the order of these numbers. */
  readonly line: number;
  readonly key: LicenseKey;
  /** Left out if the line has a fault: its key is compared with the others all the same. Such an import cannot be finished. */
  readonly terms?: Omit<NewLicense, 'key' | 'createdAt'> | undefined;
}

/** A line whose key is not free. */
export interface Clash {
  readonly line: number;
  readonly key: LicenseKey;
  /** The line of the same import that has the key; without one, a license has it. */
  readonly first?: number;
}

/** A checked line of which no license could be made: somebody has changed licenses or products by other ways meanwhile. */
export interface LeftOut {
  readonly line: number;
  readonly key: LicenseKey;
  readonly why: 'key_taken' | 'no_product' | 'no_terms';
}

/** What became of an import's lines. */
export interface Finished {
  readonly added: number;
  /** In the order of the lines; each is in the audit trail as well. */
  readonly leftOut: readonly LeftOut[];
}

/** An import that was begun. It ends with `finish` or `undo`. */
export interface LicenseImport {
  /**
   * Takes lines, and returns those whose keys are not free. No license with one of these keys can be issued until the import is
   * undone, and none of them is to be seen until it is finished.
   */
  stage(lines: readonly ImportLine[]): Promise<Clash[]>;
  /**
   * Adds all licenses with their events. A line that cannot be added any more is left out, and keeps none of the others from being
   * added. If it throws, or the process ends meanwhile, the others are added by `recover`.
   */
  finish(): Promise<Finished>;
  /** Forgets what was staged. Does nothing if `finish` has begun. */
  undo(): Promise<void>;
}

/** What became of imports that broke off. */
export interface Recovered {
  readonly undone: number;
  readonly finished: number;
  /** Of those that were finished, as far as this call has done that. */
  readonly leftOut: readonly LeftOut[];
}

/** Adds many licenses, all or none, in many short steps, so that nobody else waits long. One import at a time. */
export interface LicenseImports {
  /** Recovers first what broke off. Refused while another import goes on, in this process or another. */
  begin(origin: Origin, by: By, at: Instant): Promise<LicenseImport | Refused<'import_running'>>;
  /**
   * Undoes imports that broke off while they were staged, and finishes those that broke off later. Does not touch running imports
   * of any process. Stops early when `goOn` returns false; the rest is recovered the next time.
   */
  recover(goOn: () => boolean): Promise<Recovered>;
}
