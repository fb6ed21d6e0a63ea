import type { Activation, License, LicenseStatus, Verifications } from '../licensing/license.ts';
import type { LicenseNotes } from '../licensing/license-notes.ts';
import type { Product } from '../marketplace/product.ts';

/** A license as its seller sees it. */
export interface SoldLicense {
  readonly license: License;
  /** The status at the time of the answer. */
  readonly status: LicenseStatus;
  readonly product: Pick<Product, 'id' | 'title' | 'slug'>;
  readonly notes: ShortNotes;
}

/** The notes that lists show: all but the metadata, which can be large. */
export type ShortNotes = Omit<LicenseNotes, 'metadata'>;

/** A license with its domains and all notes. */
export interface ShownLicense extends SoldLicense {
  readonly notes: LicenseNotes;
  /**
   * Newest first: the `shownDomains` newest, and all that take no slot or are being moved. `license.domainsUsed` is the
   * true number of slots.
   */
  readonly domains: readonly Activation[];
  /** The verifications of all domains, of now and of earlier. */
  readonly verifications: Verifications;
}
