import { z } from 'zod';
import type { Facet } from '../../../../core/marketplace/catalogue-terms.ts';
import { listingLimits, parsePrice } from '../../../../core/marketplace/product.ts';
import type { Storefront } from '../../../../core/marketplace/storefront.ts';
import { catalogueOrders } from '../../../../core/ports/catalogue.ts';
import { isRefused, refuse } from '../../../../core/refusal.ts';
import type { Addresses } from '../../addresses.ts';
import { pageOf, pageQuery } from '../../cursor.ts';
import { Failure } from '../../failures.ts';
import { optionalText, text } from '../../fields.ts';
import { publicRoute } from '../../public-route.ts';
import type { Route, Tag } from '../../route.ts';
import { offerDetail, offerItem, renderDetail, renderOffer } from './offer.ts';

/** The most characters of a search. */
const longestSearch = 200;

const tag: Tag = {
  name: 'Storefront',
  description: 'The products that everybody can buy. These calls need no key, and pages of any origin may make them.',
};

const chosen = (example: string) => optionalText(listingLimits.word).meta({ example });

const price = (example: string, description: string) =>
  z
    .string()
    .optional()
    .transform((value, context) => {
      const cents = value ? parsePrice(value.trim()) : undefined;
      if (cents === undefined && value) context.addIssue('It must be an amount in US dollars, such as 49 or 49.90.');
      return cents;
    })
    .meta({ description, example });

const filters = z.object({
  search: optionalText(longestSearch).meta({
    description:
      'Words in title, tagline, tags and name of the seller. All must be there. The last one can be the beginning of a word. Case and accents do not matter.',
    example: 'uniswap de',
  }),
  category: chosen('defi-dex'),
  subcategory: chosen('amm'),
  module: chosen('token'),
  blockchain: chosen('base'),
  price_from: price('0', 'In US dollars.'),
  price_to: price('100', 'In US dollars.'),
  supported: z
    .enum(['true', 'false'], 'It must be true or false.')
    .optional()
    .transform((value) => value === 'true')
    .meta({ description: '`true`: only products whose seller provides support.', example: 'false' }),
  sort: z
    .enum(catalogueOrders, `It must be one of: ${catalogueOrders.join(', ')}.`)
    .optional()
    .transform((value) => value ?? 'newest')
    .meta({ description: '`newest` by default.', example: 'price_low' }),
});

/** In the order of the API reference. They need no key. */
export function storefrontRoutes(storefront: Storefront, addresses: Addresses): Route[] {
  return [
    publicRoute({
      id: 'list-offers',
      tag,
      summary: 'Lists and searches the products for sale',
      method: 'get',
      paths: ['/api/marketplace/products'],
      query: filters.extend(pageQuery),
      answer: pageOf(offerItem),
      refusals: [],
      cacheControl: 'public, max-age=60',
      async handle({ query: { search, category, subcategory, module, blockchain, ...rest } }) {
        const values: Record<Facet, string | undefined> = {
          category: category ?? undefined,
          subcategory: subcategory ?? undefined,
          module: module ?? undefined,
          blockchain: blockchain ?? undefined,
        };
        const page = await storefront.list({
          ...values,
          search: search ?? undefined,
          isSupported: rest.supported,
          priceFrom: rest.price_from,
          priceTo: rest.price_to,
          order: rest.sort,
          after: rest.cursor,
          limit: rest.limit,
        });
        if (isRefused(page)) {
          throw new Failure('validation_error', { fields: { cursor: [page.detail ?? page.reason] } });
        }
        const data = await Promise.all(page.items.map((item) => renderOffer(item, addresses)));
        return { success: true as const, data, next_cursor: page.next };
      },
    }),
    publicRoute({
      id: 'get-offer',
      tag,
      summary: 'Returns a product for sale',
      method: 'get',
      paths: ['/api/marketplace/products/:slug'],
      params: z.object({ slug: text(200).meta({ example: 'uniswap-style-dex' }) }),
      answer: z.object({ success: z.literal(true), data: offerDetail }),
      refusals: ['not_found'],
      cacheControl: 'public, max-age=60',
      async handle({ params }) {
        const found = await storefront.find(params.slug);
        if (isRefused(found)) return refuse('not_found' as const, found.detail);
        return { success: true as const, data: await renderDetail(found, addresses) };
      },
    }),
  ];
}
