import { z } from 'zod';
import { iso } from '../../../core/iso.ts';
import type { Facet } from '../../../core/marketplace/catalogue-terms.ts';
import { atLowestPrice, listedOffers, trialOf } from '../../../core/marketplace/offers.ts';
import { formatPrice, listingLimits, type Product, parsePrice } from '../../../core/marketplace/product.ts';
import type { FoundProduct, Storefront } from '../../../core/marketplace/storefront.ts';
import { type CatalogueItem, catalogueOrders } from '../../../core/ports/catalogue.ts';
import { isRefused } from '../../../core/refusal.ts';
import { choiceItem, pricesItem, renderChoice, renderPrices } from '../account/marketplace/price-list.ts';
import { renderTerms, termsItem } from '../account/marketplace/terms.ts';
import { offerTerms, renderOfferTerms } from '../account/products/offers.ts';
import type { Addresses } from '../addresses.ts';
import { pageAnswer, pageOf, pageQuery } from '../cursor.ts';
import { accountEnvelope } from '../envelopes.ts';
import { type FailureReason, sentToAccount } from '../failures.ts';
import { optionalText, text, timestamp } from '../fields.ts';
import { type AccountRefusal, type Declaration, expectAnswer, licenseRoute, type Route, type Tag } from '../route.ts';
import { tagOf } from '../ui/send-page.ts';
import { bundleItem, renderContent } from './bundle.ts';

const offer = z
  .object({
    ...offerTerms,
    url: z.string().meta({
      description: 'The page on which it is bought.',
      example: 'https://api.example.com/marketplace/uniswap-style-dex/buy?offer=team',
    }),
  })
  .meta({ id: 'StorefrontPrice' });

/** A product as everybody sees it. */
const productItem = z
  .object({
    id: z.int().meta({ example: 31 }),
    slug: z.string().meta({ example: 'uniswap-style-dex' }),
    title: z.string().meta({ example: 'Uniswap-style DEX' }),
    tagline: z.string().meta({ example: 'Swap anything' }),
    price: z.string().meta({
      description:
        'With two decimals; `0.00` is free. If the product has offers, the lowest of their prices, and the terms of a license are of that offer, too. If its buyers choose the price, it is the suggested one: see `pay_what_you_want`. Searches sort and filter by the least.',
      example: '49.90',
    }),
    currency: z.literal('USD'),
    prices: pricesItem,
    pay_what_you_want: choiceItem,
    is_bundle: z.boolean().meta({
      description:
        'Whether it contains other products. A bundle has no license of its own: its terms and those of its offers mean nothing.',
      example: false,
    }),
    offers: z.array(offer).meta({
      description:
        'The prices from which buyers choose, with their terms, and a `trial` at the end if there is one. Without others, the product has one price.',
      example: [],
    }),
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

const productDetail = productItem
  .omit({ max_domains: true, duration: true })
  .extend({
    description: z
      .string()
      .meta({ description: 'Markdown of the seller.', example: 'A decentralised exchange, ready to deploy.' }),
    terms: termsItem,
    bundle: bundleItem,
    versions: z.array(version).meta({ description: 'The newest 20, newest first.' }),
  })
  .meta({ id: 'StorefrontOfferDetail' });

type Shared = Omit<CatalogueItem, 'sold'> & Pick<Product, 'thumbnail'>;

async function renderProduct(item: Shared, addresses: Addresses): Promise<z.output<typeof productItem>> {
  const { maxDomains, duration } = atLowestPrice(item).terms;
  return {
    ...(await renderShared(item, addresses)),
    max_domains: maxDomains,
    duration: duration && { ...duration },
  };
}

async function renderDetail(
  { product, versions, contents }: FoundProduct,
  addresses: Addresses,
): Promise<z.output<typeof productDetail>> {
  return {
    ...(await renderShared(product, addresses)),
    description: product.description,
    terms: renderTerms(atLowestPrice(product).terms),
    bundle: product.bundle && contents.map(renderContent),
    versions: versions.map(({ number, notes, createdAt }) => ({ number, notes, created_at: iso(createdAt) })),
  };
}

async function renderShared(item: Shared, addresses: Addresses) {
  return {
    id: item.id,
    slug: item.slug,
    title: item.title,
    tagline: item.tagline,
    price: formatPrice(atLowestPrice(item).price),
    currency: 'USD' as const,
    prices: renderPrices(atLowestPrice(item).prices),
    pay_what_you_want: renderChoice(atLowestPrice(item)),
    is_bundle: item.bundle !== null,
    offers: [...listedOffers(item), ...[trialOf(item) ?? []].flat()].map((one) => ({
      ...renderOfferTerms(one),
      url: `${addresses.publicPage(item.slug)}/buy?offer=${one.slug}`,
    })),
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
    url: addresses.publicPage(item.slug),
    created_at: iso(item.createdAt),
    updated_at: iso(item.updatedAt),
  };
}

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
      'Words in title, tagline, tags, name of the seller and description. All must be there; words after the sixteenth are ignored. The last one can be the beginning of a word. Case and accents do not matter. If nothing is found, one typo is corrected in words of five letters or more.',
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
    .meta({ description: '`newest` by default. `relevance` is the best match of a search.', example: 'price_low' }),
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
      answer: pageOf(productItem).extend({
        corrected_search: z.string().nullable().meta({
          description: 'What was searched for instead, if nothing was found and a word had a typo.',
          example: 'uniswap de',
        }),
      }),
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
        if (isRefused(page)) return page;
        const data = await Promise.all(page.items.map((item) => renderProduct(item, addresses)));
        return { ...pageAnswer(data, page.next), corrected_search: page.corrected ?? null };
      },
    }),
    publicRoute({
      id: 'get-offer',
      tag,
      summary: 'Returns a product for sale',
      method: 'get',
      paths: ['/api/marketplace/products/:slug'],
      params: z.object({ slug: text(200).meta({ example: 'uniswap-style-dex' }) }),
      answer: z.object({ success: z.literal(true), data: productDetail }),
      refusals: ['not_found'],
      cacheControl: 'public, max-age=60',
      async handle({ params }) {
        const found = await storefront.find(params.slug);
        if (isRefused(found)) return found;
        return { success: true as const, data: await renderDetail(found, addresses) };
      },
    }),
  ];
}

/** Makes a route of the account API that needs no key. Clients and caches may keep its answers for as long as it says. */
function publicRoute<Params, Query, Answer extends object, const Reason extends FailureReason>(
  declaration: Declaration<Params, Query, undefined, Answer, Reason, unknown, never, AccountRefusal<Reason>>,
): Route {
  // Its answers have headers, so nothing may answer without its own function.
  const { answerQuery: _, ...route } = licenseRoute({
    ...declaration,
    envelope: accountEnvelope,
    async handle(input) {
      const answer = await declaration.handle(input);
      return expectAnswer(isRefused(answer) ? sentToAccount(answer) : answer);
    },
  });
  return {
    ...route,
    async respond(ctx) {
      await route.respond(ctx);
      ctx.set('ETag', tagOf(JSON.stringify(ctx.body)));
      ctx.status = 200;
      if (ctx.fresh) ctx.status = 304;
    },
  };
}
