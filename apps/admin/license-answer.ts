import type { Activation } from '../../core/licensing/license.ts';
import type { LicenseDetails } from '../../core/licensing/licensing.ts';
import type { Product } from '../../core/marketplace/product.ts';
import type { Instant } from '../../core/ports/clock.ts';
import type { Answer } from './action.ts';
import { table } from './table.ts';

/** A license with all that the license API's status answer tells of it, under the same names. */
export function licenseAnswer(license: LicenseDetails): Answer {
  const { key, status, product, domainsUsed, maxDomains, verifications } = license;
  const domains = license.domains.map(renderActivation);
  const json = {
    license: {
      key,
      status,
      product,
      domain: domains[0] ?? null,
      domains,
      domains_used: domainsUsed,
      max_domains: maxDomains,
      verification_count: verifications.verificationCount,
      last_verified_at: isoOrNull(verifications.lastVerifiedAt),
      expires_at: isoOrNull(license.expiresAt),
      created_at: iso(license.createdAt),
    },
  };
  const text = table([
    ['license', key],
    ['status', status],
    ['product', `${product.title} (${product.slug}, id ${product.id})`],
    ['expires', expires(license.expiresAt)],
    ['created', iso(license.createdAt)],
    ['verified', verified(verifications)],
    ['domains', `${domainsUsed} of ${maxDomains}`],
    ...license.domains.map((one) => ['', `${one.domain}  since ${iso(one.activatedAt)}, verified ${verified(one)}`]),
  ]);
  return { json, text };
}

export function productOf(product: Product | undefined) {
  return product ? { id: product.id, title: product.title, slug: product.slug } : null;
}

export function iso(instant: Instant): string {
  return new Date(instant).toISOString();
}

export function isoOrNull(instant: Instant | null): string | null {
  return instant === null ? null : iso(instant);
}

function renderActivation(one: Activation) {
  return {
    domain: one.domain,
    activated_at: iso(one.activatedAt),
    verification_count: one.verificationCount,
    last_verified_at: isoOrNull(one.lastVerifiedAt),
  };
}

export function expires(expiresAt: Instant | null): string {
  return expiresAt === null ? 'never' : iso(expiresAt);
}

function verified({ verificationCount, lastVerifiedAt }: LicenseDetails['verifications']): string {
  return lastVerifiedAt === null ? 'never' : `${verificationCount} times, last ${iso(lastVerifiedAt)}`;
}
