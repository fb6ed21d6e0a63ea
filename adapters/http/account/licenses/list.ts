import { z } from 'zod';
import { licenseOrders } from '../../../../core/ports/license-search.ts';
import { isRefused } from '../../../../core/refusal.ts';
import { formatLicensePlace, parseLicensePlace } from '../../../../core/selling/license-place.ts';
import type { SellerLicenses } from '../../../../core/selling/licenses.ts';
import { pageOf, pageQuery } from '../../cursor.ts';
import { type AccountTools, accountRoute, type Route } from '../../route.ts';
import { faultIn, sellerOf } from '../seller.ts';
import { choice, narrowed, searched } from './fields.ts';
import { licenseItem, renderItem } from './license.ts';
import { tag } from './tag.ts';

export function listLicenses(tools: AccountTools, licenses: SellerLicenses): Route {
  return accountRoute(tools, {
    id: 'list-licenses',
    tag,
    summary: 'Lists and searches licenses',
    description:
      'Newest first, or as `sort` says. With `q`, the order is that of the matching texts. A page can be short or empty and still have a `next_cursor`. A new license or a change may be missing for some seconds.',
    method: 'get',
    paths: ['/api/licenses'],
    scope: 'licenses:read',
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
      if (isRefused(after)) throw faultIn('cursor', after);
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
      if (isRefused(page)) {
        if (page.reason === 'unknown_place') throw faultIn('cursor', page);
        throw new Error('A caller with a working key may manage its own licenses.');
      }
      return {
        success: true as const,
        data: page.licenses.map(renderItem),
        next_cursor: page.next === undefined ? null : formatLicensePlace(page.next),
      };
    },
  });
}
