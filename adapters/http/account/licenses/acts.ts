import { z } from 'zod';
import { licenseStatuses, type PlainTransition, plainTransitions } from '../../../../core/licensing/license.ts';
import { longestOverlap } from '../../../../core/licensing/move.ts';
import { isRefused } from '../../../../core/refusal.ts';
import { type BulkResult, mostInBulk } from '../../../../core/selling/bulk.ts';
import type { SellerLicenses } from '../../../../core/selling/licenses.ts';
import { sentToAccount } from '../../failures.ts';
import { activationName, domain, endTime, isoOrNull, licenseKey, missingOr } from '../../fields.ts';
import { type AccountTools, accountRoute, type Route, rendered } from '../../route.ts';
import { faultIn, sellerOf } from '../seller.ts';
import { expiry, params, reason } from './fields.ts';
import { answerWith, oneLicense, writing } from './license.ts';

const texts: Readonly<Record<PlainTransition, { readonly summary: string; readonly description: string }>> = {
  suspend: {
    summary: 'Suspends a license',
    description: 'No domain of it is valid until it is reinstated. Only an active license can be suspended.',
  },
  reinstate: { summary: 'Ends the suspension of a license', description: 'Its domains are valid again.' },
  revoke: { summary: 'Revokes a license for ever', description: 'No domain of it is valid any more.' },
};

const ofDomain = params.extend({
  domain: domain.meta({ description: 'A domain of the license.', example: 'app.example.com' }),
});

const ofActivation = params.extend({
  domain: activationName.meta({
    description: 'A domain of the license, or `instance:` and the id of an instance of a client of another system.',
    example: 'app.example.com',
  }),
});

const bulkActions = [...plainTransitions, 'renew'] as const;
const bulkCodes = { not_found: 'NOT_FOUND', conflict: 'CONFLICT', service_unavailable: 'SERVICE_UNAVAILABLE' } as const;

const typedKey = z.string().meta({ description: 'As you wrote it.', example: 'LIC-7H2K-9QWX-M4TB-C0VJ' });
const bulkResult = z
  .discriminatedUnion('success', [
    z
      .object({
        key: typedKey,
        success: z.literal(true),
        status: z.enum(licenseStatuses),
        expires_at: endTime.nullable(),
      })
      .meta({ title: 'changed' }),
    z
      .object({
        key: typedKey,
        success: z.literal(false),
        error: z.object({ code: z.enum(Object.values(bulkCodes)), message: z.string() }),
      })
      .meta({ title: 'refused' }),
  ])
  .meta({ id: 'AccountBulkResult' });

/** The calls that change licenses: one license, one of its domains, or many licenses at once. */
export function actRoutes(tools: AccountTools, licenses: SellerLicenses): Route[] {
  return [
    // Suspend, reinstate and revoke.
    ...plainTransitions.map((transition) =>
      accountRoute(tools, {
        id: `${transition}-license`,
        ...writing,
        ...texts[transition],
        method: 'post',
        paths: [`/api/licenses/:key/${transition}`],
        isIdempotent: true,
        params,
        body: z.object({ reason }),
        answer: oneLicense,
        refusals: ['not_found', 'conflict'],
        handle: ({ caller, params, body }) =>
          rendered(licenses.transit(params.key, transition, sellerOf(caller, body.reason)), answerWith),
      }),
    ),
    accountRoute(tools, {
      id: 'renew-license',
      ...writing,
      summary: 'Renews an active or expired license',
      description:
        "Without `expires_at`, the duration that the product's terms say begins at the end of the license, or now if it has expired.",
      method: 'post',
      paths: ['/api/licenses/:key/renew'],
      isIdempotent: true,
      params,
      body: z.object({
        expires_at: expiry.nullable().optional().meta({
          description:
            'The new end, later than the present one: a time, or a day to its end in UTC. Null makes the license perpetual.',
        }),
        reason,
      }),
      answer: oneLicense,
      refusals: ['not_found', 'conflict'],
      async handle({ caller, params, body }) {
        const renewed = await licenses.renew(params.key, body.expires_at, sellerOf(caller, body.reason));
        if (!isRefused(renewed)) return answerWith(renewed);
        if (renewed.reason === 'expiry_not_later' && body.expires_at !== undefined)
          throw faultIn('expires_at', renewed);
        return renewed;
      },
    }),
    accountRoute(tools, {
      id: 'remove-license-domain',
      ...writing,
      summary: 'Removes a domain from a license',
      description: 'The domain is invalid from now on, and its slot is free again. Allowed in every status.',
      method: 'delete',
      paths: ['/api/licenses/:key/domains/:domain'],
      params: ofActivation,
      answer: oneLicense,
      refusals: ['not_found'],
      async handle({ caller, params }) {
        const removed = await licenses.domains.remove(params.key, params.domain, sellerOf(caller));
        if (isRefused(removed)) return removed;
        return rendered(licenses.show(params.key, sellerOf(caller)), answerWith);
      },
    }),
    accountRoute(tools, {
      id: 'move-license-domain',
      ...writing,
      summary: 'Moves a license from one domain to another',
      description:
        'Both domains are valid for `overlap_hours` and take one slot together. The product limits the moves of a license in a calendar month (UTC). Making the same move again changes nothing.',
      method: 'post',
      paths: ['/api/licenses/:key/domains/:domain/move'],
      isIdempotent: true,
      params: ofDomain,
      body: z.object({
        to: domain.meta({ description: 'The new domain.', example: 'new.example.com' }),
        overlap_hours: z
          .int(missingOr('It must be a whole number.'))
          .min(0, 'It must be at least 0.')
          .max(longestOverlap, `It must be at most ${longestOverlap}.`)
          .optional()
          .meta({
            description: 'The number of hours for which the old domain stays valid; 0 by default.',
            example: 24,
          }),
      }),
      answer: oneLicense,
      refusals: ['not_found', 'conflict'],
      async handle({ caller, params, body }) {
        const move = { from: params.domain, to: body.to, overlapHours: body.overlap_hours ?? 0 };
        const moved = await licenses.domains.move(params.key, move, sellerOf(caller));
        if (isRefused(moved)) return moved;
        return rendered(licenses.show(params.key, sellerOf(caller)), answerWith);
      },
    }),
    accountRoute(tools, {
      id: 'change-many-licenses',
      ...writing,
      summary: `Suspends, reinstates, revokes or renews up to ${mostInBulk} licenses`,
      description:
        'Each license is changed on its own. There is one result for each key, in your order. `SERVICE_UNAVAILABLE` means that this license was not changed: try again.',
      method: 'post',
      paths: ['/api/licenses/bulk'],
      isIdempotent: true,
      body: z.object({
        action: z
          .enum(bulkActions, missingOr(`It must be one of ${bulkActions.join(', ')}.`))
          .meta({ example: 'suspend' }),
        keys: z
          .array(licenseKey, missingOr('It must be a list of license keys.'))
          .min(1, 'It must have at least one key.')
          .max(mostInBulk, `It must have at most ${mostInBulk} keys.`)
          .meta({ example: ['LIC-7H2K-9QWX-M4TB-C0VJ'] }),
        reason,
      }),
      answer: z.object({ success: z.literal(true), data: z.array(bulkResult) }),
      refusals: [],
      async handle({ caller, body, gone }) {
        const results = await licenses.bulk(body.action, body.keys, sellerOf(caller, body.reason), gone());
        return { success: true as const, data: results.map(renderResult) };
      },
    }),
  ];
}

function renderResult({ key, result: one }: BulkResult): z.output<typeof bulkResult> {
  if (!isRefused(one)) return { key, success: true, status: one.status, expires_at: isoOrNull(one.expiresAt) };
  const { reason, detail = '' } = sentToAccount(one);
  return { key, success: false, error: { code: bulkCodes[reason], message: detail } };
}
