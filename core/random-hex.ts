import type { Secrets } from './ports/secrets.ts';

/** Returns `bytes` random bytes, in lower-case hexadecimal. */
export function randomHex(secrets: Pick<Secrets, 'bytes'>, bytes: number): string {
  return Array.from(secrets.bytes(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
