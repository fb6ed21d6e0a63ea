import type { VNode } from 'preact';
import { formatAmount } from '../../../core/currency.ts';
import { choiceOf } from '../../../core/marketplace/price-choice.ts';
import type { Product } from '../../../core/marketplace/product.ts';
import { type RatingSum, sumOf } from '../../../core/ratings/rating.ts';
import { leastIn, pricesShown } from '../ui/prices.ts';
import { ratingData } from './ratings-part.tsx';
import { breadcrumbData, ShareHead } from './share-head.tsx';
import { words } from './words.ts';

/** The facts of a product that other sites and search engines show. */
export interface ProductCard {
  readonly product: Product;
  readonly site: string;
  /** The address of the product's page. */
  readonly url: string;
  /** The address of the marketplace. */
  readonly above: string;
  /** The addresses of its thumbnail and its other pictures, for other sites. */
  readonly images: readonly string[];
  /** The address of the picture with title and price that other sites show. */
  readonly share: string;
  readonly summary: string;
}

/** The description of a public product for other sites. */
export function ProductHead({
  card,
  canBeBought,
  currency,
  rating = sumOf([]),
}: {
  readonly card: ProductCard;
  readonly canBeBought: boolean;
  readonly currency: string;
  readonly rating?: RatingSum | undefined;
}): VNode {
  const { product, site, url, above, share, summary } = card;
  const way = [
    { name: words.marketplace.title, url: above },
    { name: product.title, url },
  ];
  return (
    <ShareHead
      site={site}
      url={url}
      title={product.title}
      description={summary}
      image={share}
      type="product"
      data={[{ ...productData(card, canBeBought, currency), ...ratingData(rating) }, breadcrumbData(way)]}
    />
  );
}

/** The product in the words of schema.org. */
function productData({ product, url, images, summary }: ProductCard, canBeBought: boolean, wanted: string): object {
  const { title, sellerName, category, archivedAt } = product;
  const shown = pricesShown(product, wanted);
  const [lowest] = shown;
  if (lowest === undefined) throw new Error('A product has a price at least.');
  const { currency } = lowest;
  const least = formatAmount(leastIn(lowest), currency);
  const highest = formatAmount(Math.max(...shown.map((one) => one.product.price)), currency);
  // If buyers choose the price, there is only a lowest one.
  const isChosen = choiceOf(lowest) !== undefined;
  const inIt = { priceCurrency: currency.toUpperCase() };
  const availability = archivedAt !== null ? 'Discontinued' : canBeBought ? 'InStock' : 'OutOfStock';
  return {
    '@type': 'Product',
    name: title,
    ...(summary !== '' && { description: summary }),
    ...(images.length > 0 && { image: images }),
    ...(category !== null && { category }),
    ...(sellerName !== null && { brand: { '@type': 'Brand', name: sellerName } }),
    url,
    offers: {
      ...(shown.length === 1
        ? {
            ...{ '@type': 'Offer', price: least },
            ...(isChosen && { priceSpecification: { '@type': 'PriceSpecification', minPrice: least, ...inIt } }),
          }
        : {
            '@type': 'AggregateOffer',
            lowPrice: least,
            highPrice: highest,
            offerCount: shown.length,
          }),
      ...inIt,
      availability: `https://schema.org/${availability}`,
      url,
      ...(sellerName !== null && { seller: { '@type': 'Organization', name: sellerName } }),
    },
  };
}
