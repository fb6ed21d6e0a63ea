import {
  type DeactivationPolicy,
  type DurationStart,
  defaultTerms,
  type HostRules,
  type KeyRules,
  type OnRefund,
  type ProductTerms,
  type ProofPolicy,
} from '../../core/marketplace/product-terms.ts';

/** The columns of a product that contain its terms. Booleans are 0 or 1. */
export interface TermsRow {
  readonly max_domains: number;
  readonly duration_days: number | null;
  readonly duration_from: string;
  readonly local_hosts_are_free: number;
  readonly preview_hosts: string;
  readonly www_is_apex: number;
  readonly moves_per_month: number;
  readonly rotations_per_year: number;
  readonly lease_hours: number;
  readonly on_refund: string;
  readonly domain_proof: string;
  readonly deactivation: string;
  readonly cool_down_hours: number;
}

export function toTermsRow(terms: ProductTerms): TermsRow {
  return {
    max_domains: terms.maxDomains,
    duration_days: terms.duration?.days ?? null,
    duration_from: terms.duration?.from ?? 'issue',
    local_hosts_are_free: Number(terms.hosts.localHostsAreFree),
    preview_hosts: JSON.stringify(terms.hosts.previewHosts),
    www_is_apex: Number(terms.hosts.wwwIsApex),
    moves_per_month: terms.movesPerMonth,
    rotations_per_year: terms.rotationsPerYear,
    lease_hours: terms.leaseHours,
    on_refund: terms.onRefund,
    domain_proof: terms.domainProof,
    deactivation: terms.deactivation,
    cool_down_hours: terms.coolDownHours,
  };
}

/** All columns of `TermsRow`: `toTermsRow` does not compile without one of them. */
export const termColumns: readonly string[] = Object.keys(toTermsRow(defaultTerms));

export function toTerms(row: TermsRow): ProductTerms {
  const { duration_days: days, duration_from: from } = row;
  return {
    maxDomains: row.max_domains,
    duration: days === null ? null : { days, from: from as DurationStart },
    hosts: toHostRules(row),
    movesPerMonth: row.moves_per_month,
    rotationsPerYear: row.rotations_per_year,
    leaseHours: row.lease_hours,
    onRefund: row.on_refund as OnRefund,
    ...toKeyRules(row),
  };
}

export function toKeyRules(row: Pick<TermsRow, 'domain_proof' | 'deactivation' | 'cool_down_hours'>): KeyRules {
  return {
    domainProof: row.domain_proof as ProofPolicy,
    deactivation: row.deactivation as DeactivationPolicy,
    coolDownHours: row.cool_down_hours,
  };
}

export function toHostRules(row: Pick<TermsRow, 'local_hosts_are_free' | 'preview_hosts' | 'www_is_apex'>): HostRules {
  return {
    localHostsAreFree: row.local_hosts_are_free === 1,
    previewHosts: JSON.parse(row.preview_hosts),
    wwwIsApex: row.www_is_apex === 1,
  };
}
