import { defaultTerms } from '../marketplace/product-terms.ts';
import type { Clock } from '../ports/clock.ts';
import type { LicenseSearch } from '../ports/license-search.ts';
import type { LicenseRecord } from '../ports/license-store.ts';
import type { ProductStore } from '../ports/product-store.ts';
import { normalizeDomain } from './domain-name.ts';
import { type Explanation, explain } from './explanation.ts';
import { relatedDomains } from './nearest-domain.ts';

/** Explains why a license is valid for the host in a text, or not. Only reads: it counts no verification. */
export type ExplainRecord = (record: LicenseRecord, address: string) => Promise<Explanation>;

export function createExplainRecord(
  search: Pick<LicenseSearch, 'domainsNear'>,
  products: Pick<ProductStore, 'findById'>,
  clock: Clock,
): ExplainRecord {
  return async ({ license, domains }, address) => {
    const domain = normalizeDomain(address);
    const near = domain === undefined ? [] : await search.domainsNear(license.key, [domain, ...relatedDomains(domain)]);
    const product = await products.findById(license.productId);
    const { hosts } = product?.terms ?? defaultTerms;
    return explain(license, hosts, address, [...near, ...domains], clock.now());
  };
}
