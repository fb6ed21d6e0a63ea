import type { HostRules } from '../marketplace/product-terms.ts';
import type { Instant } from '../ports/clock.ts';
import type { ImportedHost } from '../ports/license-imports.ts';
import type { SheetLicense } from '../ports/license-sheet.ts';
import { freeDomainsLimit } from './activations.ts';
import type { DomainName } from './domain-name.ts';
import { kindOf, storedAs } from './hosts.ts';

/**
 * Returns the hosts of an imported license by the rules of its product, in the order of the file. A domain that is there
 * twice is one host, with the first time. A domain without a time is activated `now`.
 */
export function importedHosts({ domains }: SheetLicense, rules: HostRules, now: Instant): readonly ImportedHost[] {
  const hosts = new Map<DomainName, ImportedHost>();
  for (const { domain: given, activatedAt = now } of domains) {
    const domain = storedAs(given, rules);
    if (!hosts.has(domain)) hosts.set(domain, { domain, activatedAt, kind: kindOf(domain, rules) });
  }
  return [...hosts.values()];
}

/** Returns what is wrong with the hosts of an imported license, or `undefined`. */
export function wrongHosts(license: SheetLicense, hosts: readonly ImportedHost[]): string | undefined {
  const slots = hosts.filter(({ kind }) => kind === 'slot').length;
  const free = hosts.length - slots;
  if (slots > license.maxDomains) return `domains: There are ${slots}, but max_domains is ${license.maxDomains}.`;
  if (free > freeDomainsLimit) return `domains: At most ${freeDomainsLimit} of them can take no slot, but ${free} do.`;
  if (slots > 0 && license.daysFromActivation !== null) {
    return 'days_from_activation: A license with domains has started already. It needs an expires_at instead.';
  }
  return undefined;
}
