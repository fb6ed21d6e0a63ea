import type { ProductId } from '../id.ts';
import type { LicenseKey } from '../licensing/license-key.ts';

/** What a lease needs to know of a license and its product. */
export interface LeaseTerms {
  readonly productId: ProductId;
  /** For how many hours a lease of this product's licenses is valid. */
  readonly hours: number;
  readonly maxDomains: number;
  /** Whether `www.example.com` and `example.com` are one domain. */
  readonly wwwIsApex: boolean;
}

export interface LeaseTermsReader {
  /** Reads the current state. Returns `undefined` if no license has this key now. */
  find(key: LicenseKey): Promise<LeaseTerms | undefined>;
}
