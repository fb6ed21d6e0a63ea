import { z } from 'zod';
import type { ListingEdit } from '../../../../core/marketplace/listing-edit.ts';
import { listingLimits, type Product } from '../../../../core/marketplace/product.ts';
import { isLink, longestLink } from '../../../../core/marketplace/product-links.ts';
import { isRefused, type Refused } from '../../../../core/refusal.ts';
import type { SellerProducts } from '../../../../core/selling/products.ts';
import type { Addresses } from '../../addresses.ts';
import { missingOr, text, trimmed } from '../../fields.ts';
import { type AccountTools, accountRoute, type Route, type Tag } from '../../route.ts';
import { choiceEdit, pricesEdit } from '../marketplace/price-list.ts';
import { productItem, renderProduct } from '../marketplace/product.ts';
import { listing } from '../marketplace/routes.ts';
import { termsEdit, toTermsEdit } from '../marketplace/terms.ts';
import { sellerOf } from '../seller.ts';

const tag: Tag = {
  name: 'Products',
  description: "The caller's own products, or all products for administrators: those of the mode of the API key.",
};

/** What the routes about a seller's products have in common. */
export const reading = { tag, scope: 'marketplace:read' } as const;
export const writing = { tag, scope: 'marketplace:write' } as const;

/** The dependencies of the routes of products. */
export interface ProductTools {
  readonly tools: AccountTools;
  readonly products: SellerProducts;
  readonly addresses: Addresses;
}

export const params = z.object({
  id: text(200).meta({
    description: 'Id or slug of a product. Digits alone are always an id.',
    example: 'uniswap-style-dex',
  }),
});

export const oneProduct = z.object({ success: z.literal(true), product: productItem });

const { word, words, sellerName } = listingLimits;
const { module, title, tagline, description, price } = listing.shape;

const someWords = z
  .array(trimmed(word), missingOr('It must be a list of texts.'))
  .max(words, `It must have at most ${words} texts.`);

const oneLink = trimmed(longestLink)
  .refine(isLink, 'It must be an address that begins with https://.')
  .nullable()
  .meta({ format: 'uri', example: 'https://demo.example.com' });
const linksEdit = z.strictObject({ demo: oneLink, source: oneLink, video: oneLink }).partial();

/** What a seller can change of a product. */
export const editable = z
  .strictObject({
    module,
    title,
    tagline,
    description,
    price,
    prices: pricesEdit,
    pay_what_you_want: choiceEdit,
    variant: trimmed(word).nullable().meta({ example: 'erc20' }),
    category: trimmed(word).nullable().meta({ example: 'defi-dex' }),
    subcategory: trimmed(word).nullable().meta({ example: 'amm' }),
    is_supported: z.boolean('It must be true or false.').meta({ description: 'Whether the seller provides support.' }),
    tags: someWords.meta({ example: ['defi', 'dex'] }),
    blockchains: someWords.meta({ example: ['ethereum', 'base'] }),
    seller_name: trimmed(sellerName)
      .nullable()
      .meta({ description: 'The name of the seller for buyers.', example: 'Ada & Co' }),
    links: linksEdit.meta({ description: 'The links to change. Null takes a link away.' }),
    terms: termsEdit.meta({ description: 'The terms to change. Domains and duration apply to later licenses.' }),
  })
  .partial();

export function oneProductRoutes({ tools, products, addresses }: ProductTools): Route[] {
  return [
    accountRoute(tools, {
      id: 'get-product',
      ...reading,
      summary: 'Returns a product',
      method: 'get',
      paths: ['/api/products/:id'],
      params,
      answer: oneProduct,
      refusals: ['not_found'],
      handle: async ({ caller, params }) =>
        await answerWithProduct(await products.show(params.id, sellerOf(caller)), addresses),
    }),
    accountRoute(tools, {
      id: 'change-product',
      ...writing,
      summary: 'Changes the given fields of a product',
      description: 'A published product stays published. The slug does not change.',
      method: 'patch',
      paths: ['/api/products/:id'],
      params,
      body: editable,
      hasLargeBody: true,
      answer: oneProduct,
      refusals: ['not_found', 'conflict'],
      handle: async ({ caller, params, body }) =>
        await answerWithProduct(await products.change(params.id, toEdit(body), sellerOf(caller)), addresses),
    }),
  ];
}

/** Returns the response body with the product, or the refusal. */
export async function answerWithProduct<Reason extends string>(
  product: Product | Refused<Reason>,
  addresses: Addresses,
): Promise<z.output<typeof oneProduct> | Refused<Reason>> {
  if (isRefused(product)) return product;
  return { success: true, product: await renderProduct(product, addresses) };
}

export function toEdit({
  is_supported,
  seller_name,
  pay_what_you_want,
  terms,
  ...same
}: z.output<typeof editable>): ListingEdit {
  return {
    ...same,
    leastPrices: pay_what_you_want,
    isSupported: is_supported,
    sellerName: seller_name,
    terms: terms && toTermsEdit(terms),
  };
}
