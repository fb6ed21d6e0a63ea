import type { Instant } from '../ports/clock.ts';
import type { SecretBox } from '../ports/secret-box.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Endpoint } from './endpoint.ts';

/** How long the old secret signs too after a rotation, in milliseconds. */
const overlap = 24 * 3_600_000;

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Returns a new secret: `whsec_` and 256 random bits in base64, as Standard Webhooks says. */
export function mintWebhookSecret(secrets: Pick<Secrets, 'bytes'>): string {
  return `whsec_${base64(secrets.bytes(32))}`;
}

/** Gives the endpoint a new secret. The one before signs too for `overlap`. */
export function rotate(before: Endpoint, secret: string, box: SecretBox, now: Instant): Endpoint {
  return {
    ...before,
    secret: box.seal(secret),
    oldSecret: { secret: before.secret, until: now + overlap },
    updatedAt: now,
  };
}

function base64(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  const characters = (bits.match(/.{1,6}/g) ?? []).map((six) =>
    alphabet.charAt(Number.parseInt(six.padEnd(6, '0'), 2)),
  );
  return characters.join('').padEnd(Math.ceil(bytes.length / 3) * 4, '=');
}
