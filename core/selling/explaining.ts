import { normalizeDomain } from '../licensing/domain-name.ts';
import { type Explanation, explain } from '../licensing/explanation.ts';
import { parseLicenseKey } from '../licensing/license-key.ts';
import { relatedDomains } from '../licensing/nearest-domain.ts';
import { defaultTerms } from '../marketplace/product-terms.ts';
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
  return async (text, address, seller) => {
    const key = parseLicenseKey(text);
    const record = key && (await store.find(key));
    if (record === undefined) return unknownLicense();
    const { license } = record;
    const refused = needingReach(license, seller);
    if (refused) return refused;
    const domain = normalizeDomain(address);
    const near = domain === undefined ? [] : await search.domainsNear(license.key, [domain, ...relatedDomains(domain)]);
    const product = await products.findById(license.productId);
    const { hosts } = product?.terms ?? defaultTerms;
    return explain(license, hosts, address, [...near, ...record.domains], clock.now());
  };
}
