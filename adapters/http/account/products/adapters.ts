import { z } from 'zod';
import {
  isPlatformVersion,
  largestForeignId,
  longestForeignName,
  type ProductAdapters,
} from '../../../../core/marketplace/product-adapters.ts';
import type { SetAdapters } from '../../../../core/selling/product-adapters.ts';
import type { SellerProducts } from '../../../../core/selling/products.ts';
import { type ClientSettings, clientSettings, type SettingKind, type SettingValue } from '../../client-settings.ts';
import { missingOr, text } from '../../fields.ts';
import { type AccountTools, accountRoute, type Route, rendered } from '../../route.ts';
import { sellerOf } from '../seller.ts';
import { params, reading, writing } from './product.ts';

const kinds = {
  id: z
    .int(missingOr('It must be a whole number.'))
    .min(1, 'It must be at least 1.')
    .max(largestForeignId, `It must be at most ${largestForeignId}.`)
    .nullable()
    .default(null),
  name: text(longestForeignName).nullable().default(null),
  version: text(longestForeignName)
    .refine(isPlatformVersion, 'It must be a version such as 6.5 or 8.1.2.')
    .nullable()
    .default(null),
} as const satisfies Record<SettingKind, z.ZodType<SettingValue>>;

/** The adapter of a system as the API takes and shows it. */
function schemaOf({ name, settings }: ClientSettings) {
  const description = `Whether clients of ${name} may use the licenses of the product.`;
  const fields = settings.map((one) => {
    const { description, example } = one;
    return [one.name, kinds[one.kind].meta({ description, example })] as const;
  });
  return z.strictObject({
    enabled: z.boolean(missingOr('It must be true or false.')).meta({ example: true, description }),
    ...Object.fromEntries(fields),
  });
}

const byAdministrators =
  'What you leave out is null. Only an administrator can let them in, or change the ids while they are let in, because whoever has the ids of another store could issue keys for its software. Sellers can enter the ids while it is off, and switch it off.';

interface AdapterTools {
  readonly tools: AccountTools;
  readonly products: Pick<SellerProducts, 'show'>;
  readonly setAdapters: SetAdapters;
}

/** In the order of the API reference. */
export function adapterRoutes(tools: AdapterTools): Route[] {
  return clientSettings.flatMap((system) => routesOf(tools, system));
}

function routesOf({ tools, products, setAdapters }: AdapterTools, settings: ClientSettings): Route[] {
  const { system, name, calls } = settings;
  const body = schemaOf(settings);
  const shown = {
    paths: [`/api/products/:id/adapters/${system}`],
    params,
    answer: z.object({ success: z.literal(true), adapter: body }),
  };
  const render = ({ adapters }: { readonly adapters: ProductAdapters }) => {
    const { isOn, values } = settings.read(adapters);
    return { success: true as const, adapter: { enabled: isOn, ...values } };
  };
  return [
    accountRoute(tools, {
      id: `get-${system}-adapter`,
      ...reading,
      summary: `Returns whether clients of ${name} may use the licenses of a product`,
      method: 'get',
      ...shown,
      refusals: ['not_found'],
      handle: ({ caller, params }) => rendered(products.show(params.id, sellerOf(caller)), render),
    }),
    accountRoute(tools, {
      id: `set-${system}-adapter`,
      ...writing,
      summary: `Lets clients of ${name} use the licenses of a product, or no longer`,
      description: `${calls} ${byAdministrators}`,
      method: 'put',
      ...shown,
      body,
      refusals: ['not_found', 'forbidden', 'conflict'],
      handle: ({ caller, params, body: { enabled, ...values } }) =>
        rendered(setAdapters(params.id, settings.make(enabled, values), sellerOf(caller)), render),
    }),
  ];
}
