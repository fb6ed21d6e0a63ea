import { z } from 'zod';
import { iso } from '../../../core/iso.ts';
import { type Stray, strayLimits } from '../../../core/licensing/strays.ts';
import type { StrayDay } from '../../../core/ports/stray-store.ts';
import { type SellerStrays, strayViews } from '../../../core/selling/strays.ts';
import { timestamp } from '../fields.ts';
import { type AccountTools, accountRoute, type Route, rendered, type Tag } from '../route.ts';
import { params as licenseParams } from './licenses/fields.ts';
import { params as productParams } from './products/product.ts';
import { sellerOf } from './seller.ts';

const tag: Tag = {
  name: 'Strays',
  description:
    'Foreign domains that ask with the key of a license that is not activated there. Their calls are refused. They show that a key has leaked. Counted once a minute.',
};

const domain = z
  .object({
    domain: z.string().meta({
      description: 'The registrable domain, or the host if it has none. Domains of its activated hosts are left out.',
      example: 'example.net',
    }),
    calls: z.int().meta({ description: 'The refused calls.', example: 215 }),
    first_at: timestamp,
    last_at: timestamp,
  })
  .meta({ id: 'AccountStray' });

const days = z
  .array(z.object({ day: timestamp.meta({ description: 'The start of the day in UTC.' }), calls: z.int() }))
  .meta({ description: `The refused calls of each of the last ${strayViews.days} days, oldest first.` });

/** The routes about the foreign domains that ask with the keys of licenses. */
export function strayRoutes(tools: AccountTools, strays: SellerStrays): Route[] {
  return [
    accountRoute(tools, {
      id: 'license-strays',
      tag,
      summary: 'Lists the foreign domains that ask with the key of a license',
      description: `Those with the most calls first, at most ${strayLimits.domains}. They are kept for ${strayViews.days} days after their last call.`,
      method: 'get',
      paths: ['/api/licenses/:key/strays'],
      scope: 'licenses:read',
      params: licenseParams,
      answer: z.object({ success: z.literal(true), data: z.array(domain), days }),
      refusals: ['not_found'],
      handle: ({ caller, params }) =>
        rendered(strays.ofLicense(params.key, sellerOf(caller)), (report) => ({
          success: true as const,
          data: report.strays.map(renderStray),
          days: report.days.map(renderDay),
        })),
    }),
    accountRoute(tools, {
      id: 'product-strays',
      tag,
      summary: 'Lists the licenses of a product that foreign domains ask for',
      description: `Those with the most refused calls of the last ${strayViews.days} days first, at most ${strayViews.licenses}.`,
      method: 'get',
      paths: ['/api/products/:id/strays'],
      scope: 'marketplace:read',
      params: productParams,
      answer: z.object({
        success: z.literal(true),
        data: z.array(
          z
            .object({
              license_key: z.string().meta({ example: 'LIC-7H2K-9QWX-M4TB-C0VJ' }),
              calls: z.int().meta({ example: 215 }),
              domains: z.int().meta({ description: 'The foreign domains that are kept.', example: 4 }),
            })
            .meta({ id: 'AccountStrayingLicense' }),
        ),
        days,
      }),
      refusals: ['not_found'],
      handle: ({ caller, params }) =>
        rendered(strays.ofProduct(params.id, sellerOf(caller)), (report) => ({
          success: true as const,
          data: report.licenses.map(({ key, calls, domains }) => ({ license_key: key, calls, domains })),
          days: report.days.map(renderDay),
        })),
    }),
  ];
}

function renderStray({ domain, calls, firstAt, lastAt }: Stray) {
  return { domain, calls, first_at: iso(firstAt), last_at: iso(lastAt) };
}

function renderDay({ day, calls }: StrayDay) {
  return { day: iso(day), calls };
}
