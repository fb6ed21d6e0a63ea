import { createExplainRecord } from '../licensing/explaining.ts';
import type { Explanation } from '../licensing/explanation.ts';
import { parseLicenseKey } from '../licensing/license-key.ts';
import type { Clock } from '../ports/clock.ts';
import type { LicenseSearch } from '../ports/license-search.ts';
import type { LicenseStore } from '../ports/license-store.ts';
import type { ProductStore } from '../ports/product-store.ts';
import type { Refused } from '../refusal.ts';
import { needingReach, unknownLicense } from './find-license.ts';
import type { Seller } from './seller.ts';

/** Explains why a license is valid for a domain, or not. Only reads: it counts no verification. */
export type ExplainLicense = (
  key: string,
  domain: string,
  seller: Seller,
) => Promise<Explanation | Refused<'invalid_key'>>;

export function createExplainLicense(
  store: Pick<LicenseStore, 'find'>,
  search: Pick<LicenseSearch, 'domainsNear'>,
  products: Pick<ProductStore, 'findById'>,
  clock: Clock,
): ExplainLicense {
  const explain = createExplainRecord(search, products, clock);
  return async (text, address, seller) => {
    const key = parseLicenseKey(text);
    const record = key && (await store.find(key));
    if (record === undefined) return unknownLicense();
    return needingReach(record.license, seller) ?? (await explain(record, address));
  };
}
