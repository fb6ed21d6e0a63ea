import { z } from 'zod';
import { forcedAnswers } from '../../../../core/licensing/forced.ts';
import type { Span } from '../../../../core/licensing/test-clock.ts';
import type { SellerLicenses } from '../../../../core/selling/licenses.ts';
import { day, hour, minute, second } from '../../../../core/time.ts';
import { type AccountTools, accountRoute, type Route, rendered } from '../../route.ts';
import { sellerOf } from '../seller.ts';
import { choice, params, reason } from './fields.ts';
import { answerWith, oneLicense, writing } from './license.ts';

const parts = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;

/** A duration of ISO 8601. */
const span = z.iso
  .duration('It must be a duration such as P30D, P1M or PT12H.')
  .max(40, 'It must have at most 40 characters.')
  .regex(parts, 'It must be in whole numbers, such as P30D.')
  .transform((text): Span => {
    const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = (parts.exec(text) ?? [])
      .slice(1)
      .map((part) => Number(part ?? 0));
    return {
      months: 12 * years + months,
      milliseconds: (7 * weeks + days) * day + hours * hour + minutes * minute + seconds * second,
    };
  })
  .meta({ format: 'duration', example: 'P30D' });

/** The clock of a test license. */
export function clockRoute(tools: AccountTools, { setClock }: Pick<SellerLicenses, 'setClock'>): Route {
  return accountRoute(tools, {
    id: 'set-license-clock',
    ...writing,
    summary: 'Sets the clock of a test license, to see a site in every state',
    description:
      'Only with a test key. `advance` moves all times of the license, of its domains and of its other keys back, as if it had been issued so much earlier: it expires for the license API and for leases, and webhooks and mails about its end are sent at once, in order. Times of orders stay. `force` makes the license API answer as if the license were in that state, while it is neither suspended nor revoked; `429` and `503` also refuse activations, and `slow` answers after 10 seconds. The clock of a live license cannot be set.',
    method: 'post',
    paths: ['/api/licenses/:key/clock'],
    isIdempotent: true,
    params,
    body: z.object({
      advance: span.optional().meta({
        description: 'By how long to advance it: a duration of ISO 8601, at most 3,660 days.',
      }),
      force: z
        .enum(forcedAnswers, choice(forcedAnswers))
        .nullable()
        .optional()
        .meta({ description: 'What the license API answers. Null: as the license is.', example: 'suspended' }),
      reason,
    }),
    answer: oneLicense,
    refusals: ['not_found', 'conflict'],
    handle: ({ caller, params, body: { advance, force: forced, reason } }) =>
      rendered(setClock(params.key, { advance, forced }, sellerOf(caller, reason)), answerWith),
  });
}
