import { z } from 'zod';
import { licenseStatuses, plainTransitions } from '../../../../core/licensing/license.ts';
import { isRefused } from '../../../../core/refusal.ts';
import { type BulkResult, mostInBulk } from '../../../../core/selling/bulk.ts';
import type { SellerLicenses } from '../../../../core/selling/licenses.ts';
import { isoOrNull, licenseKey, missingOr, timestamp } from '../../fields.ts';
import { type AccountTools, accountRoute, type Route } from '../../route.ts';
import { sellerOf } from '../seller.ts';
import { reason } from './fields.ts';
import { known } from './known.ts';
import { tag } from './tag.ts';

const actions = [...plainTransitions, 'renew'] as const;
const codes = { not_found: 'NOT_FOUND', conflict: 'CONFLICT', service_unavailable: 'SERVICE_UNAVAILABLE' } as const;

const key = z.string().meta({ description: 'As you wrote it.', example: 'LIC-7H2K-9QWX-M4TB-C0VJ' });
const result = z
  .discriminatedUnion('success', [
    z
      .object({ key, success: z.literal(true), status: z.enum(licenseStatuses), expires_at: timestamp.nullable() })
      .meta({ title: 'changed' }),
    z
      .object({
        key,
        success: z.literal(false),
        error: z.object({ code: z.enum(Object.values(codes)), message: z.string() }),
      })
      .meta({ title: 'refused' }),
  ])
  .meta({ id: 'AccountBulkResult' });

export function changeManyLicenses(tools: AccountTools, licenses: SellerLicenses): Route {
  return accountRoute(tools, {
    id: 'change-many-licenses',
    tag,
    summary: `Suspends, reinstates, revokes or renews up to ${mostInBulk} licenses`,
    description:
      'Each license is changed on its own. There is one result for each key, in your order. `SERVICE_UNAVAILABLE` means that this license was not changed: try again.',
    method: 'post',
    paths: ['/api/licenses/bulk'],
    scope: 'licenses:write',
    isIdempotent: true,
    body: z.object({
      action: z.enum(actions, missingOr(`It must be one of ${actions.join(', ')}.`)).meta({ example: 'suspend' }),
      keys: z
        .array(licenseKey, missingOr('It must be a list of license keys.'))
        .min(1, 'It must have at least one key.')
        .max(mostInBulk, `It must have at most ${mostInBulk} keys.`)
        .meta({ example: ['LIC-7H2K-9QWX-M4TB-C0VJ'] }),
      reason,
    }),
    answer: z.object({ success: z.literal(true), data: z.array(result) }),
    refusals: [],
    async handle({ caller, body }) {
      const results = await licenses.bulk(body.action, body.keys, sellerOf(caller, body.reason));
      return { success: true as const, data: results.map(renderResult) };
    },
  });
}

function renderResult({ key, result: one }: BulkResult): z.output<typeof result> {
  if (!isRefused(one)) return { key, success: true, status: one.status, expires_at: isoOrNull(one.expiresAt) };
  const { reason, detail = '' } = known(one);
  return { key, success: false, error: { code: codes[reason], message: detail } };
}
