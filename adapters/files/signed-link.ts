import type { Instant } from '../../core/ports/clock.ts';
import type { Signer } from '../signer.ts';
import { isStorageKey } from './storage-key.ts';

/** Returns a URL that serves a stored file as a download until a time, which is rounded up to a second. */
export function signLink(signer: Signer, baseUrl: string, key: string, filename: string, until: Instant): string {
  const expires = String(Math.ceil(until / 1000));
  const signature = signer.sign(signed(key, filename, expires));
  const query = new URLSearchParams({ filename, expires, signature });
  return `${baseUrl.replace(/\/+$/, '')}/files/${key}?${query}`;
}

/** Checks the signature and the expiry time of a link. `query` is decoded. */
export function verifyLink(
  signer: Signer,
  key: string,
  query: Readonly<Record<string, unknown>>,
  now: Instant,
): 'ok' | 'expired' | 'invalid' {
  const { filename, expires, signature } = query;
  if (typeof filename !== 'string' || typeof expires !== 'string' || typeof signature !== 'string') return 'invalid';
  if (!isStorageKey(key) || !/^\d{1,12}$/.test(expires)) return 'invalid';
  if (!signer.verifies(signed(key, filename, expires), signature)) return 'invalid';
  return now < Number(expires) * 1000 ? 'ok' : 'expired';
}

/**
 * Returns the text to sign. It is different for any two links, because keys and digits contain no line break. It starts
 * with `file`, so that no signature of another kind of text is valid for a link.
 */
function signed(key: string, filename: string, expires: string): string {
  return ['file', key, expires, filename].join('\n');
}
