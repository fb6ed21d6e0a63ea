import type { Secrets } from '../ports/secrets.ts';

const tokenBytes = 24;
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** Returns an unguessable text for the address of an order: 5 bits of each byte. */
export function newOrderToken(secrets: Secrets): string {
  return Array.from(secrets.bytes(tokenBytes), (byte) => alphabet[byte & 31]).join('');
}
