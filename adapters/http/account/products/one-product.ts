import { z } from 'zod';
import type { ListingEdit } from '../../../../core/marketplace/listing-edit.ts';
import { listingLimits } from '../../../../core/marketplace/product.ts';
import { missingOr, trimmed } from '../../fields.ts';
import { accountRoute, type Route } from '../../route.ts';
import { listing } from '../marketplace/listing.ts';
import { termsEdit } from '../marketplace/terms.ts';
import { sellerOf } from '../seller.ts';
import { answerWithProduct, oneProduct, type ProductTools, params } from './product-tools.ts';
import { tag } from './tag.ts';

const { word, words, sellerName } = listingLimits;
const { module, title, tagline, description, price } = listing.shape;

const someWords = z
  .array(trimmed(word), missingOr('It must be a list of texts.'))
  .max(words, `It must have at most ${words} texts.`);

const edit = z
  .strictObject({
    module,
    title,
    tagline,
    description,
    price,
    variant: trimmed(word).nullable().meta({ example: 'erc20' }),
    category: trimmed(word).nullable().meta({ example: 'defi-dex' }),
    subcategory: trimmed(word).nullable().meta({ example: 'amm' }),
    is_supported: z.boolean('It must be true or false.').meta({ description: 'Whether the seller provides support.' }),
    tags: someWords.meta({ example: ['defi', 'dex'] }),
    blockchains: someWords.meta({ example: ['ethereum', 'base'] }),
    seller_name: trimmed(sellerName)
      .nullable()
      .meta({ description: 'The name of the seller for buyers.', example: 'Ada & Co' }),
    terms: termsEdit.meta({ description: 'The terms to change. Domains and duration apply to later licenses.' }),
  })
  .partial();

function toEdit({ is_supported, seller_name, terms, ...same }: z.output<typeof edit>): ListingEdit {
  return {
    ...same,
    isSupported: is_supported,
    sellerName: seller_name,
    terms: terms && {
      maxDomains: terms.max_domains,
      duration: terms.duration,
      movesPerMonth: terms.moves_per_month,
      onRefund: terms.on_refund,
      hosts: {
        localHostsAreFree: terms.local_hosts_are_free,
        previewHosts: terms.preview_hosts,
        wwwIsApex: terms.www_is_apex,
      },
    },
  };
}

export function getProduct({ tools, products, addresses }: ProductTools): Route {
  return accountRoute(tools, {
    id: 'get-product',
    tag,
    summary: 'Returns a product',
    method: 'get',
    paths: ['/api/products/:id'],
    scope: 'marketplace:read',
    params,
    answer: oneProduct,
    refusals: ['not_found'],
    handle: async ({ caller, params }) =>
      await answerWithProduct(await products.show(params.id, sellerOf(caller)), addresses),
  });
}

export function changeProduct({ tools, products, addresses }: ProductTools): Route {
  return accountRoute(tools, {
    id: 'change-product',
    tag,
    summary: 'Changes the given fields of a product',
    description: 'A published product stays published. The slug does not change.',
    method: 'patch',
    paths: ['/api/products/:id'],
    scope: 'marketplace:write',
    params,
    body: edit,
    hasLargeBody: true,
    answer: oneProduct,
    refusals: ['not_found', 'conflict'],
    handle: async ({ caller, params, body }) =>
      await answerWithProduct(await products.change(params.id, toEdit(body), sellerOf(caller)), addresses),
  });
}
