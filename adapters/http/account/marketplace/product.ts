import { z } from 'zod';
import { iso } from '../../../../core/iso.ts';
import { formatPrice, type Product, productStatuses } from '../../../../core/marketplace/product.ts';
import {
  deactivationGuards,
  durationStarts,
  type ProductTerms,
  proofPolicies,
  refundRules,
  termLimits,
} from '../../../../core/marketplace/product-terms.ts';
import { type Addresses, previewDays } from '../../addresses.ts';
import { isoOrNull, text, timestamp } from '../../fields.ts';
import type { Tag } from '../../route.ts';
import { choiceItem, pricesItem, renderChoice, renderPrices } from './price-list.ts';

export const tag: Tag = {
  name: 'Marketplace',
  description: "The caller's own products and their files.",
};

const whole = (least: number, most: number) => {
  const fault = `It must be a whole number from ${least} to ${most}.`;
  return z.int(fault).min(least, fault).max(most, fault);
};
const oneOfThese = (all: readonly string[]) => `It must be ${all.slice(0, -1).join(', ')} or ${all.at(-1)}.`;
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
  rotations_per_year: whole(0, termLimits.rotationsPerYear).meta({
    description: 'How often the buyer of a license can replace its key in a year.',
    example: 2,
  }),
  lease_hours: whole(1, termLimits.leaseHours).meta({
    description:
      'For how many hours a signed lease of a license is valid, if the license does not end earlier. A site that keeps one may not notice a revocation for so long.',
    example: 168,
  }),
  on_refund: z.enum(refundRules, `It must be ${refundRules.join(' or ')}.`).meta({
    description: 'Whether a license is revoked or kept when its price is refunded in full.',
    example: 'revoke',
  }),
  domain_proof: z.enum(proofPolicies, oneOfThese(proofPolicies)).meta({
    description:
      'When a domain must be proven: never, to take the slot of another domain, or always before it takes a slot.',
    example: 'never',
  }),
  deactivation: z.enum(deactivationGuards, oneOfThese(deactivationGuards)).meta({
    description:
      'What deactivating with the license key needs: the key alone, a proof of the domain, the buyer (not possible with the key), or some hours since the last time.',
    example: 'key',
  }),
  cool_down_hours: whole(1, termLimits.coolDownHours).meta({
    description: 'With `cool_down`: the hours between two deactivations of one license by its key.',
    example: 24,
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
  rotationsPerYear,
  leaseHours,
  onRefund,
  domainProof,
  deactivation,
  coolDownHours,
}: ProductTerms): z.output<typeof termsItem> {
  return {
    max_domains: maxDomains,
    duration: duration && { ...duration },
    local_hosts_are_free: hosts.localHostsAreFree,
    preview_hosts: [...hosts.previewHosts],
    www_is_apex: hosts.wwwIsApex,
    moves_per_month: movesPerMonth,
    rotations_per_year: rotationsPerYear,
    lease_hours: leaseHours,
    on_refund: onRefund,
    domain_proof: domainProof,
    deactivation,
    cool_down_hours: coolDownHours,
  };
}

export const marketplaceUrl = z.string().meta({
  description: `The public page. Until the product is public, a preview link that expires after ${previewDays} days; each response has a new one.`,
  example: 'https://api.example.com/marketplace/uniswap-style-dex?preview=1795253460.kq3v',
});

/** A product as its seller sees it. */
export const productItem = z
  .object({
    id: z.int().meta({ example: 31 }),
    slug: z.string().meta({ example: 'uniswap-style-dex' }),
    title: z.string().meta({ example: 'Uniswap-style DEX' }),
    tagline: z.string().meta({ example: 'Swap anything' }),
    description: z.string().meta({ example: 'A decentralised exchange, ready to deploy.' }),
    status: z.enum(productStatuses),
    price: z.string().meta({ description: 'In US dollars, with two decimals.', example: '49.90' }),
    prices: pricesItem,
    pay_what_you_want: choiceItem,
    module: z.string().meta({ example: 'token' }),
    variant: z.string().nullable().meta({ example: 'erc20' }),
    category: z.string().nullable().meta({ example: 'defi-dex' }),
    subcategory: z.string().nullable().meta({ example: 'amm' }),
    tags: z.array(z.string()).meta({ example: ['defi', 'dex'] }),
    blockchains: z.array(z.string()).meta({ example: ['ethereum', 'base'] }),
    is_supported: z.boolean(),
    livemode: z.boolean().meta({ description: 'False if a test key published it.' }),
    thumbnail_url: z.string().nullable().meta({ example: 'https://api.example.com/media/9b2e.png' }),
    marketplace_url: marketplaceUrl,
    version: z.string().nullable().meta({ description: 'The number of the newest version.', example: '1.2.0' }),
    seller_name: z.string().nullable().meta({ description: 'The name of the seller for buyers.', example: 'Ada & Co' }),
    template: z.int().nullable().meta({
      description: 'The id of the template whose download is sold with it. Administrators set it.',
      example: null,
    }),
    rejection_reason: z
      .string()
      .nullable()
      .meta({ description: 'Why an administrator rejected it. Null unless it is rejected.', example: null }),
    archived_at: timestamp.nullable().meta({ description: 'An archived product cannot be changed.', example: null }),
    links: z.object({ demo: z.string().nullable(), source: z.string().nullable(), video: z.string().nullable() }).meta({
      description: 'Pages of other sites about it.',
      example: { demo: 'https://demo.example.com', source: null, video: null },
    }),
    terms: termsItem,
    bundle: z
      .array(z.object({ product: z.int(), offer: z.string().nullable() }))
      .nullable()
      .meta({
        description:
          'The products that it contains, each with the slug of its offer. A bundle has no license of its own, so its `terms` and those of its offers mean nothing. Null: it is no bundle.',
        example: null,
      }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'AccountProduct' });

export async function renderProduct(product: Product, addresses: Addresses): Promise<z.output<typeof productItem>> {
  return {
    id: product.id,
    slug: product.slug,
    title: product.title,
    tagline: product.tagline,
    description: product.description,
    status: product.status,
    price: formatPrice(product.price),
    prices: renderPrices(product.prices),
    pay_what_you_want: renderChoice(product),
    module: product.module,
    variant: product.variant,
    category: product.category,
    subcategory: product.subcategory,
    tags: [...product.tags],
    blockchains: [...product.blockchains],
    is_supported: product.isSupported,
    livemode: product.isLive,
    thumbnail_url: product.thumbnail && (await addresses.media(product.thumbnail)),
    marketplace_url: addresses.product(product),
    version: product.version,
    seller_name: product.sellerName,
    template: product.templateId,
    rejection_reason: product.rejectionReason,
    archived_at: isoOrNull(product.archivedAt),
    links: product.links,
    terms: renderTerms(product.terms),
    bundle: product.bundle?.map(({ productId, offer }) => ({ product: productId, offer })) ?? null,
    created_at: iso(product.createdAt),
    updated_at: iso(product.updatedAt),
  };
}
