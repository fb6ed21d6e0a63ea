import type { User } from '../accounts/user.ts';
import { type Refused, refuse } from '../refusal.ts';

/** Who can offer new products. Products that are there stay, and their owners manage them. */
export const sellingPolicies = ['everybody', 'invited', 'administrators'] as const;
export type SellingPolicy = (typeof sellingPolicies)[number];

/** Refuses new products of people who cannot sell. */
export function needingSeller(
  policy: SellingPolicy,
  { role, selling }: Pick<User, 'role' | 'selling'>,
): undefined | Refused<'forbidden'> {
  if (policy === 'everybody' || role === 'admin') return undefined;
  if (policy === 'administrators') {
    return refuse('forbidden', 'Only administrators of this site can publish products.');
  }
  if (selling !== null) return undefined;
  return refuse('forbidden', 'Only invited sellers can publish products on this site. Ask its administrators.');
}
