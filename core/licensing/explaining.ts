import { defaultTerms } from '../marketplace/product-terms.ts';
import type { Clock } from '../ports/clock.ts';
import type { LicenseSearch } from '../ports/license-search.ts';
import type { LicenseRecord } from '../ports/license-store.ts';
import type { ProductStore } from '../ports/product-store.ts';
import { isRefused } from '../refusal.ts';
import { type DomainName, normalizeDomain } from './domain-name.ts';
import { type Around, activateByKey } from './domain-proof.ts';
import { type Explanation, explain, type Outlook } from './explanation.ts';
import { createLookUpProof, type ProofPorts } from './look-up-proof.ts';
import { relatedDomains } from './nearest-domain.ts';
import { obstaclesTo } from './obstacles.ts';

/**
 * Explains why a license is valid for the host in a text, or not. Only reads: it counts no verification. If the product asks for a proof that decides, it is
 * looked up now, which takes seconds. `from`: the network or account for which lookups are counted.
 */
export type ExplainRecord = (record: LicenseRecord, address: string, from: string) => Promise<Explanation>;

interface ExplainPorts extends ProofPorts {
  readonly search: Pick<LicenseSearch, 'domainsNear'>;
  readonly products: Pick<ProductStore, 'findById'>;
  readonly clock: Clock;
}

export function createExplainRecord({ search, products, clock, ...ports }: ExplainPorts): ExplainRecord {
  const lookUp = createLookUpProof(ports);

  /** What the license key would meet if it activated the domain now. */
  async function outlookOf(
    { license }: LicenseRecord,
    around: Around,
    domain: DomainName,
    from: string,
  ): Promise<Outlook> {
    const decided = activateByKey(license, around, domain, clock.now());
    const needs = isRefused(decided) ? undefined : decided.needs;
    if (!needs?.isDecisive) return { obstacles: obstaclesTo(license, around, domain, clock.now()) };
    const lookup = await lookUp(license.key, from, needs);
    const obstacles = obstaclesTo(license, around, domain, clock.now(), lookup);
    return { obstacles, ...(obstacles.length === 0 && { taken: lookup.taken }) };
  }

  return async (record, address, from) => {
    const { license, domains } = record;
    const domain = normalizeDomain(address);
    const near = domain === undefined ? [] : await search.domainsNear(license.key, [domain, ...relatedDomains(domain)]);
    const product = await products.findById(license.productId);
    const terms = product?.terms ?? defaultTerms;
    const now = clock.now();
    const explained = explain(license, terms.hosts, address, [...near, ...domains], now);
    if (domain === undefined || explained.refusal !== 'invalid_domain') return explained;
    // Enough to decide: the domain is not activated, and all activations that end are in this list.
    const activations = new Map(domains.map((one) => [one.domain, one]));
    const around = { hosts: terms.hosts, keyRules: terms, activations };
    const outlook = await outlookOf(record, around, domain, from);
    return explain(license, terms.hosts, address, [...near, ...domains], now, outlook);
  };
}
