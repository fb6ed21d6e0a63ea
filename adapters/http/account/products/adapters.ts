import { z } from 'zod';
import {
  type EddAdapter,
  type GumroadAdapter,
  isPlatformVersion,
  type LemonSqueezyAdapter,
  largestForeignId,
  longestForeignName,
  type ProductAdapters,
  type SlmAdapter,
} from '../../../../core/marketplace/product-adapters.ts';
import type { SetAdapters } from '../../../../core/selling/product-adapters.ts';
import type { SellerProducts } from '../../../../core/selling/products.ts';
import { missingOr, text } from '../../fields.ts';
import { type AccountTools, accountRoute, type Route, rendered } from '../../route.ts';
import { sellerOf } from '../seller.ts';
import { params, reading, writing } from './product.ts';

const foreignId = z
  .int(missingOr('It must be a whole number.'))
  .min(1, 'It must be at least 1.')
  .max(largestForeignId, `It must be at most ${largestForeignId}.`)
  .nullable()
  .default(null);

const enabled = z.boolean(missingOr('It must be true or false.')).meta({ example: true });

const lemonSqueezy = z.strictObject({
  enabled: enabled.meta({ description: 'Whether clients of Lemon Squeezy may use the licenses of the product.' }),
  store_id: foreignId.meta({ description: 'The id of your store there, which answers contain.', example: 1234 }),
  product_id: foreignId.meta({ description: 'The id of the product there.', example: 56_789 }),
  variant_id: foreignId.meta({ description: 'The id of its variant there.', example: 98_765 }),
});

const platformVersion = text(longestForeignName)
  .refine(isPlatformVersion, 'It must be a version such as 6.5 or 8.1.2.')
  .nullable()
  .default(null);

const edd = z.strictObject({
  enabled: enabled.meta({
    description: 'Whether clients of EDD Software Licensing may use the licenses of the product.',
  }),
  item_id: foreignId.meta({
    description: 'The id of the download there. Clients that send another one are refused.',
    example: 8,
  }),
  item_name: text(longestForeignName)
    .nullable()
    .default(null)
    .meta({ description: 'Its name there, for clients that send no id.', example: 'Sample Plugin' }),
  requires: platformVersion.meta({ description: 'The oldest WordPress with which it works.', example: '6.0' }),
  tested: platformVersion.meta({ description: 'The newest WordPress with which it was tried.', example: '6.5' }),
  requires_php: platformVersion.meta({ description: 'The oldest PHP with which it works.', example: '8.1' }),
});

const gumroad = z.strictObject({
  enabled: enabled.meta({ description: 'Whether clients of Gumroad may use the licenses of the product.' }),
  product_id: text(longestForeignName).nullable().default(null).meta({
    description: 'The id of the product there. Clients that send another one are refused.',
    example: '32-nPAicqbLj8B_WswVlMw==',
  }),
  permalink: text(longestForeignName)
    .nullable()
    .default(null)
    .meta({ description: 'The last part of its address there, for clients that send no id.', example: 'pencil' }),
});

const slm = z.strictObject({
  enabled: enabled.meta({
    description: 'Whether clients of Software License Manager may use the licenses of the product.',
  }),
  secret_key: text(longestForeignName).nullable().default(null).meta({
    description: 'The secret key for activation and deactivation there. Clients that send another one find no license.',
    example: '5f8b3e0a9c1d2.12345678',
  }),
  item_reference: text(longestForeignName).nullable().default(null).meta({
    description: 'What clients send as item_reference. Those that send another one find no license.',
    example: 'Sample Plugin',
  }),
});

const oneSlm = z.object({ success: z.literal(true), adapter: slm });
const oneGumroad = z.object({ success: z.literal(true), adapter: gumroad });
const oneEdd = z.object({ success: z.literal(true), adapter: edd });
const oneLemonSqueezy = z.object({ success: z.literal(true), adapter: lemonSqueezy });

const byAdministrators =
  'What you leave out is null. Only an administrator can let them in, or change the ids while they are let in, because whoever has the ids of another store could issue keys for its software. Sellers can enter the ids while it is off, and switch it off.';

interface AdapterTools {
  readonly tools: AccountTools;
  readonly products: Pick<SellerProducts, 'show'>;
  readonly setAdapters: SetAdapters;
}

/** In the order of the API reference. */
export function adapterRoutes({ tools, products, setAdapters }: AdapterTools): Route[] {
  return [
    accountRoute(tools, {
      id: 'get-lemonsqueezy-adapter',
      ...reading,
      summary: 'Returns whether clients of Lemon Squeezy may use the licenses of a product',
      method: 'get',
      paths: ['/api/products/:id/adapters/lemonsqueezy'],
      params,
      answer: oneLemonSqueezy,
      refusals: ['not_found'],
      handle: ({ caller, params }) => rendered(products.show(params.id, sellerOf(caller)), renderLemonSqueezy),
    }),
    accountRoute(tools, {
      id: 'set-lemonsqueezy-adapter',
      ...writing,
      summary: 'Lets clients of Lemon Squeezy use the licenses of a product, or no longer',
      description: `They call \`/v1/licenses/activate\`, \`validate\` and \`deactivate\` on this server. The ids are those that they compare. ${byAdministrators}`,
      method: 'put',
      paths: ['/api/products/:id/adapters/lemonsqueezy'],
      params,
      body: lemonSqueezy,
      answer: oneLemonSqueezy,
      refusals: ['not_found', 'forbidden', 'conflict'],
      handle: ({ caller, params, body }) =>
        rendered(setAdapters(params.id, { lemonsqueezy: toAdapter(body) }, sellerOf(caller)), renderLemonSqueezy),
    }),
    accountRoute(tools, {
      id: 'get-edd-adapter',
      ...reading,
      summary: 'Returns whether clients of EDD Software Licensing may use the licenses of a product',
      method: 'get',
      paths: ['/api/products/:id/adapters/edd'],
      params,
      answer: oneEdd,
      refusals: ['not_found'],
      handle: ({ caller, params }) => rendered(products.show(params.id, sellerOf(caller)), renderEdd),
    }),
    accountRoute(tools, {
      id: 'set-edd-adapter',
      ...writing,
      summary: 'Lets clients of EDD Software Licensing use the licenses of a product, or no longer',
      description: `They call \`/edd\` on this server, with \`edd_action\`. A client names its product by id or, without one, by name. Sites are told of the versions of WordPress and PHP. ${byAdministrators}`,
      method: 'put',
      paths: ['/api/products/:id/adapters/edd'],
      params,
      body: edd,
      answer: oneEdd,
      refusals: ['not_found', 'forbidden', 'conflict'],
      handle: ({ caller, params, body: { enabled, item_id, item_name, requires, tested, requires_php } }) => {
        const plugin = { requires, tested, requiresPhp: requires_php };
        const adapter: EddAdapter = { isOn: enabled, itemId: item_id, itemName: item_name, plugin };
        return rendered(setAdapters(params.id, { edd: adapter }, sellerOf(caller)), renderEdd);
      },
    }),
    accountRoute(tools, {
      id: 'get-gumroad-adapter',
      ...reading,
      summary: 'Returns whether clients of Gumroad may use the licenses of a product',
      method: 'get',
      paths: ['/api/products/:id/adapters/gumroad'],
      params,
      answer: oneGumroad,
      refusals: ['not_found'],
      handle: ({ caller, params }) => rendered(products.show(params.id, sellerOf(caller)), renderGumroad),
    }),
    accountRoute(tools, {
      id: 'set-gumroad-adapter',
      ...writing,
      summary: 'Lets clients of Gumroad use the licenses of a product, or no longer',
      description: `They call \`/v2/licenses/verify\` on this server. A client names its product by id or, without one, by permalink. ${byAdministrators}`,
      method: 'put',
      paths: ['/api/products/:id/adapters/gumroad'],
      params,
      body: gumroad,
      answer: oneGumroad,
      refusals: ['not_found', 'forbidden', 'conflict'],
      handle: ({ caller, params, body: { enabled, product_id, permalink } }) => {
        const adapter: GumroadAdapter = { isOn: enabled, productId: product_id, permalink };
        return rendered(setAdapters(params.id, { gumroad: adapter }, sellerOf(caller)), renderGumroad);
      },
    }),
    accountRoute(tools, {
      id: 'get-slm-adapter',
      ...reading,
      summary: 'Returns whether clients of Software License Manager may use the licenses of a product',
      method: 'get',
      paths: ['/api/products/:id/adapters/slm'],
      params,
      answer: oneSlm,
      refusals: ['not_found'],
      handle: ({ caller, params }) => rendered(products.show(params.id, sellerOf(caller)), renderSlm),
    }),
    accountRoute(tools, {
      id: 'set-slm-adapter',
      ...writing,
      summary: 'Lets clients of Software License Manager use the licenses of a product, or no longer',
      description: `They call \`/slm\` on this server, with \`slm_action\`. A client must send the secret key; without one, no client is let in. ${byAdministrators}`,
      method: 'put',
      paths: ['/api/products/:id/adapters/slm'],
      params,
      body: slm,
      answer: oneSlm,
      refusals: ['not_found', 'forbidden', 'conflict'],
      handle: ({ caller, params, body: { enabled, secret_key, item_reference } }) => {
        const adapter: SlmAdapter = { isOn: enabled, secretKey: secret_key, itemReference: item_reference };
        return rendered(setAdapters(params.id, { slm: adapter }, sellerOf(caller)), renderSlm);
      },
    }),
  ];
}

interface Adapted {
  readonly adapters: ProductAdapters;
}

function renderSlm({ adapters }: Adapted): z.output<typeof oneSlm> {
  const { isOn, secretKey, itemReference } = adapters.slm;
  return { success: true, adapter: { enabled: isOn, secret_key: secretKey, item_reference: itemReference } };
}

function renderGumroad({ adapters }: Adapted): z.output<typeof oneGumroad> {
  const { isOn, productId, permalink } = adapters.gumroad;
  return { success: true, adapter: { enabled: isOn, product_id: productId, permalink } };
}

function renderEdd({ adapters }: Adapted): z.output<typeof oneEdd> {
  const { isOn, itemId, itemName, plugin } = adapters.edd;
  const { requires, tested, requiresPhp } = plugin;
  const ids = { item_id: itemId, item_name: itemName };
  return { success: true, adapter: { enabled: isOn, ...ids, requires, tested, requires_php: requiresPhp } };
}

function toAdapter({ enabled, store_id, product_id, variant_id }: z.output<typeof lemonSqueezy>): LemonSqueezyAdapter {
  return { isOn: enabled, storeId: store_id, productId: product_id, variantId: variant_id };
}

function renderLemonSqueezy({ adapters: { lemonsqueezy: adapter } }: Adapted): z.output<typeof oneLemonSqueezy> {
  const { isOn, storeId, productId, variantId } = adapter;
  return {
    success: true,
    adapter: { enabled: isOn, store_id: storeId, product_id: productId, variant_id: variantId },
  };
}
