import { z } from 'zod';
import type { Accounts } from '../../../core/accounts/accounts.ts';
import { type ApiKey, keyModes } from '../../../core/accounts/api-key.ts';
import { scopeNames } from '../../../core/accounts/scope.ts';
import { iso } from '../../../core/iso.ts';
import { endTime, isoOrNull, text, timestamp } from '../fields.ts';
import { type AccountTools, accountRoute, type Route, rendered, type Tag } from '../route.ts';

export const keyBody = z
  .object({
    id: z.int().meta({ example: 31 }),
    name: z.string().meta({ example: 'CI' }),
    mode: z.enum(keyModes),
    scopes: z
      .array(z.enum(scopeNames))
      .nullable()
      .meta({ description: 'Null for all scopes, including those that are added later.', example: ['templates:read'] }),
    prefix: z.string().meta({ description: 'The start of the key.', example: 'lk_sk_live_4f1a' }),
    last_four: z.string().meta({ description: 'The end of the key.', example: '9c0e' }),
    created_at: timestamp,
    last_used_at: timestamp.nullable().meta({ description: 'Up to five minutes older than the last call.' }),
    expires_at: endTime.nullable().meta({ description: 'Null for a key that never expires.' }),
    revoked_at: timestamp.nullable(),
  })
  .meta({ id: 'AccountApiKey' });

const tag: Tag = {
  name: 'API keys',
  description: 'The API keys of the account. Keys are created by a person, never by an API key.',
};

export function keyRoutes(tools: AccountTools, accounts: Accounts): Route[] {
  return [
    accountRoute(tools, {
      id: 'list-keys',
      tag,
      summary: "Lists the account's API keys, newest first",
      description: 'Live and test keys: all that work, and the newest 100 of those that have expired or were revoked.',
      method: 'get',
      paths: ['/api/keys'],
      scope: 'account:read',
      answer: z.object({ keys: z.array(keyBody) }),
      refusals: ['forbidden'],
      handle: ({ caller }) => rendered(accounts.ownKeys(caller), (keys) => ({ keys: keys.map(renderKey) })),
    }),
    accountRoute(tools, {
      id: 'revoke-key',
      tag,
      summary: "Revokes one of the account's API keys at once",
      description:
        'Any key may revoke itself, whatever its scopes are. Another key can be revoked only by a key with all scopes, and a live key only by a live key. Revoking a revoked key again changes nothing.',
      method: 'delete',
      paths: ['/api/keys/:id'],
      scope: null,
      params: z.object({ id: text(200).meta({ description: 'The id of the key.', example: '31' }) }),
      answer: z.object({ key: keyBody }),
      refusals: ['not_found', 'forbidden'],
      handle: ({ caller, params }) =>
        rendered(accounts.revokeOwnKey(caller, params.id), (revoked) => ({ key: renderKey(revoked) })),
    }),
  ];
}

export function renderKey(one: ApiKey): z.output<typeof keyBody> {
  return {
    id: one.id,
    name: one.name,
    mode: one.mode,
    scopes: one.scopes && [...one.scopes],
    prefix: one.prefix,
    last_four: one.lastFour,
    created_at: iso(one.createdAt),
    last_used_at: isoOrNull(one.lastUsedAt),
    expires_at: isoOrNull(one.expiresAt),
    revoked_at: isoOrNull(one.revokedAt),
  };
}
