import type { ApiKey } from '../../core/accounts/api-key.ts';
import type { UserId } from '../../core/id.ts';
import { issuedAt } from './license-acts.ts';

/** Returns the nth digest. All are different. */
export const digest = (n: number) => n.toString(16).padStart(64, 'a');

/** Returns a new key. All its fields have different values. */
export function newKey(userId: UserId, n: number, fields: Partial<ApiKey> = {}): Omit<ApiKey, 'id'> {
  return {
    userId,
    name: `Key "${n}" of Böb`,
    mode: 'test',
    scopes: ['account:read', 'deployments:write'],
    digest: digest(n),
    prefix: 'dk_sk_test_ab12',
    lastFour: '9f3e',
    createdAt: issuedAt + n,
    expiresAt: issuedAt + 86_400_000,
    revokedAt: null,
    replacedBy: null,
    lastUsedAt: null,
    ...fields,
  };
}
