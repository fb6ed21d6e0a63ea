import { z } from 'zod';
import { licenseOrders } from '../../../../core/ports/license-search.ts';
import { isRefused } from '../../../../core/refusal.ts';
import { mostIssued } from '../../../../core/selling/issuing.ts';
import { formatLicensePlace, parseLicensePlace } from '../../../../core/selling/license-place.ts';
import type { SellerLicenses } from '../../../../core/selling/licenses.ts';
import { pageAnswer, pageOf, pageQuery } from '../../cursor.ts';
import { missingOr, text } from '../../fields.ts';
import { type AccountTools, accountRoute, type Route } from '../../route.ts';
import type { SheetTools } from '../../sheet-tools.ts';
import { sellerOf } from '../seller.ts';
import { actRoutes } from './acts.ts';
import { clockRoute } from './clock.ts';
import { choice, expiry, givenNotes, givenRights, maxDomains, narrowed, notes, rights, searched } from './fields.ts';
import { licenseItem, reading, renderItem, writing } from './license.ts';
import { keyRoutes } from './license-keys.ts';
import { explainRoutes, oneLicenseRoutes } from './one-license.ts';
import { sheetRoutes } from './sheets.ts';

/** Lists and issues licenses. */
function listRoutes(tools: AccountTools, licenses: SellerLicenses): Route[] {
  return [
    accountRoute(tools, {
      id: 'list-licenses',
      ...reading,
      summary: 'Lists and searches licenses',
      description:
        'Newest first, or as `sort` says. With `q`, the order is that of the matching texts. A page can be short or empty and still have a `next_cursor`. A new license or a change may be missing for some seconds.',
      method: 'get',
      paths: ['/api/licenses'],
      query: z.object({
        q: searched.optional().meta({
          description:
            "Finds licenses by the key or its start (from the first group on), by the key's last four characters, and by the start of a domain, of the holder's e-mail address or name, or of the reference.",
          example: 'grace@example.com',
        }),
        ...narrowed,
        livemode: z.enum(['true', 'false'], 'It must be true or false.').optional().meta({
          description: 'Can only narrow: a live key sees live licenses, a test key test licenses.',
          example: 'true',
        }),
        sort: z.enum(licenseOrders, choice(licenseOrders)).optional().meta({
          description:
            '`expires` begins with the license that expires first, and leaves out perpetual licenses. Ignored with `q`.',
          example: 'newest',
        }),
        ...pageQuery,
      }),
      answer: pageOf(licenseItem),
      refusals: [],
      async handle({ caller, query }) {
        const after = query.cursor === undefined ? undefined : parseLicensePlace(query.cursor);
        if (isRefused(after)) return after;
        const page = await licenses.list(
          {
            search: query.q,
            product: query.product,
            status: query.status,
            isLive: query.livemode && query.livemode === 'true',
            expiresBefore: query.expires_before,
            order: query.sort,
            after,
            limit: query.limit,
          },
          sellerOf(caller),
        );
        if (isRefused(page)) return page;
        return pageAnswer(page.licenses.map(renderItem), page.next && formatLicensePlace(page.next));
      },
    }),
    accountRoute(tools, {
      id: 'issue-licenses',
      ...writing,
      summary: `Issues 1 to ${mostIssued} licenses, all or none`,
      description: 'For what you leave out, the license terms of the offer apply, or those of the product without one.',
      method: 'post',
      paths: ['/api/licenses'],
      isIdempotent: true,
      body: z.object({
        product: z
          .union([z.int(), text(200)], missingOr('It must be the id or the slug of a product.'))
          .transform(String)
          .meta({ description: 'Id or slug of the product. Digits alone are always an id.', example: 'simple-dex' }),
        offer: text(200).optional().meta({
          description: 'The slug of an offer of the product, for its terms instead of those of the product.',
          example: 'team',
        }),
        count: z
          .int(missingOr('It must be a whole number.'))
          .min(1, 'It must be at least 1.')
          .max(mostIssued, `It must be at most ${mostIssued}.`)
          .optional()
          .meta({ description: 'The number of licenses; 1 by default.', example: 1 }),
        max_domains: maxDomains,
        expires_at: expiry
          .nullable()
          .optional()
          .meta({ description: 'Until when: a time, or a day to its end in UTC. Null for perpetual licenses.' }),
        ...rights,
        ...notes,
      }),
      answer: z.object({
        success: z.literal(true),
        data: z.array(licenseItem).meta({ description: 'The new licenses.' }),
      }),
      refusals: ['not_found', 'conflict'],
      faults: { expiry_not_later: 'expires_at' },
      async handle({ caller, body, gone }) {
        const issued = await licenses.issue(
          {
            product: body.product,
            offer: body.offer,
            count: body.count ?? 1,
            maxDomains: body.max_domains,
            expiresAt: body.expires_at,
            ...givenRights(body),
            ...givenNotes(body),
          },
          sellerOf(caller),
          gone(),
        );
        return isRefused(issued) ? issued : { success: true as const, data: issued.map(renderItem) };
      },
    }),
  ];
}

/** In the order of the API reference. The addresses of files come before those with a key in the same place. */
export function sellerLicenseRoutes(tools: AccountTools, licenses: SellerLicenses, sheets: SheetTools): Route[] {
  return [
    ...listRoutes(tools, licenses),
    ...sheetRoutes(tools, sheets),
    ...oneLicenseRoutes(tools, licenses),
    ...actRoutes(tools, licenses),
    clockRoute(tools, licenses),
    ...keyRoutes(tools, licenses.keys),
    ...explainRoutes(tools, licenses),
  ];
}
