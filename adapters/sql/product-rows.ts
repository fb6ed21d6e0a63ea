import { toProductId, toTemplateId, toUserId } from '../../core/id.ts';
import type { AdaptedProduct, ComparedProduct, Product, ProductStatus } from '../../core/marketplace/product.ts';
import { noAdapters, type ProductAdapters, systemsWithClients } from '../../core/marketplace/product-adapters.ts';
import { noLinks } from '../../core/marketplace/product-links.ts';
import { isSame } from '../../core/same.ts';
import { type TermsRow, toTerms, toTermsRow } from './product-terms.ts';

/** A row of `products`. Booleans are 0 or 1. */
export interface ProductRow extends TermsRow {
  readonly id: number;
  readonly slug: string;
  readonly title: string;
  readonly owner_id: number | null;
  readonly status: string;
  readonly is_live: number;
  readonly tagline: string;
  readonly description: string;
  readonly price: number;
  readonly module: string;
  readonly variant: string | null;
  readonly category: string | null;
  readonly subcategory: string | null;
  readonly tags: string;
  readonly blockchains: string;
  readonly is_supported: number;
  readonly zip: string | null;
  readonly thumbnail: string | null;
  readonly version: string | null;
  readonly is_approved: number;
  readonly seller_name: string | null;
  readonly rejection_reason: string | null;
  readonly archived_at: number | null;
  /** JSON. `null` without pictures. */
  readonly pictures: string | null;
  /** JSON. `null` without links. */
  readonly links: string | null;
  /** JSON. `null` without offers. */
  readonly offers: string | null;
  /** JSON. `null` if all are off and have no ids. */
  readonly adapters: string | null;
  /** JSON. `null` if it is no bundle. */
  readonly bundle: string | null;
  /** JSON. `null` without prices in other currencies. */
  readonly prices: string | null;
  /** JSON. `null` if buyers pay the price. */
  readonly least_prices: string | null;
  readonly template_id: number | null;
  readonly created_at: number;
  readonly updated_at: number;
}

export function toRow(product: Omit<Product, 'id'>): Omit<ProductRow, 'id'> {
  const { ownerId, isLive, isSupported, isApproved, createdAt, updatedAt, tags, blockchains, terms, ...more } = product;
  const {
    sellerName,
    rejectionReason,
    archivedAt,
    templateId,
    links,
    pictures,
    offers,
    prices,
    leastPrices,
    adapters,
    bundle,
    ...same
  } = more;
  return {
    ...same,
    ...toTermsRow(terms),
    owner_id: ownerId,
    is_live: Number(isLive),
    is_supported: Number(isSupported),
    is_approved: Number(isApproved),
    tags: JSON.stringify(tags),
    blockchains: JSON.stringify(blockchains),
    seller_name: sellerName,
    rejection_reason: rejectionReason,
    archived_at: archivedAt,
    pictures: pictures.length === 0 ? null : JSON.stringify(pictures),
    offers: offers.length === 0 ? null : JSON.stringify(offers),
    adapters: isSame(adapters, noAdapters) ? null : JSON.stringify(adapters),
    bundle: bundle && JSON.stringify(bundle),
    prices: Object.keys(prices).length === 0 ? null : JSON.stringify(prices),
    least_prices: leastPrices && JSON.stringify(leastPrices),
    links: isSame(links, noLinks) ? null : JSON.stringify(links),
    template_id: templateId,
    created_at: createdAt,
    updated_at: updatedAt,
  };
}

export function toProduct(row: ProductRow): Product {
  return {
    id: toProductId(row.id),
    slug: row.slug,
    title: row.title,
    tagline: row.tagline,
    description: row.description,
    price: row.price,
    module: row.module,
    variant: row.variant,
    category: row.category,
    subcategory: row.subcategory,
    tags: JSON.parse(row.tags),
    blockchains: JSON.parse(row.blockchains),
    isSupported: row.is_supported === 1,
    status: row.status as ProductStatus,
    ownerId: row.owner_id === null ? null : toUserId(row.owner_id),
    isLive: row.is_live === 1,
    zip: row.zip,
    thumbnail: row.thumbnail,
    version: row.version,
    isApproved: row.is_approved === 1,
    sellerName: row.seller_name,
    rejectionReason: row.rejection_reason,
    archivedAt: row.archived_at,
    pictures: row.pictures ? JSON.parse(row.pictures) : [],
    links: row.links ? { ...noLinks, ...JSON.parse(row.links) } : noLinks,
    terms: toTerms(row),
    prices: row.prices ? JSON.parse(row.prices) : {},
    leastPrices: row.least_prices ? JSON.parse(row.least_prices) : null,
    offers: row.offers ? JSON.parse(row.offers) : [],
    adapters: toAdapters(row.adapters),
    bundle: row.bundle ? JSON.parse(row.bundle) : null,
    templateId: row.template_id === null ? null : toTemplateId(row.template_id),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** The columns that `toAdapted` reads. */
export const adaptedColumns = ['id', 'slug', 'title', 'status', 'is_live', 'adapters'] as const;

export function toAdapted(row: Pick<ProductRow, (typeof adaptedColumns)[number]>): AdaptedProduct {
  const { id, slug, title, status, is_live: isLive, adapters } = row;
  const same = { slug, title, status: status as ProductStatus, isLive: isLive === 1 };
  return { id: toProductId(id), ...same, adapters: toAdapters(adapters) };
}

/** The columns that `toCompared` reads. */
export const comparedColumns = ['id', 'slug', 'title', 'owner_id', 'is_live', 'adapters'] as const;

/** Returns the product in a row with only these columns. */
export function toCompared(row: Pick<ProductRow, (typeof comparedColumns)[number]>): ComparedProduct {
  const { id, slug, title, owner_id: ownerId, is_live: isLive, adapters } = row;
  const own = { slug, title, ownerId: ownerId === null ? null : toUserId(ownerId), isLive: isLive === 1 };
  return { id: toProductId(id), ...own, adapters: toAdapters(adapters) };
}

/** Older rows lack the systems and the settings that came later. */
function toAdapters(text: string | null): ProductAdapters {
  if (!text) return noAdapters;
  const stored = JSON.parse(text);
  const all = systemsWithClients.map((system) => [system, { ...noAdapters[system], ...stored[system] }]);
  return Object.fromEntries(all) as ProductAdapters;
}
