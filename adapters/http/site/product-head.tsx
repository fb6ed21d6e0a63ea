import type { VNode } from 'preact';
import { formatPrice, type Product } from '../../../core/marketplace/product.ts';

/** The facts of a product that other sites and search engines show. */
export interface ProductCard {
  readonly product: Product;
  readonly site: string;
  /** The address of the product's page. */
  readonly url: string;
  /** The address of its thumbnail, on any site. */
  readonly image: string | null;
  readonly summary: string;
}

/** The description of a public product for other sites: its own address, OpenGraph and structured data. */
export function ProductHead({
  card,
  canBeBought,
}: {
  readonly card: ProductCard;
  readonly canBeBought: boolean;
}): VNode {
  const { product, site, url, image, summary } = card;
  const properties: [string, string][] = [
    ['og:type', 'product'],
    ['og:site_name', site],
    ['og:title', product.title],
    ['og:url', url],
  ];
  if (summary !== '') properties.push(['og:description', summary]);
  if (image !== null) properties.push(['og:image', image]);
  return (
    <>
      <link rel="canonical" href={url} />
      {properties.map(([property, content]) => (
        <meta key={property} property={property} content={content} />
      ))}
      <meta name="twitter:card" content={image === null ? 'summary' : 'summary_large_image'} />
      {/* The policy concerns only scripts that run. This one is data. */}
      <script
        type="application/ld+json"
        dangerouslySetInnerHTML={{ __html: inScript(structuredData(card, canBeBought)) }}
      />
    </>
  );
}

/** The product in the words of schema.org. */
function structuredData({ product, url, image, summary }: ProductCard, canBeBought: boolean): object {
  const { title, price, sellerName, category, archivedAt } = product;
  const availability = archivedAt !== null ? 'Discontinued' : canBeBought ? 'InStock' : 'OutOfStock';
  return {
    '@context': 'https://schema.org',
    '@type': 'Product',
    name: title,
    ...(summary !== '' && { description: summary }),
    ...(image !== null && { image }),
    ...(category !== null && { category }),
    url,
    offers: {
      '@type': 'Offer',
      price: formatPrice(price),
      priceCurrency: 'USD',
      availability: `https://schema.org/${availability}`,
      url,
      ...(sellerName !== null && { seller: { '@type': 'Organization', name: sellerName } }),
    },
  };
}

/** Writes JSON so that nothing in it can end the script, and so that it is JavaScript, too. */
function inScript(value: object): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
