import { z } from 'zod';
import { isRefused } from '../../../../core/refusal.ts';
import { mostIssued } from '../../../../core/selling/issuing.ts';
import type { SellerLicenses } from '../../../../core/selling/licenses.ts';
import { missingOr, text } from '../../fields.ts';
import { type AccountTools, accountRoute, type Route } from '../../route.ts';
import { faultIn, sellerOf } from '../seller.ts';
import { givenNotes, instant, maxDomains, notes } from './fields.ts';
import { known } from './known.ts';
import { licenseItem, renderItem } from './license.ts';
import { tag } from './tag.ts';

export function issueLicenses(tools: AccountTools, licenses: SellerLicenses): Route {
  return accountRoute(tools, {
    id: 'issue-licenses',
    tag,
    summary: `Issues 1 to ${mostIssued} licenses, all or none`,
    description: 'For what you leave out, the license terms of the product apply.',
    method: 'post',
    paths: ['/api/licenses'],
    scope: 'licenses:write',
    isIdempotent: true,
    body: z.object({
      product: z
        .union([z.int(), text(200)], missingOr('It must be the id or the slug of a product.'))
        .transform(String)
        .meta({ description: 'Id or slug of the product. Digits alone are always an id.', example: 'simple-dex' }),
      count: z
        .int(missingOr('It must be a whole number.'))
        .min(1, 'It must be at least 1.')
        .max(mostIssued, `It must be at most ${mostIssued}.`)
        .optional()
        .meta({ description: 'The number of licenses; 1 by default.', example: 1 }),
      max_domains: maxDomains,
      expires_at: instant.nullable().optional().meta({ description: 'Null for perpetual licenses.' }),
      ...notes,
    }),
    answer: z.object({
      success: z.literal(true),
      data: z.array(licenseItem).meta({ description: 'The new licenses.' }),
    }),
    refusals: ['not_found', 'conflict'],
    async handle({ caller, body }) {
      const issued = await licenses.issue(
        {
          product: body.product,
          count: body.count ?? 1,
          maxDomains: body.max_domains,
          expiresAt: body.expires_at,
          ...givenNotes(body),
        },
        sellerOf(caller),
      );
      if (!isRefused(issued)) return { success: true as const, data: issued.map(renderItem) };
      if (issued.reason === 'expiry_not_later') throw faultIn('expires_at', issued);
      return known(issued);
    },
  });
}
