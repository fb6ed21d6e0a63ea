import type { ExportingSystem, ImportedAlias } from '../licensing/alias.ts';
import type { DomainName } from '../licensing/domain-name.ts';
import type { LicenseStatus, Standing } from '../licensing/license.ts';
import type { LicenseKey } from '../licensing/license-key.ts';
import type { LicenseNotes } from '../licensing/license-notes.ts';
import type { Instant } from './clock.ts';

/** A fault in a line. `message` is a sentence. */
export interface LineFault {
  /** As of a `SheetLine`. */
  readonly line: number;
  readonly message: string;
}

/** A line that is no license to import. */
export interface PassedOver extends LineFault {
  /** Its product there, with the variant if it has one, as `shownProductName` returns it. Only if this is why: no product here is named for it. */
  readonly theirProduct?: string;
}

/** A license as a file describes it. */
export interface SheetLicense {
  readonly maxDomains: number;
  readonly expiresAt: Instant | null;
  /** The days from the first activation to the expiry. Only with the expiry `null`, and without domains. */
  readonly daysFromActivation: number | null;
  /** `null` means all releases. */
  readonly updatesUntil: Instant | null;
  readonly entitlements: readonly string[];
  readonly standing: Standing;
  readonly notes: LicenseNotes;
  /** `activatedAt` is `undefined` if the file does not contain it. */
  readonly domains: readonly { readonly domain: DomainName; readonly activatedAt: Instant | undefined }[];
}

/** A license in a file: a line that is no header and not empty, or an object in JSON. */
export interface SheetLine {
  /** Where the line starts, from 1 on. A cell in quotation marks may contain more lines. In JSON the number of the license. */
  readonly line: number;
  /** `undefined` if the cell is empty or has a fault. */
  readonly key: LicenseKey | undefined;
  /** The key that the license had in another system. */
  readonly alias?: ImportedAlias | undefined;
  /** Id or slug. `undefined` if the cell has a fault. */
  readonly product: string | undefined;
  /** `undefined` if the line has a fault. */
  readonly license: SheetLicense | undefined;
}

/** Some lines of a file, in order, and the faults in them. */
export interface SheetPart {
  readonly lines: readonly SheetLine[];
  readonly faults: readonly LineFault[];
  /** Lines that are no licenses to import, each with the reason. Only of exports of other systems. */
  readonly passedOver: readonly PassedOver[];
  /** The number of lines that were read up to here, in JSON of licenses. */
  readonly read: number;
}

/** An export of another system. */
export interface ForeignExport {
  readonly from: ExportingSystem;
  /**
   * The id or slug of a product here for all licenses, if the export has those of one product only. Or the products here by
   * those there, as the export names them: `product`, or `product/variant` for some of its licenses. Lines of others are passed over.
   */
  readonly products: string | ReadonlyMap<string, string>;
}

/** A license as a row of a file shows it. */
export interface SheetRow extends Omit<SheetLicense, 'standing' | 'domains'> {
  readonly key: LicenseKey;
  /** Its slug. */
  readonly product: string;
  readonly status: LicenseStatus;
  readonly domains: readonly { readonly domain: DomainName; readonly activatedAt: Instant }[];
}

/**
 * Files with one license on each line, and exports in JSON. What `write` writes, `read` reads as the same licenses. Both need only as much
 * memory as some lines.
 */
export interface LicenseSheet {
  /** Reads a file of our own form, or an export. `now` decides what has expired. Rejects only if `bytes` does. */
  read(bytes: AsyncIterable<Uint8Array | string>, now: Instant, foreign?: ForeignExport): AsyncIterable<SheetPart>;
  /** Writes a file, with its header. */
  write(rows: AsyncIterable<readonly SheetRow[]>): AsyncIterable<string>;
}
