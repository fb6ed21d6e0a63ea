import { parseLicenseKey } from '../../../core/licensing/license-key.ts';
import type { Subtle } from '../platform.ts';
import { fieldOf, readJson } from './answer.ts';
import { digestOf, isSigned } from './signature.ts';

declare const atob: (base64: string) => string;
declare const TextDecoder: new (label: 'utf-8', options: { fatal: true }) => { decode(bytes: Uint8Array): string };
declare const TextEncoder: new () => { encode(text: string): Uint8Array };

/** Why a lease does not count. */
export type LeaseFault =
  | 'malformed_lease'
  | 'wrong_signature'
  | 'wrong_issuer'
  | 'wrong_domain'
  | 'wrong_license'
  | 'early_lease'
  | 'expired_lease';

/** A lease whose signature, issuer, domain and license are right. Times are in milliseconds. */
export interface Lease {
  readonly text: string;
  readonly issuedAt: number;
  /** From then on it counts. */
  readonly begin: number;
  /** From then on it does not count. */
  readonly until: number;
  /** The end of the license. `null` for a perpetual one. */
  readonly expiresAt: number | null;
}

/** What a lease must say, and the keys of which one must have signed it. */
export interface Expected {
  readonly keys: readonly Uint8Array[];
  /** The address of the license API, without a slash at the end. */
  readonly issuer: string;
  readonly domain: string;
  readonly licenseKey: string;
}

/** The clocks of the server and of the site may differ by so many milliseconds. */
export const skew = 300_000;

/** Returns the lease, or why it does not count, whatever the time is. Never throws. */
export async function openLease(
  text: string,
  expected: Expected,
  subtle: Subtle | undefined,
): Promise<Lease | LeaseFault> {
  const [head = '', body = '', signature = '', ...more] = text.split('.');
  const [header, claims] = [readPart(head), readPart(body)];
  const bytes = fromBase64url(signature);
  const isForm =
    fieldOf(header, 'alg') === 'EdDSA' &&
    fieldOf(header, 'typ') === 'latchkey-lease+jwt' &&
    // An extension that must be understood, which this code does not.
    fieldOf(header, 'crit') === undefined &&
    bytes?.length === 64 &&
    more.length === 0;
  if (!isForm || bytes === undefined) return 'malformed_lease';
  const data = new TextEncoder().encode(`${head}.${body}`);
  if (!(await isSigned(subtle, expected.keys, bytes, data).catch(() => false))) return 'wrong_signature';

  const [issuedAt, begin, until] = [timeOf(claims, 'iat'), timeOf(claims, 'nbf'), timeOf(claims, 'exp')];
  const end = fieldOf(claims, 'expires_at');
  const expiresAt = end === null ? null : Date.parse(String(end));
  const isWhole = fieldOf(claims, 'v') === 1 && !Number.isNaN(issuedAt + begin + until + (expiresAt ?? 0));
  if (!isWhole) return 'malformed_lease';
  if (fieldOf(claims, 'iss') !== expected.issuer) return 'wrong_issuer';
  if (fieldOf(claims, 'aud') !== expected.domain) return 'wrong_domain';
  const subject = await subjectOf(expected.licenseKey, subtle).catch(() => undefined);
  if (String(fromBase64url(String(fieldOf(claims, 'sub')))) !== subject) return 'wrong_license';
  return { text, issuedAt, begin, until, expiresAt };
}

/** Why a lease does not count at this time. */
export function timeFaultOf({ issuedAt, begin, until }: Lease, now: number): LeaseFault | undefined {
  if (Math.max(issuedAt, begin) > now + skew) return 'early_lease';
  return now < until ? undefined : 'expired_lease';
}

/** Returns `undefined` for a text that is not base64url. */
export function fromBase64url(text: string): Uint8Array | undefined {
  try {
    if (!/^[\w-]+$/.test(text)) return undefined;
    return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (byte) => byte.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function readPart(text: string): unknown {
  try {
    return readJson(new TextDecoder('utf-8', { fatal: true }).decode(fromBase64url(text) ?? new Uint8Array()));
  } catch {
    return undefined;
  }
}

/** A time in seconds, in milliseconds. */
function timeOf(claims: unknown, name: string): number {
  const seconds = fieldOf(claims, name);
  return typeof seconds === 'number' ? 1000 * seconds : Number.NaN;
}

/** The first 16 bytes of SHA-256 of the key, as a list of numbers. The lease names the license so, and not by its key. */
async function subjectOf(licenseKey: string, subtle: Subtle | undefined): Promise<string> {
  const key = new TextEncoder().encode(parseLicenseKey(licenseKey) ?? licenseKey);
  return String((await digestOf(subtle, key)).slice(0, 16));
}
