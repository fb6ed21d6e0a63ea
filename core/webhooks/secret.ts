import type { Instant } from '../ports/clock.ts';
import type { SecretBox } from '../ports/secret-box.ts';
import type { Endpoint } from './endpoint.ts';

/** How long the old secret signs too after a rotation, in milliseconds. */
export const overlap = 24 * 3_600_000;

/** Gives the endpoint a new secret. The one before signs too for `overlap`. */
export function rotate(before: Endpoint, secret: string, box: SecretBox, now: Instant): Endpoint {
  return {
    ...before,
    secret: box.seal(secret),
    oldSecret: { secret: before.secret, until: now + overlap },
    updatedAt: now,
  };
}
