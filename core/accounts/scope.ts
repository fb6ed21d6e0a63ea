import { type Refused, refuse } from '../refusal.ts';

/** The scopes that an API key can have, with what each of them allows. */
export const scopes = {
  'account:read': 'read the account and list its API keys',
  'templates:read': 'list, read and download templates',
  'marketplace:read': 'read own products and download their versions',
  'marketplace:write': 'publish and change products, and upload files',
  'licenses:read': 'read the licenses of own products',
  'licenses:write': 'issue and change the licenses of own products',
  'orders:read': 'read orders of own products',
  'orders:write': 'refund orders of own products and record their payments',
  'purchases:read': 'read own purchases with their license keys',
  'deployments:write': 'check, record and list deployments',
  'webhooks:write': 'manage webhooks',
} as const satisfies Record<`${string}:${'read' | 'write'}`, string>;
export type Scope = keyof typeof scopes;
export const scopeNames = Object.keys(scopes) as [Scope, ...Scope[]];

/** The scopes of one API key. `null` means all, including those that are added later. */
export type Scopes = readonly Scope[] | null;

/** Returns the same scopes, each once, in the order of the table. */
export function sortedScopes(some: Scopes): Scopes {
  return some && scopeNames.filter((scope) => some.includes(scope));
}

/** Refuses a call that needs a scope which the API key does not have. */
export function lacking(had: Scopes, needed: Scope): undefined | Refused<'forbidden'> {
  if (had === null || had.includes(needed)) return undefined;
  return refuse('forbidden', `The API key lacks the scope ${needed}.`);
}
