import { z } from 'zod';
import { toProductId } from '../../../../core/id.ts';
import { bundleLimits } from '../../../../core/marketplace/bundle.ts';
import type { Marketplace } from '../../../../core/marketplace/marketplace.ts';
import { offerLimits } from '../../../../core/marketplace/offers.ts';
import { blankProduct } from '../../../../core/marketplace/product.ts';
import type { SetBundle } from '../../../../core/selling/product-bundles.ts';
import type { Addresses } from '../../addresses.ts';
import { missingOr, text } from '../../fields.ts';
import { type AccountTools, accountRoute, type Route } from '../../route.ts';
import { listing } from '../marketplace/routes.ts';
import { sellerOf } from '../seller.ts';
import { answerWithProduct, editable, oneProduct, params, toEdit, writing } from './product.ts';

const { least, most } = bundleLimits;

const products = z
  .array(
    z.strictObject({
      product: z.int('It must be the id of a product.').min(1).max(2_147_483_647).meta({ example: 31 }),
      offer: text(offerLimits.slug).nullable().default(null).meta({
        description: 'The slug of one of its offers of the kind `once`. Null: its own price and terms.',
        example: null,
      }),
    }),
    missingOr('It must be a list of products.'),
  )
  .min(least, `It must have at least ${least} products.`)
  .max(most, `It must have at most ${most} products.`)
  .meta({
    description: 'Published products of the same seller, in the order in which pages show them. None is a bundle.',
    example: [
      { product: 31, offer: null },
      { product: 32, offer: null },
    ],
  });

type Given = z.output<typeof products>;

const bundleOf = (given: Given) => given.map(({ product, offer }) => ({ productId: toProductId(product), offer }));

interface BundleTools {
  readonly tools: AccountTools;
  readonly marketplace: Pick<Marketplace, 'publishBundle'>;
  readonly setBundle: SetBundle;
  readonly addresses: Addresses;
}

const { module, title, tagline, description, price } = listing.shape;

/** In the order of the API reference. */
export function bundleRoutes({ tools, marketplace, setBundle, addresses }: BundleTools): Route[] {
  return [
    accountRoute(tools, {
      id: 'publish-bundle',
      ...writing,
      summary: 'Publishes a bundle of your products, which then waits for approval',
      description: `A bundle is a product without a zip that contains ${least} to ${most} others. One order of it has a license for each of them.`,
      method: 'post',
      paths: ['/api/products/bundles'],
      isIdempotent: true,
      hasLargeBody: true,
      body: editable.partial().extend({ module: module.optional(), title, tagline, description, price, products }),
      answer: oneProduct,
      refusals: ['forbidden', 'conflict'],
      async handle({ caller, body: { products, ...body } }) {
        const { links, terms, sellerName, ...some } = toEdit(body);
        const { hosts, ...numbers } = terms ?? {};
        const chosen = {
          ...{ module: 'bundle', variant: null, category: null, subcategory: null },
          ...{ tags: [], blockchains: [], isSupported: false },
          ...{ prices: blankProduct.prices, leastPrices: blankProduct.leastPrices },
          ...given(some),
          ...{ title: body.title, tagline: body.tagline, description: body.description, price: body.price },
          sellerName: sellerName ?? null,
          links: { ...blankProduct.links, ...given(links ?? {}) },
          terms: {
            ...blankProduct.terms,
            ...given(numbers),
            hosts: { ...blankProduct.terms.hosts, ...given(hosts ?? {}) },
          },
        };
        return await answerWithProduct(await marketplace.publishBundle(caller, chosen, bundleOf(products)), addresses);
      },
    }),
    accountRoute(tools, {
      id: 'set-bundle',
      ...writing,
      summary: 'Changes what a bundle contains',
      description: 'It applies to later orders. Null: the product is no bundle any more.',
      method: 'post',
      paths: ['/api/products/:id/bundle'],
      isIdempotent: true,
      params,
      body: z.strictObject({ products: products.nullable() }),
      answer: oneProduct,
      refusals: ['not_found', 'conflict'],
      handle: async ({ caller, params, body }) =>
        await answerWithProduct(
          await setBundle(params.id, body.products && bundleOf(body.products), sellerOf(caller)),
          addresses,
        ),
    }),
  ];
}

/** Leaves out the fields that are `undefined`. */
function given<T extends object>(fields: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as object;
}
