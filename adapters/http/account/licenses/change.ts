import { z } from 'zod';
import { isRefused } from '../../../../core/refusal.ts';
import type { SellerLicenses } from '../../../../core/selling/licenses.ts';
import { type AccountTools, accountRoute, type Route } from '../../route.ts';
import { sellerOf } from '../seller.ts';
import { givenNotes, maxDomains, notes, params } from './fields.ts';
import { known } from './known.ts';
import { answerWith, oneLicense } from './license.ts';
import { tag } from './tag.ts';

export function changeLicense(tools: AccountTools, licenses: SellerLicenses): Route {
  return accountRoute(tools, {
    id: 'change-license',
    tag,
    summary: 'Changes number of domains, holder, reference or metadata of a license',
    description:
      'What you leave out stays. `holder` and `metadata` are replaced as a whole. The number of domains cannot be less than the number of activated domains.',
    method: 'patch',
    paths: ['/api/licenses/:key'],
    scope: 'licenses:write',
    params,
    body: z.object({ max_domains: maxDomains, ...notes }),
    answer: oneLicense,
    refusals: ['not_found', 'conflict'],
    async handle({ caller, params, body }) {
      const patch = { maxDomains: body.max_domains, ...givenNotes(body) };
      const changed = await licenses.change(params.key, patch, sellerOf(caller));
      return isRefused(changed) ? known(changed) : answerWith(changed);
    },
  });
}
