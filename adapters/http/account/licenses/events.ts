import { z } from 'zod';
import { eventTypes } from '../../../../core/events/event.ts';
import { parseId, toAuditId } from '../../../../core/id.ts';
import { iso } from '../../../../core/iso.ts';
import type { AuditEntry } from '../../../../core/ports/audit-log.ts';
import { isRefused, refuse } from '../../../../core/refusal.ts';
import type { SellerLicenses } from '../../../../core/selling/licenses.ts';
import { pageOf, pageQuery } from '../../cursor.ts';
import { timestamp } from '../../fields.ts';
import { type AccountTools, accountRoute, type Route } from '../../route.ts';
import { faultIn, sellerOf } from '../seller.ts';
import { params } from './fields.ts';
import { known } from './known.ts';
import { tag } from './tag.ts';

const event = z
  .object({
    id: z.int().meta({ example: 4711 }),
    type: z.enum(eventTypes).meta({ example: 'license.suspended' }),
    at: timestamp,
    actor: z.string().meta({
      description:
        'Your e-mail address, `license-api` for a site that called it, or `administrator`. Administrators see who it was.',
      example: 'ada@example.com',
    }),
    reason: z.string().nullable().meta({ example: 'Refunded.' }),
    data: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .meta({ description: 'What was changed. Each type has its own fields.', example: { status: 'suspended' } }),
  })
  .meta({ id: 'AccountLicenseEvent' });

export function licenseEvents(tools: AccountTools, licenses: SellerLicenses): Route {
  return accountRoute(tools, {
    id: 'list-license-events',
    tag,
    summary: 'Lists the changes of a license, newest first',
    description: 'Verifications are no changes. A change may be missing for some seconds.',
    method: 'get',
    paths: ['/api/licenses/:key/events'],
    scope: 'licenses:read',
    params,
    query: z.object(pageQuery),
    answer: pageOf(event),
    refusals: ['not_found'],
    async handle({ caller, params, query: { cursor, limit } }) {
      const before = cursor === undefined ? undefined : parseId(cursor, toAuditId);
      if (cursor !== undefined && before === undefined) {
        throw faultIn('cursor', refuse('unknown_place', 'This is no place in the list.'));
      }
      const history = await licenses.events(params.key, { before, limit }, sellerOf(caller));
      if (isRefused(history)) return known(history);
      const next = history.next === undefined ? null : String(history.next);
      return { success: true as const, data: history.entries.map(renderEvent), next_cursor: next };
    },
  });
}

function renderEvent({ id, type, at, actor, reason, data }: AuditEntry): z.output<typeof event> {
  return { id, type, at: iso(at), actor, reason, data: { ...data } };
}
