import { z } from 'zod';
import type { ListingEdit } from '../../../../core/marketplace/listing-edit.ts';
import {
  deactivationPolicies,
  durationStarts,
  type ProductTerms,
  proofPolicies,
  refundRules,
  termLimits,
} from '../../../../core/marketplace/product-terms.ts';
import { text, wholeNumber } from '../../fields.ts';

const oneOfThese = (all: readonly string[]) => `It must be ${all.slice(0, -1).join(', ')} or ${all.at(-1)}.`;
const isBoolean = z.boolean('It must be true or false.');

const fields = {
  max_domains: wholeNumber(1, termLimits.maxDomains).meta({
    description: 'On how many domains each license works.',
    example: 3,
  }),
  duration: z
    .object({
      days: wholeNumber(1, termLimits.days).meta({ example: 365 }),
      from: z
        .enum(durationStarts, oneOfThese(durationStarts))
        .meta({ description: 'When the days begin.', example: 'first_activation' }),
    })
    .nullable()
    .meta({ description: 'How long a license is valid. Null means forever.' }),
  local_hosts_are_free: isBoolean.meta({
    description: 'Whether hosts of developers, such as `localhost`, take no slot.',
    example: true,
  }),
  preview_hosts: z
    .array(text(termLimits.pattern))
    .max(termLimits.previewHosts, `There can be at most ${termLimits.previewHosts} patterns.`)
    .meta({ description: 'Patterns of hosts that take no slot.', example: ['*.vercel.app'] }),
  www_is_apex: isBoolean.meta({
    description: 'Whether `www.example.com` and `example.com` are one domain.',
    example: false,
  }),
  moves_per_month: wholeNumber(0, termLimits.movesPerMonth).meta({
    description: 'How often domains of one license can be moved in a calendar month (UTC).',
    example: 3,
  }),
  rotations_per_year: wholeNumber(0, termLimits.rotationsPerYear).meta({
    description: 'How often the buyer of a license can replace its key in a year.',
    example: 2,
  }),
  lease_hours: wholeNumber(1, termLimits.leaseHours).meta({
    description:
      'For how many hours a signed lease of a license is valid, if the license does not end earlier. A site that keeps one may not notice a revocation for so long.',
    example: 168,
  }),
  on_refund: z.enum(refundRules, oneOfThese(refundRules)).meta({
    description: 'Whether a license is revoked or kept when its price is refunded in full.',
    example: 'revoke',
  }),
  domain_proof: z.enum(proofPolicies, oneOfThese(proofPolicies)).meta({
    description:
      'When a domain must be proven: never, to take the slot of another domain, or always before it takes a slot.',
    example: 'never',
  }),
  deactivation: z.enum(deactivationPolicies, oneOfThese(deactivationPolicies)).meta({
    description:
      'What deactivating with the license key needs: the key alone, a proof of the domain, the buyer (not possible with the key), or some hours since the last time.',
    example: 'key',
  }),
  cool_down_hours: wholeNumber(1, termLimits.coolDownHours).meta({
    description: 'With `cool_down`: the hours between two deactivations of one license by its key.',
    example: 24,
  }),
};

/** The terms of the licenses of a product. */
export const termsItem = z.object(fields).meta({ id: 'AccountProductTerms' });

/** The terms to change. */
export const termsEdit = z.strictObject(fields).partial();

export function renderTerms(terms: ProductTerms): z.output<typeof termsItem> {
  return {
    max_domains: terms.maxDomains,
    duration: terms.duration && { ...terms.duration },
    local_hosts_are_free: terms.hosts.localHostsAreFree,
    preview_hosts: [...terms.hosts.previewHosts],
    www_is_apex: terms.hosts.wwwIsApex,
    moves_per_month: terms.movesPerMonth,
    rotations_per_year: terms.rotationsPerYear,
    lease_hours: terms.leaseHours,
    on_refund: terms.onRefund,
    domain_proof: terms.domainProof,
    deactivation: terms.deactivation,
    cool_down_hours: terms.coolDownHours,
  };
}

/** Returns the terms to change. Those that are not named are undefined. */
export function toTermsEdit(terms: z.output<typeof termsEdit>): ListingEdit['terms'] {
  return {
    maxDomains: terms.max_domains,
    duration: terms.duration,
    hosts: {
      localHostsAreFree: terms.local_hosts_are_free,
      previewHosts: terms.preview_hosts,
      wwwIsApex: terms.www_is_apex,
    },
    movesPerMonth: terms.moves_per_month,
    rotationsPerYear: terms.rotations_per_year,
    leaseHours: terms.lease_hours,
    onRefund: terms.on_refund,
    domainProof: terms.domain_proof,
    deactivation: terms.deactivation,
    coolDownHours: terms.cool_down_hours,
  };
}
