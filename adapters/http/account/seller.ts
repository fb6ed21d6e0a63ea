import type { KeyCaller } from '../../../core/accounts/api-keys.ts';
import type { Refused } from '../../../core/refusal.ts';
import type { Seller } from '../../../core/selling/seller.ts';
import { Failure } from '../failures.ts';

/** The caller as a seller. The audit trail stores the reason. */
export function sellerOf({ user, mode, request }: KeyCaller, reason?: string | null): Seller {
  return { actor: { kind: 'user', user, reason: reason ?? undefined, request }, mode };
}

/** The failure for a parameter that only the use case can judge. */
export function faultIn(field: string, { detail = 'It is not valid.' }: Refused): Failure {
  return new Failure('validation_error', { fields: { [field]: [detail] } });
}
