import type { Refused } from '../../../core/refusal.ts';
import type { Context } from '../state.ts';

/** Refusals that every form and every button shows in the same way. */
export type Common = 'signed_out' | 'confirmation_needed' | 'too_many_attempts';

const common: Readonly<Record<Common, true>> = { signed_out: true, confirmation_needed: true, too_many_attempts: true };

/** Whether the table `refusals` of the form says how to show the refusal. */
export function isOwn<Reason extends string>(
  refused: Refused<Reason | Common>,
): refused is Refused<Exclude<Reason, Common>> {
  return !Object.hasOwn(common, refused.reason);
}

/** Says in seconds when the next attempt is possible. */
export function setRetryAfter(ctx: Context, { figures }: Refused): void {
  if (figures?.retry_after !== undefined) ctx.set('Retry-After', String(figures.retry_after));
}
