import type { ExplainedRule } from '../../../../core/licensing/explanation.ts';
import type { HostKind } from '../../../../core/licensing/hosts.ts';
import type { Resemblance } from '../../../../core/licensing/nearest-domain.ts';
import type { ObstacleCode } from '../../../../core/licensing/obstacles.ts';
import { counted, readableNumber } from '../../ui/numbers.ts';

const count = (number: number) => counted(number, 'domain');

/** The texts about the domains of a license. */
export const words = {
  title: 'Domains',
  used: (used: number, most: number) => `${readableNumber(used)} of ${count(most)} in use.`,
  newest: (most: number) => `The list shows the ${most} newest.`,
  none: 'The license is not activated on any domain.',
  free: 'Without a slot',
  freeLead: 'Hosts of developers and previews. They work like others, but do not count as domains of the license.',
  domain: 'Domain',
  activated: 'Activated',
  verifications: 'Verifications',
  lastVerified: 'Last verified',
  never: 'Never',
  acts: 'Actions',
  kinds: { local: 'Local', preview: 'Preview' } satisfies Record<Exclude<HostKind, 'slot'>, string>,
  proven: 'Proven',
  movingTo: 'Moving to',
  until: 'works until',
  gone: 'The license is not activated on this domain any more.',
  move: {
    name: 'Move',
    title: (from: string) => `Move ${from}`,
    lead: (from: string) =>
      `The license is activated on another domain in place of ${from}. If you choose, both work for some time, so that a site can change its address without a gap. Together they count as one domain.`,
    to: 'New domain',
    toHint: 'A host name such as app.example.com, or the address of any page on it.',
    overlap: (from: string) => `${from} stops working`,
    overlaps: { 0: 'At once', 24: 'After 24 hours', 72: 'After 72 hours' },
    choose: 'Choose when the old domain stops working.',
    submit: 'Move domain',
    noHost: 'Enter the address of a site, such as app.example.com.',
    inactive: (status: string) => `The license is ${status.toLowerCase()}, so its domains cannot be moved.`,
    same: 'For this product, this is the same domain.',
    moving: 'This domain is already being moved. Move the new one.',
    taken: 'The license is already activated on this domain.',
    limit: 'The domains of this license cannot be moved more often this month.',
    full: 'All domains of the license are in use.',
    freeFull: 'The license is already activated on its maximum number of hosts that take no slot.',
  },
  remove: {
    name: 'Remove',
    title: (domain: string) => `Remove ${domain}?`,
    lead: (domain: string) =>
      `The license stops working on ${domain} at once, and another domain can take its place. It can be activated again.`,
    both: (from: string) => `${from} is being moved to this domain, and stops working too.`,
    submit: 'Remove domain',
  },
} as const;

/** The texts about the explanation of a verification. */
export const explain = {
  title: 'Does it work on a domain?',
  lead: 'See what a verification would answer now, and why. Asking does not count as a verification.',
  domain: 'Domain or address of a page',
  submit: 'Explain',
  valid: 'Valid.',
  invalid: 'Not valid.',
  verdicts: {
    valid: 'The license works on this domain.',
    illegal_domain: 'The text is not the address of a site.',
    invalid_domain: 'The license is not activated on this domain.',
    suspended: 'The license is suspended.',
    revoked: 'The license is revoked.',
    expired: 'The license has expired.',
  },
  host: 'Host',
  noHost: 'None found',
  nearest: 'Nearest domain',
  resemblances: {
    www: 'differs only by www',
    parent: 'the domain above',
    subdomain: 'a subdomain of it',
    similar: 'perhaps a typing mistake',
  } satisfies Record<Resemblance, string>,
  rules: 'The rules, in order',
  passed: 'Passed:',
  failed: 'Failed:',
  names: {
    domain_legal: 'The text is the address of a site',
    key_known: 'The key is known',
    not_revoked: 'The license is not revoked',
    not_suspended: 'The license is not suspended',
    not_expired: 'The license has not expired',
    domain_activated: 'The license is activated on this domain',
  } satisfies Record<ExplainedRule, string>,
  missing: 'What is missing',
  until: 'until',
  obstacles: {
    slots_in_use: 'All domains of the license are in use',
    slots_are_proven: 'All domains of the license are proven',
    proof_not_found: 'The proof of the domain is not published',
    other_proof: 'Another text is published, which is not the proof',
    proof_lookup_failed: 'The proof could not be looked up',
    proof_not_looked_up: 'The proof was not looked up',
    domain_not_provable: 'Nobody can prove this domain',
    deactivation_cools_down: 'The license key can free no domain yet',
    deactivation_needs_proof: 'To free a domain with the license key needs a proof of that domain',
    only_holder_deactivates: 'The license key can free no domain',
  } satisfies Record<ObstacleCode, string>,
} as const;
