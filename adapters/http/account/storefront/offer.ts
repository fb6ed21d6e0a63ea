import { z } from 'zod';
import { iso } from '../../../../core/iso.ts';
import { formatPrice, type Product } from '../../../../core/marketplace/product.ts';
import type { OfferedProduct } from '../../../../core/marketplace/storefront.ts';
import type { CatalogueItem } from '../../../../core/ports/catalogue.ts';
import type { Addresses } from '../../addresses.ts';
import { timestamp } from '../../fields.ts';
import { renderTerms, termsItem } from '../marketplace/terms.ts';

/** A product as everybody sees it. */
export const offerItem = z
  .object({
    id: z.int().meta({ example: 31 }),
    slug: z.string().meta({ example: 'uniswap-style-dex' }),
    title: z.string().meta({ example: 'Uniswap-style DEX' }),
    tagline: z.string().meta({ example: 'Swap anything' }),
    price: z.string().meta({ description: 'With two decimals; `0.00` is free.', example: '49.90' }),
    currency: z.literal('USD'),
    module: z.string().meta({ example: 'token' }),
    variant: z.string().nullable().meta({ example: 'erc20' }),
    category: z.string().nullable().meta({ example: 'defi-dex' }),
    subcategory: z.string().nullable().meta({ example: 'amm' }),
    tags: z.array(z.string()).meta({ example: ['defi', 'dex'] }),
    blockchains: z.array(z.string()).meta({ example: ['ethereum', 'base'] }),
    is_supported: z.boolean().meta({ description: 'Whether the seller provides support.' }),
    seller_name: z.string().nullable().meta({ example: 'Ada & Co' }),
    version: z.string().nullable().meta({ description: 'The number of the newest version.', example: '1.2.0' }),
    max_domains: termsItem.shape.max_domains,
    duration: termsItem.shape.duration,
    thumbnail_url: z.string().nullable().meta({ example: 'https://api.example.com/media/9b2e.png' }),
    url: z.string().meta({
      description: 'The page of the product.',
      example: 'https://api.example.com/marketplace/uniswap-style-dex',
    }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'StorefrontOffer' });

const version = z
  .object({
    number: z.string().meta({ example: '1.2.0' }),
    notes: z.string().meta({ description: 'What is new. Can be empty.', example: 'Works with Base.' }),
    created_at: timestamp,
  })
  .meta({ id: 'StorefrontOfferVersion' });

export const offerDetail = offerItem
  .omit({ max_domains: true, duration: true })
  .extend({
    description: z
      .string()
      .meta({ description: 'Markdown of the seller.', example: 'A decentralised exchange, ready to deploy.' }),
    terms: termsItem,
    versions: z.array(version).meta({ description: 'The newest 20, newest first.' }),
  })
  .meta({ id: 'StorefrontOfferDetail' });

type Shared = Omit<CatalogueItem, 'sold'> & Pick<Product, 'thumbnail'>;

export async function renderOffer(item: Shared, addresses: Addresses): Promise<z.output<typeof offerItem>> {
  const { duration } = item.terms;
  return {
    ...(await renderShared(item, addresses)),
    max_domains: item.terms.maxDomains,
    duration: duration && { ...duration },
  };
}

export async function renderDetail(
  { product, versions }: OfferedProduct,
  addresses: Addresses,
): Promise<z.output<typeof offerDetail>> {
  return {
    ...(await renderShared(product, addresses)),
    description: product.description,
    terms: renderTerms(product.terms),
    versions: versions.map(({ number, notes, createdAt }) => ({ number, notes, created_at: iso(createdAt) })),
  };
}

async function renderShared(item: Shared, addresses: Addresses) {
  return {
    id: item.id,
    slug: item.slug,
    title: item.title,
    tagline: item.tagline,
    price: formatPrice(item.price),
    currency: 'USD' as const,
    module: item.module,
    variant: item.variant,
    category: item.category,
    subcategory: item.subcategory,
    tags: [...item.tags],
    blockchains: [...item.blockchains],
    is_supported: item.isSupported,
    seller_name: item.sellerName,
    version: item.version,
    thumbnail_url: item.thumbnail && (await addresses.media(item.thumbnail)),
    url: addresses.offer(item.slug),
    created_at: iso(item.createdAt),
    updated_at: iso(item.updatedAt),
  };
}
