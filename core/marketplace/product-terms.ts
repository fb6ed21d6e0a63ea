import { isRefused, type Refused, refuse } from '../refusal.ts';

/** From when the days of a license are counted. */
export const durationStarts = ['issue', 'first_activation'] as const;
export type DurationStart = (typeof durationStarts)[number];

/** How long a license is valid. `null` means perpetual. */
export type Duration = { readonly days: number; readonly from: DurationStart } | null;

/** `keep`: the license goes on as before. A lost dispute always revokes it. */
export const refundRules = ['revoke', 'keep'] as const;
export type OnRefund = (typeof refundRules)[number];

/**
 * When a domain must prove that the caller controls it. `to_take`: only if it takes the slot of another domain because the license is
 * full. `always`: before it takes a slot at all.
 */
export const proofPolicies = ['never', 'to_take', 'always'] as const;
export type ProofPolicy = (typeof proofPolicies)[number];

/**
 * What is needed to deactivate a domain with the license key, besides the key. `holder`: it cannot be done, only the buyer and the seller
 * can. `cool_down`: some hours since the last time.
 */
export const deactivationPolicies = ['key', 'proof', 'holder', 'cool_down'] as const;
export type DeactivationPolicy = (typeof deactivationPolicies)[number];

/** The rules against strangers who have read a license key in a browser. With the defaults, the key alone is enough. */
export interface KeyRules {
  readonly domainProof: ProofPolicy;
  readonly deactivation: DeactivationPolicy;
  /** With `cool_down`: the hours between two deactivations of one license by its key. */
  readonly coolDownHours: number;
}

/** Which hosts are treated in a special way. With the defaults, every host is a domain of its own and takes a slot. */
export interface HostRules {
  /** Hosts of developers, such as `localhost` and private addresses, take no slot. */
  readonly localHostsAreFree: boolean;
  /** Hosts that match one of these patterns, such as `*.vercel.app`, take no slot. */
  readonly previewHosts: readonly string[];
  /** `www.example.com` and `example.com` are one domain. */
  readonly wwwIsApex: boolean;
}

/** The seller's terms for all licenses of a product. Number of domains and duration apply to later licenses only. */
export interface ProductTerms extends KeyRules {
  /** The domains of a license: 1 to 1,000,000. */
  readonly maxDomains: number;
  readonly duration: Duration;
  readonly hosts: HostRules;
  /** How often a domain of one license can be moved in a calendar month (UTC). */
  readonly movesPerMonth: number;
  /** How often the buyer of a license can replace its key in a year. */
  readonly rotationsPerYear: number;
  /** For how many hours a signed lease of a license is valid: a site with one may not notice a revocation for so long. */
  readonly leaseHours: number;
  /** The effect of a full refund on the license. */
  readonly onRefund: OnRefund;
}

/** The terms of a product if the seller says nothing. The hosts are those of the spec. */
export const defaultTerms: ProductTerms = {
  maxDomains: 1,
  duration: null,
  hosts: { localHostsAreFree: false, previewHosts: [], wwwIsApex: false },
  movesPerMonth: 3,
  rotationsPerYear: 0,
  leaseHours: 168,
  onRefund: 'revoke',
  domainProof: 'never',
  deactivation: 'key',
  coolDownHours: 24,
};

/** The largest number of each kind. */
export const termLimits = {
  maxDomains: 1_000_000,
  days: 36_500,
  movesPerMonth: 1_000,
  rotationsPerYear: 100,
  leaseHours: 8_760,
  coolDownHours: 720,
  previewHosts: 50,
  pattern: 253,
} as const;

/** Returns the canonical pattern of preview hosts, or a refusal that says what is wrong. */
export type ParsePattern = (text: string) => string | Refused;

/** Loads the function at its first use, because it needs a large list of public suffixes. */
export type LoadParsePattern = () => Promise<ParsePattern>;

/** Returns the terms with their patterns in canonical form, each once. */
export function checkedTerms(terms: ProductTerms, parsePattern: ParsePattern): ProductTerms | Refused<'invalid_terms'> {
  const { maxDomains, duration, hosts, movesPerMonth, rotationsPerYear, leaseHours, coolDownHours } = terms;
  const wrongNumber =
    outside('number of domains', maxDomains, 1, termLimits.maxDomains) ??
    outside('number of days', duration?.days ?? 1, 1, termLimits.days) ??
    outside('number of moves per month', movesPerMonth, 0, termLimits.movesPerMonth) ??
    outside('number of replaced keys per year', rotationsPerYear, 0, termLimits.rotationsPerYear) ??
    outside('number of hours of a lease', leaseHours, 1, termLimits.leaseHours) ??
    outside('number of hours between two deactivations', coolDownHours, 1, termLimits.coolDownHours);
  if (wrongNumber !== undefined) return refuse('invalid_terms', wrongNumber);
  if (hosts.previewHosts.length > termLimits.previewHosts) {
    return refuse('invalid_terms', `There can be at most ${termLimits.previewHosts} patterns.`);
  }
  const previewHosts = new Set<string>();
  for (const text of hosts.previewHosts) {
    const pattern = text.length <= termLimits.pattern ? parsePattern(text) : refuse('invalid_pattern');
    if (isRefused(pattern))
      return refuse('invalid_terms', `${text.slice(0, 60)} is no such pattern. ${pattern.detail ?? ''}`.trim());
    previewHosts.add(pattern);
  }
  return { ...terms, hosts: { ...hosts, previewHosts: [...previewHosts] } };
}

function outside(what: string, number: number, least: number, most: number): string | undefined {
  if (Number.isSafeInteger(number) && number >= least && number <= most) return undefined;
  return `The ${what} must be a whole number from ${least} to ${most}.`;
}
