import { isRefused } from '../../../../core/refusal.ts';
import type { SellerLicenses } from '../../../../core/selling/licenses.ts';
import { type AccountTools, accountRoute, type Route } from '../../route.ts';
import { sellerOf } from '../seller.ts';
import { params } from './fields.ts';
import { known } from './known.ts';
import { answerWith, oneLicense } from './license.ts';
import { tag } from './tag.ts';

export function showLicense(tools: AccountTools, licenses: SellerLicenses): Route {
  return accountRoute(tools, {
    id: 'get-license',
    tag,
    summary: 'Returns a license in any status, with its domains',
    method: 'get',
    paths: ['/api/licenses/:key'],
    scope: 'licenses:read',
    params,
    answer: oneLicense,
    refusals: ['not_found'],
    async handle({ caller, params }) {
      const shown = await licenses.show(params.key, sellerOf(caller));
      return isRefused(shown) ? known(shown) : answerWith(shown);
    },
  });
}
