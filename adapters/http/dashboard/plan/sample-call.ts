import type { Scope, Scopes } from '../../../../core/accounts/scope.ts';

/** Calls that change nothing, with the scope that each needs. The sample of a key is the first call that it may make. */
const samples = [
  ['account:read', '/api/auth/me'],
  ['templates:read', '/api/templates'],
  ['marketplace:read', '/api/marketplace/my-products'],
] as const satisfies readonly (readonly [Scope, string])[];

/**
 * Returns a command that uses the key in a terminal, or `undefined` if the key may make none of the sample calls.
 * `baseUrl` has no slash at the end.
 */
export function sampleCall(baseUrl: string, key: string, scopes: Scopes): string | undefined {
  const sample = samples.find(([scope]) => scopes === null || scopes.includes(scope));
  return sample && `curl ${baseUrl}${sample[1]} \\\n  -H 'X-API-Key: ${key}'`;
}
