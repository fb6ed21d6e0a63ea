import { toProductId } from '../../../core/id.ts';
import type { DomainName } from '../../../core/licensing/domain-name.ts';
import type { Activation, License, Standing } from '../../../core/licensing/license.ts';
import type { LicenseKey } from '../../../core/licensing/license-key.ts';
import type { NewLicense } from '../../../core/ports/license-store.ts';

export interface LicenseRow {
  readonly id: number;
  readonly key: string;
  readonly product_id: number;
  readonly standing: string;
  readonly max_domains: number;
  readonly domains_used: number;
  readonly activations_made: number;
  readonly expires_at: number | null;
  readonly created_at: number;
  readonly retired_verification_count: number;
  readonly retired_last_verified_at: number | null;
}

export interface ActivationRow {
  readonly license_id: number;
  readonly domain: string;
  readonly ordinal: number;
  readonly activated_at: number;
  readonly verification_count: number;
  readonly last_verified_at: number | null;
}

export function toLicense(row: LicenseRow): License {
  return {
    key: row.key as LicenseKey,
    productId: toProductId(row.product_id),
    standing: row.standing as Standing,
    maxDomains: row.max_domains,
    domainsUsed: row.domains_used,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    retired: { verificationCount: row.retired_verification_count, lastVerifiedAt: row.retired_last_verified_at },
  };
}

export function toActivation(row: ActivationRow): Activation {
  return {
    domain: row.domain as DomainName,
    activatedAt: row.activated_at,
    verificationCount: row.verification_count,
    lastVerifiedAt: row.last_verified_at,
  };
}

export function newLicenseRow(license: NewLicense) {
  return {
    key: license.key,
    product_id: license.productId,
    standing: license.standing,
    max_domains: license.maxDomains,
    expires_at: license.expiresAt,
    created_at: license.createdAt,
  };
}

/** The columns that a change may write. */
export function changedLicenseRow(license: License) {
  return {
    standing: license.standing,
    max_domains: license.maxDomains,
    domains_used: license.domainsUsed,
    expires_at: license.expiresAt,
    retired_verification_count: license.retired.verificationCount,
    retired_last_verified_at: license.retired.lastVerifiedAt,
  };
}
