import { iso } from '../../adapters/http/fields.ts';
import { renderLicense } from '../../adapters/http/license/routes.ts';
import type { LicenseDetails } from '../../core/licensing/licensing.ts';
import type { Product } from '../../core/marketplace/product.ts';
import type { Instant } from '../../core/ports/clock.ts';
import type { Answer } from './action.ts';
import { counted, table } from './table.ts';

/** A license with all that the license API's status answer tells of it, under the same names. */
export function licenseAnswer(license: LicenseDetails): Answer {
  const { key, status, product, domainsUsed, maxDomains, verifications } = license;
  const text = table([
    ['license', key],
    ['status', status],
    ['product', `${product.title} (${product.slug}, id ${product.id})`],
    ['expires', expires(license.expiresAt)],
    ['created', iso(license.createdAt)],
    ['verified', verified(verifications)],
    ['domains', `${domainsUsed} of ${maxDomains}`],
    ...license.domains.map((one) => ['', `${one.domain}  since ${iso(one.activatedAt)}, verified ${verified(one)}`]),
    ...(domainsUsed > license.domains.length ? [['', `and ${domainsUsed - license.domains.length} older ones`]] : []),
  ]);
  return { json: { license: renderLicense(license) }, text };
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
