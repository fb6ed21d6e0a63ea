import type { ProductId } from '../id.ts';
import type { CatalogueFilter, Facet } from '../marketplace/catalogue-terms.ts';
import type { Product } from '../marketplace/product.ts';

/**
 * The ways to sort the catalogue. Products with the same price, number of sales or relevance are sorted by their ids.
 *
 * `relevance`: first those that have the words of the search whole and early in title, tagline, tags or seller, then those
 * that were sold most. Without words, and if too many products have them, by sales.
 */
export const catalogueOrders = ['relevance', 'newest', 'price_low', 'price_high', 'most_sold'] as const;
export type CatalogueOrder = (typeof catalogueOrders)[number];

/** A place in the catalogue: directly before or after this product. The product may have been removed since. */
export interface CataloguePlace {
  readonly id: ProductId;
  /** The price, the number of sales or the relevance that the product had, if the order is by it. Otherwise `null`. */
  readonly by: number | null;
}

export type CatalogueSide = 'after' | 'before';

export interface CatalogueQuery extends CatalogueFilter {
  readonly order: CatalogueOrder;
  /** The page begins after this place, or ends before it. Without it, the first page. */
  readonly from?: { readonly side: CatalogueSide; readonly place: CataloguePlace } | undefined;
  readonly limit: number;
}

/** A product in a list of the catalogue. */
export interface CatalogueItem
  extends Pick<
    Product,
    | 'id'
    | 'slug'
    | 'title'
    | 'tagline'
    | 'price'
    | 'prices'
    | 'leastPrices'
    | 'offers'
    | 'bundle'
    | 'module'
    | 'variant'
    | 'category'
    | 'subcategory'
    | 'tags'
    | 'blockchains'
    | 'isSupported'
    | 'thumbnail'
    | 'sellerName'
    | 'version'
    | 'terms'
    | 'createdAt'
    | 'updatedAt'
  > {
  /** How often it was bought, or taken for free. */
  readonly sold: number;
  /** What a list is sorted by, if that is relevance. */
  readonly relevance?: number;
  /** Only in the answer to a search for words. */
  readonly description?: string;
}

/** A part of the catalogue. */
export interface CataloguePart {
  /** In the order of the query, whichever side was read. */
  readonly items: readonly CatalogueItem[];
  /** The place to read on from, in the same direction. `undefined` at the end. */
  readonly further: CataloguePlace | undefined;
}

/** A value of a filter. */
export interface FacetValue {
  /** As a seller wrote it. */
  readonly label: string;
  readonly products: number;
}

/** The facts of a product in the list for search engines. */
export type ListedProduct = Pick<Product, 'slug' | 'updatedAt'>;

/** The products that everybody can find. All databases find the same products, in the same order. */
export interface Catalogue {
  /**
   * Returns the products next to a place. Reads a bounded number of rows, so that its time does not grow with the
   * number of products. So it can return few or no products, together with a place from which to continue. May be some
   * seconds old.
   */
  search(query: CatalogueQuery): Promise<CataloguePart>;
  /**
   * Returns a search in which each word that no product has is replaced by one that differs by one typo, the most frequent
   * one if there are several. `undefined` if all words are known, or if one of them cannot be replaced. May be some
   * seconds old.
   */
  corrected(search: string): Promise<string | undefined>;
  /** Returns the products whose ids are in a range, in the order of their ids. May be some seconds old. */
  listedIn(range: { readonly from: number; readonly before: number }): Promise<ListedProduct[]>;
  /** Returns the largest id of a product, or 0 without products. May be some seconds old. */
  newestId(): Promise<number>;
  /** Returns the values of a filter that most products have, the most frequent first. May be some seconds old. */
  values(facet: Facet, limit: number): Promise<FacetValue[]>;
}
