import {
  type DeactivationPolicy,
  type KeyRules,
  type ProofPolicy,
  termLimits,
} from '../../../../core/marketplace/product-terms.ts';
import { counted } from '../../ui/numbers.ts';

const deactivationPolicies = {
  key: 'The key is enough',
  proof: 'Needs a proof of the domain',
  holder: 'Not possible: only the buyer and you can',
  cool_down: 'Once in a number of hours for each license',
} as const satisfies Record<DeactivationPolicy, string>;

/** The texts about the terms of a product's licenses, on pages for sellers and administrators. */
export const termWords = {
  title: 'License terms',
  lead: 'What each license of this product allows. Domains and duration apply to licenses that are issued later.',
  byOffer: 'Domains and validity',
  eachOffer: 'As each offer says',
  change: 'Change terms',
  maxDomains: 'Domains per license',
  domainsOf: (count: number) => counted(count, 'domain'),
  duration: 'A license is valid',
  durations: {
    forever: 'For ever',
    issue: 'For a number of days from the day it is issued',
    first_activation: 'For a number of days from its first activation',
  },
  days: 'Days',
  whilePaid: 'As long as it is paid',
  hosts: 'Rules for hosts',
  hostOptions: {
    local: 'Hosts of developers, such as localhost and private addresses, take no slot',
    www: 'www.example.com and example.com count as one domain',
  },
  previewHosts: 'Preview hosts that take no slot',
  previewHostsHint: 'One pattern on each line, such as *.vercel.app or staging.*',
  tooManyPatterns: `Use at most ${termLimits.previewHosts} patterns.`,
  noPatterns: 'None',
  localHosts: 'Hosts of developers take no slot',
  wwwIsApex: 'www.example.com and example.com are one domain',
  moves: 'Moves per month',
  movesHint: 'How often the domain of a license can be moved in a calendar month.',
  rotations: 'New keys per year',
  rotationsHint: 'How often the buyer of a license can replace its key. 0: only you can.',
  leaseHours: 'Hours of a lease',
  leaseHoursHint:
    'A site that asks for a signed lease runs for so long without the license server. So a revocation reaches a site at its next check, or, if it does not reach the server, when its lease ends. 168 hours are 7 days.',
  hoursOf: (hours: number) => counted(hours, 'hour'),
  onRefund: 'After a full refund',
  refundRules: { revoke: 'The license is revoked', keep: 'The buyer keeps the license' },
  domainProof: 'Proof that the caller controls a domain',
  proofPolicies: {
    never: 'Never needed',
    to_take: 'To take the slot of another domain',
    always: 'Always, before a domain takes a slot',
  } satisfies Record<ProofPolicy, string>,
  deactivation: 'Deactivating with the license key',
  deactivationPolicies,
  deactivationOf: ({ deactivation: policy, coolDownHours }: KeyRules): string =>
    policy === 'cool_down'
      ? `Once in ${counted(coolDownHours, 'hour')} for each license`
      : deactivationPolicies[policy],
  coolDown: 'Hours between two deactivations',
  coolDownHint: 'Only used if the key can deactivate once in a number of hours.',
  on: 'Yes',
  off: 'No',
} as const;
