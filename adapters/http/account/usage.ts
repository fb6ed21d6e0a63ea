import { z } from 'zod';
import type { KeyCaller } from '../../../core/accounts/api-keys.ts';
import { iso } from '../../../core/iso.ts';
import { isRefused } from '../../../core/refusal.ts';
import type { SellingUsage, UsageReport, UsageSubject } from '../../../core/selling/usage.ts';
import { type AskedRange, stepNames } from '../../../core/selling/usage-hours.ts';
import { rangeLimits } from '../failures.ts';
import { timestamp } from '../fields.ts';
import { type AccountTools, accountRoute, type Route, type Tag } from '../route.ts';
import { params as licenseParams } from './licenses/fields.ts';
import { params as productParams } from './products/product.ts';
import { sellerOf } from './seller.ts';

const moment = z.iso
  .datetime({ offset: true, error: 'It must be a time such as 2026-11-21T09:30:00Z.' })
  .transform((value) => Date.parse(value))
  .optional();

/** The range of a query. */
export const rangeFields = {
  from: moment.meta({
    description: 'The first time, rounded down to the hour or day. By default 24 hours or 30 days before `to`.',
    example: '2026-11-01T00:00:00Z',
  }),
  to: moment.meta({
    description: 'The end, rounded up to the hour or day. By default the end of the last full hour, or of today.',
    example: '2026-11-22T00:00:00Z',
  }),
};

const point = z
  .object({
    at: timestamp.meta({ description: 'The start of the hour or day.' }),
    verifications: z.int().meta({ example: 1_520 }),
    active_domains: z.int().meta({ description: 'The activated domains at the end of the hour or day.', example: 12 }),
  })
  .meta({ id: 'AccountUsagePoint' });

const answer = z.object({
  success: z.literal(true),
  data: z.array(point).meta({ description: 'Every hour or day of the range, oldest first.' }),
  total: z.int().meta({ description: 'The verifications of all of them.', example: 1_520 }),
});

const tag: Tag = {
  name: 'Usage',
  description: 'Verifications and active domains of own products and licenses. They are counted after every full hour.',
};

export function usageRoutes(tools: AccountTools, { usage }: SellingUsage): Route[] {
  const answerFor = async (subject: UsageSubject, asked: AskedRange, caller: KeyCaller) => {
    const report = await usage(subject, asked, sellerOf(caller));
    return isRefused(report) ? report : render(report);
  };

  return [
    accountRoute(tools, {
      id: 'product-usage',
      tag,
      summary: 'Returns the use of a product by hour or day',
      description: rangeLimits,
      method: 'get',
      paths: ['/api/products/:id/usage'],
      scope: 'marketplace:read',
      params: productParams,
      query: z.object({
        ...rangeFields,
        by: z
          .enum(stepNames, 'It must be hour or day.')
          .default('day')
          .meta({ description: 'The length of each item; `day` by default.', example: 'hour' }),
      }),
      answer,
      refusals: ['not_found'],
      handle: ({ caller, params, query }) => answerFor({ product: params.id }, query, caller),
    }),
    accountRoute(tools, {
      id: 'license-usage',
      tag,
      summary: 'Returns the use of a license by day',
      description: rangeLimits,
      method: 'get',
      paths: ['/api/licenses/:key/usage'],
      scope: 'licenses:read',
      params: licenseParams,
      query: z.object({
        ...rangeFields,
        by: z
          .enum(stepNames, 'It must be hour or day.')
          .default('day')
          .meta({ description: 'Licenses have figures of days only.', example: 'day' }),
      }),
      answer,
      refusals: ['not_found'],
      handle: ({ caller, params, query }) => answerFor({ license: params.key }, query, caller),
    }),
  ];
}

function render({ points, total }: UsageReport): z.output<typeof answer> {
  return {
    success: true,
    data: points.map(({ at, verifications, activeDomains }) => ({
      at: iso(at),
      verifications,
      active_domains: activeDomains,
    })),
    total,
  };
}
