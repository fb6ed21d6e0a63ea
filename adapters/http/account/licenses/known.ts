import { type Refused, refuse } from '../../../../core/refusal.ts';

/** The refusals of the use cases as the account API sends them. `undefined`: the route reports a wrong parameter. */
const reasons = {
  invalid_key: 'not_found',
  product_not_found: 'not_found',
  product_archived: 'conflict',
  transition_not_allowed: 'conflict',
  domains_in_use: 'conflict',
  expiry_not_later: 'conflict',
  not_tried: 'service_unavailable',
} as const;
type Reasons = typeof reasons;
export type KnownReason = keyof Reasons;

/** Translates a refusal of a use case. Two refusals with the same reason look the same, whatever the cause is. */
export function known<R extends KnownReason>({ reason, detail }: Refused<R>): Refused<Reasons[R]> {
  return refuse(reasons[reason], reason === 'invalid_key' ? 'There is no license with this key.' : detail);
}
