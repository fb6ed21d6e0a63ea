import { z } from 'zod';
import { type PlainTransition, plainTransitions } from '../../../../core/licensing/license.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { SellerLicenses } from '../../../../core/selling/licenses.ts';
import { type AccountTools, accountRoute, type Route } from '../../route.ts';
import { faultIn, sellerOf } from '../seller.ts';
import { instant, params, reason } from './fields.ts';
import { known } from './known.ts';
import { answerWith, oneLicense } from './license.ts';
import { tag } from './tag.ts';

const texts: Readonly<Record<PlainTransition, { readonly summary: string; readonly description: string }>> = {
  suspend: {
    summary: 'Suspends a license',
    description: 'No domain of it is valid until it is reinstated. Only an active license can be suspended.',
  },
  reinstate: { summary: 'Ends the suspension of a license', description: 'Its domains are valid again.' },
  revoke: { summary: 'Revokes a license for ever', description: 'No domain of it is valid any more.' },
};

/** Suspend, reinstate and revoke. */
export function transitLicense(tools: AccountTools, licenses: SellerLicenses): Route[] {
  return plainTransitions.map((transition) =>
    accountRoute(tools, {
      id: `${transition}-license`,
      tag,
      ...texts[transition],
      method: 'post',
      paths: [`/api/licenses/:key/${transition}`],
      scope: 'licenses:write',
      isIdempotent: true,
      params,
      body: z.object({ reason }),
      answer: oneLicense,
      refusals: ['not_found', 'conflict'],
      async handle({ caller, params, body }) {
        const changed = await licenses.transit(params.key, transition, sellerOf(caller, body.reason));
        return isRefused(changed) ? known(changed) : answerWith(changed);
      },
    }),
  );
}

export function renewLicense(tools: AccountTools, licenses: SellerLicenses): Route {
  return accountRoute(tools, {
    id: 'renew-license',
    tag,
    summary: 'Renews an active or expired license',
    description:
      "Without `expires_at`, the duration that the product's terms say begins at the end of the license, or now if it has expired.",
    method: 'post',
    paths: ['/api/licenses/:key/renew'],
    scope: 'licenses:write',
    isIdempotent: true,
    params,
    body: z.object({
      expires_at: instant
        .nullable()
        .optional()
        .meta({ description: 'The new end, later than the present one. Null makes the license perpetual.' }),
      reason,
    }),
    answer: oneLicense,
    refusals: ['not_found', 'conflict'],
    async handle({ caller, params, body }) {
      const renewed = await licenses.renew(params.key, body.expires_at, sellerOf(caller, body.reason));
      if (!isRefused(renewed)) return answerWith(renewed);
      if (renewed.reason === 'expiry_not_later' && body.expires_at !== undefined) throw faultIn('expires_at', renewed);
      return known(renewed);
    },
  });
}
