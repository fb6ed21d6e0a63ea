import { iso } from '../../core/iso.ts';
import type { LicenseDetails } from '../../core/licensing/licensing.ts';
import type { Product } from '../../core/marketplace/product.ts';
import type { Instant } from '../../core/ports/clock.ts';
import type { Answer } from './action.ts';
import { counted, table } from './table.ts';

/** Renders the fields of the status response. `toJson` converts the names to snake_case. */
export function licenseAnswer(license: LicenseDetails): Answer {
  const { key, status, product, domains, domainsUsed, maxDomains, verifications, expiresAt, createdAt } = license;
  const used = { domain: domains[0] ?? null, domains, domainsUsed, maxDomains, ...verifications };
  const text = table([
    ['license', key],
    ['status', status],
    ['product', `${product.title} (${product.slug}, id ${product.id})`],
    ['expires', expires(expiresAt)],
    ['created', iso(createdAt)],
    ['verified', verified(verifications)],
    ['domains', `${domainsUsed} of ${maxDomains}`],
    ...domains.map((one) => ['', `${one.domain}  since ${iso(one.activatedAt)}, verified ${verified(one)}`]),
    ...(domainsUsed > domains.length ? [['', `and ${domainsUsed - domains.length} older ones`]] : []),
  ]);
  return { json: { license: { key, status, product, ...used, expiresAt, createdAt } }, text };
}

export function productOf(product: Product | undefined) {
  return product ? { id: product.id, title: product.title, slug: product.slug } : null;
}

export function expires(expiresAt: Instant | null): string {
  return expiresAt === null ? 'never' : iso(expiresAt);
}

function verified({ verificationCount, lastVerifiedAt }: LicenseDetails['verifications']): string {
  return lastVerifiedAt === null ? 'never' : `${counted(verificationCount, 'time')}, last ${iso(lastVerifiedAt)}`;
}
