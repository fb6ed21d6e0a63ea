import { toProductId, toUserId } from '../../../core/id.ts';
import type { DomainName } from '../../../core/licensing/domain-name.ts';
import type { ForcedAnswer } from '../../../core/licensing/forced.ts';
import type { HostKind } from '../../../core/licensing/hosts.ts';
import type { Activation, License, Standing } from '../../../core/licensing/license.ts';
import type { LicenseKey } from '../../../core/licensing/license-key.ts';
import { noNotes } from '../../../core/licensing/license-notes.ts';
import type { NewLicense, Scene } from '../../../core/ports/license-store.ts';
import { type RightsRow, rightsRow, toRights } from '../license-rights.ts';
import { type PackedRows, unpackedAs } from '../packed-rows.ts';
import { type TermsRow, toHostRules, toKeyRules } from '../product-terms.ts';
import { notesRow } from './license-notes.ts';

export interface LicenseRow extends RightsRow {
  readonly id: number;
  readonly key: string;
  readonly product_id: number;
  readonly owner_id: number | null;
  readonly is_live: number;
  readonly standing: string;
  readonly max_domains: number;
  readonly domains_used: number;
  readonly activations_made: number;
  readonly expires_at: number | null;
  readonly created_at: number;
  readonly retired_verification_count: number;
  readonly retired_last_verified_at: number | null;
  readonly free_domains: number;
  readonly moves_month: string | null;
  readonly moves_made: number;
  readonly days_from_activation: number | null;
  readonly own_standing: string | null;
  readonly key_removal_at: number | null;
  readonly clock_ahead: number | null;
  readonly forced: string | null;
}

/** The columns of the product that decisions about a license need: those of `Scene`. */
export const sceneColumns = [
  'local_hosts_are_free',
  'preview_hosts',
  'www_is_apex',
  'moves_per_month',
  'duration_days',
  'domain_proof',
  'deactivation',
  'cool_down_hours',
] as const satisfies readonly (keyof TermsRow)[];

/** A license that is locked for a change, with the columns of its product. */
export interface LockedLicenseRow extends LicenseRow, Pick<TermsRow, (typeof sceneColumns)[number]> {}

/** The columns of `LicenseRow`. The table also has the notes of the seller, which can be large. */
export const licenseColumns = [
  'id',
  'key',
  'product_id',
  'owner_id',
  'is_live',
  'standing',
  'max_domains',
  'domains_used',
  'activations_made',
  'expires_at',
  'created_at',
  'retired_verification_count',
  'retired_last_verified_at',
  'free_domains',
  'moves_month',
  'moves_made',
  'days_from_activation',
  'own_standing',
  'key_removal_at',
  'clock_ahead',
  'forced',
  'updates_until',
  'entitlements',
] as const satisfies readonly (keyof LicenseRow)[];

/** Makes rows of their packed cells. If a column is missing in `licenseColumns`, this does not compile. */
export const toLicenseRows: (rows: readonly PackedRows[]) => LicenseRow[] = unpackedAs<LicenseRow>()(licenseColumns);

/** The columns that a new license and a line of an import share, with their types. */
export const sharedColumns = {
  key: 'text',
  product_id: 'integer',
  standing: 'text',
  max_domains: 'integer',
  expires_at: 'bigint',
  days_from_activation: 'integer',
  holder_email: 'text',
  holder_name: 'text',
  reference: 'text',
  metadata: 'text',
  updates_until: 'bigint',
  entitlements: 'text',
} as const;

export interface ActivationRow {
  readonly license_id: number;
  readonly domain: string;
  readonly ordinal: number;
  readonly activated_at: number;
  readonly verification_count: number;
  readonly last_verified_at: number | null;
  readonly kind: string;
  readonly ends_at: number | null;
  readonly moved_to: string | null;
  readonly moved_from: string | null;
  readonly proven_at: number | null;
}

export function toLicense(row: LicenseRow): License {
  return {
    key: row.key as LicenseKey,
    productId: toProductId(row.product_id),
    ownerId: row.owner_id === null ? null : toUserId(row.owner_id),
    isLive: row.is_live === 1,
    standing: row.standing as Standing,
    maxDomains: row.max_domains,
    domainsUsed: row.domains_used,
    freeDomains: row.free_domains,
    daysFromActivation: row.days_from_activation,
    moves: { month: row.moves_month, made: row.moves_made },
    expiresAt: row.expires_at,
    ownStanding: row.own_standing as Standing | null,
    ...toRights(row),
    ...(row.key_removal_at !== null && { keyRemovalAt: row.key_removal_at }),
    ...(row.clock_ahead !== null && {
      testClock: { ahead: row.clock_ahead, forced: row.forced as ForcedAnswer | null },
    }),
    createdAt: row.created_at,
    retired: { verificationCount: row.retired_verification_count, lastVerifiedAt: row.retired_last_verified_at },
  };
}

export function toActivation(row: ActivationRow): Activation {
  return {
    domain: row.domain as DomainName,
    activatedAt: row.activated_at,
    kind: row.kind as HostKind,
    endsAt: row.ends_at,
    movedTo: row.moved_to as DomainName | null,
    movedFrom: row.moved_from as DomainName | null,
    verificationCount: row.verification_count,
    lastVerifiedAt: row.last_verified_at,
    ...(row.proven_at !== null && { provenAt: row.proven_at }),
  };
}

/** Returns the data that a decision needs besides the license. */
export function toScene(row: LockedLicenseRow, activations: readonly ActivationRow[]): Scene {
  return {
    hosts: toHostRules(row),
    movesPerMonth: row.moves_per_month,
    keyRules: toKeyRules(row),
    durationDays: row.duration_days,
    activations: new Map(activations.map(toActivation).map((one) => [one.domain, one])),
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
    ...notesRow(license.notes ?? noNotes),
    days_from_activation: license.daysFromActivation ?? null,
    own_standing: license.ownStanding ?? null,
    ...rightsRow(license),
  };
}

/** The columns that a change may write. */
export function changedLicenseRow(license: License) {
  return {
    standing: license.standing,
    max_domains: license.maxDomains,
    domains_used: license.domainsUsed,
    free_domains: license.freeDomains,
    moves_month: license.moves.month,
    moves_made: license.moves.made,
    days_from_activation: license.daysFromActivation,
    own_standing: license.ownStanding,
    key_removal_at: license.keyRemovalAt ?? null,
    ...rightsRow(license),
    expires_at: license.expiresAt,
    retired_verification_count: license.retired.verificationCount,
    retired_last_verified_at: license.retired.lastVerifiedAt,
  };
}

/** The row of a new activation. The database has defaults for the other columns. */
export function newActivationRow(
  licenseId: number,
  ordinal: number,
  {
    domain,
    activatedAt,
    kind,
    movedFrom,
    provenAt = null,
  }: Omit<Activation, 'provenAt'> & { readonly provenAt?: number | null },
) {
  const when = { activated_at: activatedAt, proven_at: provenAt };
  return { license_id: licenseId, ordinal, domain, ...when, kind, moved_from: movedFrom };
}
