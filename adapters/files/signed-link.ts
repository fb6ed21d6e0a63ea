import { type OrderId, parseId, toOrderId } from '../../core/id.ts';
import type { Instant } from '../../core/ports/clock.ts';
import { parseWholeNumber } from '../../core/whole-number.ts';
import type { Signer } from '../contracts/signer.ts';
import { isStorageKey } from './storage-key.ts';

/** The order or the license (by its number) that a link was made for. */
export type Holder = { readonly order: OrderId } | { readonly license: number };

/**
 * Returns a URL that serves a stored file as a download until a time, which is rounded up to a second. With `holder`, the
 * link also names the order or the license: see `holderOf`.
 */
export function signLink(
  signer: Signer,
  baseUrl: string,
  key: string,
  filename: string,
  until: Instant,
  holder?: Holder,
): string {
  const expires = String(Math.ceil(until / 1000));
  const of = Object.entries(holder ?? {}).map(([kind, id]) => [kind, String(id)] as const);
  const signature = signer.sign(signed(key, filename, expires, of));
  const query = new URLSearchParams({ filename, expires, ...Object.fromEntries(of), signature });
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
  const of = kinds.flatMap((kind) => (query[kind] === undefined ? [] : [[kind, String(query[kind])] as const]));
  if (of.length > 0 && holderOf(query) === undefined) return 'invalid';
  if (!signer.verifies(signed(key, filename, expires, of), signature)) return 'invalid';
  return now < Number(expires) * 1000 ? 'ok' : 'expired';
}

const kinds = ['order', 'license'] as const;

/** Returns what a link was made for, if its query passes `verifyLink`. */
export function holderOf({ order, license }: Readonly<Record<string, unknown>>): Holder | undefined {
  if (typeof order === 'string' && license === undefined) {
    const id = parseId(order, toOrderId);
    return id && { order: id };
  }
  if (typeof license !== 'string' || order !== undefined) return undefined;
  const number = parseWholeNumber(license, 1, Number.MAX_SAFE_INTEGER);
  return number === undefined ? undefined : { license: number };
}

/**
 * Returns the text to sign. It is different for any two links, because keys and digits contain no line break. It starts
 * with `file`, `order file` or `license file`, so that no signature of another kind of text is valid for a link.
 */
function signed(key: string, filename: string, expires: string, of: readonly (readonly [string, string])[]): string {
  const [holder] = of;
  const link = [key, expires, filename];
  return (holder === undefined ? ['file', ...link] : [`${holder[0]} file`, holder[1], ...link]).join('\n');
}
