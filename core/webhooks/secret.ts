import type { Instant } from '../ports/clock.ts';
import type { SecretBox } from '../ports/secret-box.ts';
import type { Secrets } from '../ports/secrets.ts';
import { day } from '../time.ts';
import type { Endpoint } from './endpoint.ts';

/** How long the old secret still signs after a rotation, in milliseconds. */
const overlap = day;

/** What stands before the base64 of each secret (Standard Webhooks). */
export const secretPrefix = 'whsec_';

/** Returns a new secret with 256 random bits. */
export function mintWebhookSecret(secrets: Pick<Secrets, 'base64'>): string {
  return secretPrefix + secrets.base64(32);
}

/** Gives the endpoint a new secret. The old one still signs for `overlap`. */
export function rotate(before: Endpoint, secret: string, box: SecretBox, now: Instant): Endpoint {
  return {
    ...before,
    secret: box.seal(secret),
    oldSecret: { secret: before.secret, until: now + overlap },
    updatedAt: now,
  };
}
