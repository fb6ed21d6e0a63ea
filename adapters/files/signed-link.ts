import { type OrderId, parseId, toOrderId } from '../../core/id.ts';
import type { Instant } from '../../core/ports/clock.ts';
import type { Signer } from '../contracts/signer.ts';
import { isStorageKey } from './storage-key.ts';

/**
 * Returns a URL that serves a stored file as a download until a time, which is rounded up to a second. With `order`, the
 * link also says for which order it was made: see `orderOf`.
 */
export function signLink(
  signer: Signer,
  baseUrl: string,
  key: string,
  filename: string,
  until: Instant,
  order?: OrderId,
): string {
  const expires = String(Math.ceil(until / 1000));
  const of = order === undefined ? {} : { order: String(order) };
  const signature = signer.sign(signed(key, filename, expires, of.order));
  const query = new URLSearchParams({ filename, expires, ...of, signature });
  return `${baseUrl.replace(/\/+$/, '')}/files/${key}?${query}`;
}

/** Checks the signature and the expiry time of a link. `query` is decoded. */
export function verifyLink(
  signer: Signer,
  key: string,
  query: Readonly<Record<string, unknown>>,
  now: Instant,
): 'ok' | 'expired' | 'invalid' {
  const { filename, expires, order, signature } = query;
  if (typeof filename !== 'string' || typeof expires !== 'string' || typeof signature !== 'string') return 'invalid';
  if (!isStorageKey(key) || !/^\d{1,12}$/.test(expires)) return 'invalid';
  if (order !== undefined && (typeof order !== 'string' || orderOf(query) === undefined)) return 'invalid';
  if (!signer.verifies(signed(key, filename, expires, order), signature)) return 'invalid';
  return now < Number(expires) * 1000 ? 'ok' : 'expired';
}

/** Returns the order for which a link was made, if its query passes `verifyLink`. */
export function orderOf({ order }: Readonly<Record<string, unknown>>): OrderId | undefined {
  return typeof order === 'string' ? parseId(order, toOrderId) : undefined;
}

/**
 * Returns the text to sign. It is different for any two links, because keys and digits contain no line break. It starts
 * with `file` or `order file`, so that no signature of another kind of text is valid for a link.
 */
function signed(key: string, filename: string, expires: string, order: string | undefined): string {
  const link = [key, expires, filename];
  return (order === undefined ? ['file', ...link] : ['order file', order, ...link]).join('\n');
}
