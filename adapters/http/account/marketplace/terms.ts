import { z } from 'zod';
import {
  durationStarts,
  type ProductTerms,
  refundRules,
  termLimits,
} from '../../../../core/marketplace/product-terms.ts';
import { text } from '../../fields.ts';

const whole = (least: number, most: number) => {
  const fault = `It must be a whole number from ${least} to ${most}.`;
  return z.int(fault).min(least, fault).max(most, fault);
};
const isBoolean = z.boolean('It must be true or false.');

const fields = {
  max_domains: whole(1, termLimits.maxDomains).meta({
    description: 'On how many domains each license works.',
    example: 3,
  }),
  duration: z
    .object({
      days: whole(1, termLimits.days).meta({ example: 365 }),
      from: z
        .enum(durationStarts, `It must be ${durationStarts.join(' or ')}.`)
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
  moves_per_month: whole(0, termLimits.movesPerMonth).meta({
    description: 'How often domains of one license can be moved in a calendar month (UTC).',
    example: 3,
  }),
  on_refund: z.enum(refundRules, `It must be ${refundRules.join(' or ')}.`).meta({
    description: 'Whether a license is revoked or kept when its price is refunded in full.',
    example: 'revoke',
  }),
};

/** The terms of the licenses of a product. */
export const termsItem = z.object(fields).meta({ id: 'AccountProductTerms' });

/** The terms to change. */
export const termsEdit = z.strictObject(fields).partial();

export function renderTerms({
  maxDomains,
  duration,
  hosts,
  movesPerMonth,
  onRefund,
}: ProductTerms): z.output<typeof termsItem> {
  return {
    max_domains: maxDomains,
    duration: duration && { ...duration },
    local_hosts_are_free: hosts.localHostsAreFree,
    preview_hosts: [...hosts.previewHosts],
    www_is_apex: hosts.wwwIsApex,
    moves_per_month: movesPerMonth,
    on_refund: onRefund,
  };
}
