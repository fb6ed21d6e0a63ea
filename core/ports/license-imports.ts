import type { By, Event } from '../events/event.ts';
import type { ProductId } from '../id.ts';
import type { ImportedAlias } from '../licensing/alias.ts';
import type { DomainName } from '../licensing/domain-name.ts';
import type { HostKind } from '../licensing/hosts.ts';
import type { LicenseKey } from '../licensing/license-key.ts';
import type { Refused } from '../refusal.ts';
import type { Instant } from './clock.ts';
import type { NewLicense } from './license-store.ts';

/** Whether the keys of new licenses were generated here (`issued`) or elsewhere (`imported`). */
export type Origin = 'issued' | 'imported';

/** A host on which an imported license is activated already. */
export interface ImportedHost {
  readonly domain: DomainName;
  readonly activatedAt: Instant;
  readonly kind: HostKind;
}

export interface ImportedTerms extends Omit<NewLicense, 'key' | 'createdAt'> {
  /** In the order in which they were activated. Each domain once. */
  readonly hosts?: readonly ImportedHost[];
  /** Leads to the license for ever. */
  readonly alias?: ImportedAlias | undefined;
}

/** One license of an import. */
export interface ImportLine {
  /** Unique in the import, 1 to 2,147,483,647. Licenses are added in the order of these numbers. */
  readonly line: number;
  readonly key: LicenseKey;
  /** Whether the key was made for this line, so that nothing else has it. */
  readonly hasNewKey?: boolean;
  /** Absent if the line has a fault. Its key is still compared with the others, but the import cannot be finished. */
  readonly terms?: ImportedTerms | undefined;
}

/** A line whose key or alias is already in use. */
export interface Clash {
  readonly line: number;
  /** The key of the line. Also if its alias is in use. */
  readonly key: LicenseKey;
  readonly of: 'key' | 'alias';
  /** The line of the same import that has it. Absent if a license has it. */
  readonly first?: number;
  /** The product of the license that has it. Absent if a line has it. */
  readonly productId?: ProductId;
}

/**
 * A checked line that could not become a license, because somebody changed the database with plain SQL in the meantime.
 */
export interface LeftOut {
  readonly line: number;
  readonly key: LicenseKey;
  readonly why: 'key_taken' | 'alias_taken' | 'no_product' | 'no_terms';
}

/** The result of a finished import. */
export interface Finished {
  readonly added: number;
  /** In the order of the lines. Each of them is in the audit trail too. */
  readonly leftOut: readonly LeftOut[];
  /** The lines of the file that were no licenses to import, as `finish` was told. */
  readonly passedOver: number;
}

/** A started import. It ends with `finish` or `undo`. */
export interface LicenseImport {
  /**
   * Stages lines, and returns those whose keys or aliases are already in use. Until the import is undone, nobody else can use
   * a staged key or alias. Staged licenses become visible when the import is finished.
   */
  stage(lines: readonly ImportLine[]): Promise<Clash[]>;
  /**
   * Adds all licenses with their events. Leaves out a line that cannot be added any more, and still adds the others. If
   * it throws or the process ends, `recover` adds the rest. `passedOver` is kept with the result.
   */
  finish(passedOver?: number): Promise<Finished>;
  /** Forgets the staged lines, and saves the event, if there is one. Does nothing after `finish` has started. */
  undo(event?: Event): Promise<void>;
}

/** Compares the lines of a file, and changes nothing. */
export interface LicenseCheck {
  /**
   * Returns the lines whose keys or aliases a license or an earlier line has. Of one check, the first 3,000,000 keys and aliases are
   * compared with those after them.
   */
  compare(lines: readonly ImportLine[]): Promise<Clash[]>;
  /** Saves the event, if there is one. */
  end(event?: Event): Promise<void>;
}

/** The result of recovering interrupted imports. */
export interface Recovered {
  readonly undone: number;
  readonly finished: number;
  /** The lines that this call left out while it finished imports. */
  readonly leftOut: readonly LeftOut[];
}

/**
 * Adds many licenses, all or none, in short steps, so that nobody else waits long. Runs one import at a time. Checks wait for no
 * import, and no import waits for them.
 */
export interface LicenseImports {
  /**
   * First recovers interrupted imports. Refuses while another import runs, in this process or another. If `by` has a
   * request, its key is held until the import ends, also by `recover`. Throws if the request has lost its key.
   */
  begin(origin: Origin, by: By, at: Instant): Promise<LicenseImport | Refused<'import_running'>>;
  check(): LicenseCheck;
  /**
   * Undoes imports that were interrupted during staging, and finishes those that were interrupted later. Does not touch
   * running imports of any process. Stops early if `goOn` returns false; the next call recovers the rest.
   */
  recover(goOn: () => boolean): Promise<Recovered>;
}
