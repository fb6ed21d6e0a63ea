import { z } from 'zod';
import { iso } from '../../../../core/iso.ts';
import { formatPrice, type Product, productStatuses } from '../../../../core/marketplace/product.ts';
import { type Addresses, previewDays } from '../../addresses.ts';
import { isoOrNull, timestamp } from '../../fields.ts';
import type { Tag } from '../../route.ts';
import { choiceItem, pricesItem, renderChoice, renderPrices } from './price-list.ts';
import { renderTerms, termsItem } from './terms.ts';

export const tag: Tag = {
  name: 'Marketplace',
  description: "The caller's own products and their files.",
};

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
