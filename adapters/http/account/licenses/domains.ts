import { z } from 'zod';
import { longestOverlap, type MoveRefused } from '../../../../core/licensing/move.ts';
import { isRefused, type Refused, refuse } from '../../../../core/refusal.ts';
import type { LicenseDomains } from '../../../../core/selling/license-domains.ts';
import type { SellerLicenses } from '../../../../core/selling/licenses.ts';
import { failures } from '../../failures.ts';
import { domain, missingOr } from '../../fields.ts';
import { type AccountTools, accountRoute, type Route } from '../../route.ts';
import { sellerOf } from '../seller.ts';
import { params as ofLicense } from './fields.ts';
import { known } from './known.ts';
import { answerWith, oneLicense } from './license.ts';
import { tag } from './tag.ts';

const params = ofLicense.extend({
  domain: domain.meta({ description: 'A domain of the license.', example: 'app.example.com' }),
});

/** The messages of a refused move that the use case does not write itself. */
const whyNot: Partial<Record<MoveRefused, string>> = {
  suspended: 'The license is suspended. Reinstate it first.',
  revoked: 'The license was revoked.',
  expired: 'The license has expired. Renew it first.',
  domain_limit_reached: failures.domain_limit_reached.message,
  free_domain_limit_reached: failures.free_domain_limit_reached.message,
};

function refused({ reason, detail }: Refused<MoveRefused | 'invalid_key'>): Refused<'not_found' | 'conflict'> {
  if (reason === 'invalid_key') return known(refuse('invalid_key'));
  if (reason === 'domain_not_found') return noDomain();
  return refuse('conflict', detail ?? whyNot[reason]);
}

function noDomain(): Refused<'not_found'> {
  return refuse('not_found', failures.domain_not_found.message);
}

export function removeDomain(tools: AccountTools, licenses: SellerLicenses, domains: LicenseDomains): Route {
  return accountRoute(tools, {
    id: 'remove-license-domain',
    tag,
    summary: 'Removes a domain from a license',
    description: 'The domain is invalid from now on, and its slot is free again. Allowed in every status.',
    method: 'delete',
    paths: ['/api/licenses/:key/domains/:domain'],
    scope: 'licenses:write',
    params,
    answer: oneLicense,
    refusals: ['not_found'],
    async handle({ caller, params }) {
      const removed = await domains.remove(params.key, params.domain, sellerOf(caller));
      if (isRefused(removed)) return removed.reason === 'invalid_key' ? known(refuse('invalid_key')) : noDomain();
      const shown = await licenses.show(params.key, sellerOf(caller));
      return isRefused(shown) ? known(shown) : answerWith(shown);
    },
  });
}

export function moveDomain(tools: AccountTools, licenses: SellerLicenses, domains: LicenseDomains): Route {
  return accountRoute(tools, {
    id: 'move-license-domain',
    tag,
    summary: 'Moves a license from one domain to another',
    description:
      'Both domains are valid for `overlap_hours` and take one slot together. The product limits the moves of a license in a calendar month (UTC). Making the same move again changes nothing.',
    method: 'post',
    paths: ['/api/licenses/:key/domains/:domain/move'],
    scope: 'licenses:write',
    isIdempotent: true,
    params,
    body: z.object({
      to: domain.meta({ description: 'The new domain.', example: 'new.example.com' }),
      overlap_hours: z
        .int(missingOr('It must be a whole number.'))
        .min(0, 'It must be at least 0.')
        .max(longestOverlap, `It must be at most ${longestOverlap}.`)
        .optional()
        .meta({ description: 'The number of hours for which the old domain stays valid; 0 by default.', example: 24 }),
    }),
    answer: oneLicense,
    refusals: ['not_found', 'conflict'],
    async handle({ caller, params, body }) {
      const move = { from: params.domain, to: body.to, overlapHours: body.overlap_hours ?? 0 };
      const moved = await domains.move(params.key, move, sellerOf(caller));
      if (isRefused(moved)) return refused(moved);
      const shown = await licenses.show(params.key, sellerOf(caller));
      return isRefused(shown) ? known(shown) : answerWith(shown);
    },
  });
}
