import { z } from 'zod';
import { parseId } from '../../../../core/id.ts';
import { iso } from '../../../../core/iso.ts';
import {
  type Alias,
  aliasKinds,
  aliasLength,
  foreignAliasKinds,
  parseForeignAlias,
} from '../../../../core/licensing/alias.ts';
import { longestKeyOverlap } from '../../../../core/licensing/rotation.ts';
import { isRefused, refuse } from '../../../../core/refusal.ts';
import type { LicenseKeys } from '../../../../core/selling/license-keys.ts';
import { endTime, isoOrNull, missingOr, text, timestamp } from '../../fields.ts';
import { type AccountTools, accountRoute, type Route, rendered } from '../../route.ts';
import { faultIn, sellerOf } from '../seller.ts';
import { expiry, params, reason } from './fields.ts';
import { answerWith, oneLicense, reading, writing } from './license.ts';

const alias = z
  .object({
    id: z.int().meta({ example: 12 }),
    kind: z.enum(Object.keys(aliasKinds) as [Alias['kind'], ...Alias['kind'][]]).meta({
      description: 'Where it comes from. `former` is a license key that was replaced.',
      example: 'lemonsqueezy',
    }),
    hint: z.string().meta({
      description:
        'Its first and last characters, or none of a short one. The service does not know more: it stores digests only.',
      example: '38b1…7c',
    }),
    valid_until: endTime.nullable().meta({ description: 'Null for ever.', example: null }),
    created_at: timestamp,
  })
  .meta({ id: 'AccountLicenseAlias' });

const manyAliases = z.object({ success: z.literal(true), data: z.array(alias) });

const value = text(aliasLength.most)
  .transform((written, context) => {
    const parsed = parseForeignAlias(written);
    if (parsed !== undefined) return parsed;
    context.addIssue(
      `It must have ${aliasLength.least} to ${aliasLength.most} printable characters, and must not look like a license key of this service.`,
    );
    return z.NEVER;
  })
  .meta({ description: 'The other key.', example: '38b1460a-5104-4067-a91d-77b872934d51' });

/** The calls about the keys of a license: those that lead to it besides its own, and a new one of its own. */
export function keyRoutes(tools: AccountTools, keys: LicenseKeys): Route[] {
  return [
    accountRoute(tools, {
      id: 'list-license-aliases',
      ...reading,
      summary: 'Lists the other keys that lead to a license',
      description:
        'Keys of other systems, also those whose time is over, and replaced keys that still work; in the order in which they were added.',
      method: 'get',
      paths: ['/api/licenses/:key/aliases'],
      params,
      answer: manyAliases,
      refusals: ['not_found'],
      handle: ({ caller, params }) => rendered(keys.aliases(params.key, sellerOf(caller)), renderAliases),
    }),
    accountRoute(tools, {
      id: 'add-license-alias',
      ...writing,
      summary: 'Lets another key lead to a license',
      description:
        'Sites may go on with the keys of another system: the license API takes them as it takes the license key. Keys of `lemonsqueezy`, `edd` and `gumroad` are found in upper and lower case and with blanks in them, those of `slm` in upper and lower case; all others must be written exactly.',
      method: 'post',
      paths: ['/api/licenses/:key/aliases'],
      isIdempotent: true,
      params,
      body: z.object({
        value,
        kind: z
          .enum(
            foreignAliasKinds as [(typeof foreignAliasKinds)[number]],
            missingOr(`It must be one of ${foreignAliasKinds.join(', ')}.`),
          )
          .meta({ description: 'Where the key comes from.', example: 'lemonsqueezy' }),
        valid_until: expiry.nullable().optional().meta({
          description: 'A time, or a day to its end in UTC. Null, or left out: for ever.',
          example: '2027-06-30',
        }),
        reason,
      }),
      answer: manyAliases,
      refusals: ['not_found', 'conflict'],
      async handle({ caller, params, body }) {
        const wanted = { text: body.value, kind: body.kind, validUntil: body.valid_until ?? null };
        const added = await keys.addAlias(params.key, wanted, sellerOf(caller, body.reason));
        if (!isRefused(added)) return renderAliases(added);
        if (added.reason === 'expiry_not_later') throw faultIn('valid_until', added);
        return added;
      },
    }),
    accountRoute(tools, {
      id: 'remove-license-alias',
      ...writing,
      summary: 'Removes another key from a license',
      description: 'It is unknown from now on. A license key that was replaced stops working before its end.',
      method: 'delete',
      paths: ['/api/licenses/:key/aliases/:alias'],
      params: params.extend({ alias: z.string().meta({ description: 'The id of the alias.', example: '12' }) }),
      answer: manyAliases,
      refusals: ['not_found'],
      async handle({ caller, params }) {
        const id = parseId(params.alias, Number);
        if (id === undefined) return refuse('alias_not_found', 'The license has no such alias.');
        return rendered(keys.removeAlias(params.key, id, sellerOf(caller)), renderAliases);
      },
    }),
    accountRoute(tools, {
      id: 'rotate-license-key',
      ...writing,
      summary: 'Replaces the key of a license',
      description:
        'The license gets a new key, and keeps its domains, counts and periods. The present key is valid for `overlap_days`, and unknown after that. The holder of a live license gets a mail with the new key, if the license has their address. A revoked license keeps its key.',
      method: 'post',
      paths: ['/api/licenses/:key/rotate'],
      isIdempotent: true,
      params,
      body: z.object({
        overlap_days: z
          .int(missingOr('It must be a whole number.'))
          .min(0, 'It must be at least 0.')
          .max(longestKeyOverlap, `It must be at most ${longestKeyOverlap}.`)
          .optional()
          .meta({ description: 'The days for which the present key stays valid; 0 by default.', example: 14 }),
        reason,
      }),
      answer: oneLicense.extend({
        former_key: z.string().meta({ description: 'The key that was replaced.', example: 'LIC-2B8N-RW4C-K6PA-D3M7' }),
        former_valid_until: endTime.meta({ description: 'The replaced key is valid until then.' }),
      }),
      refusals: ['not_found', 'conflict'],
      async handle({ caller, params, body }) {
        const done = await keys.rotate(params.key, body.overlap_days ?? 0, sellerOf(caller, body.reason));
        if (isRefused(done)) return done;
        const { formerKey, formerEndsAt } = done.rotated;
        return { ...answerWith(done.shown), former_key: formerKey, former_valid_until: iso(formerEndsAt) };
      },
    }),
  ];
}

function renderAliases(aliases: readonly Alias[]): z.output<typeof manyAliases> {
  return {
    success: true,
    data: aliases.map(({ id, kind, hint, validUntil, addedAt }) => {
      return { id, kind, hint, valid_until: isoOrNull(validUntil), created_at: iso(addedAt) };
    }),
  };
}
