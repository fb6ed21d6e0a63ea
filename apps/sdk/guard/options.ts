import { normalizeDomain } from '../../../core/licensing/domain-name.ts';
import type { GuardStorage, Platform } from '../platform.ts';
import { type Expected, fromBase64url } from './lease.ts';

export interface GuardOptions {
  /** The address of the license server, such as `https://licenses.example.com`. */
  readonly url: string;
  readonly licenseKey: string;
  /** The domain to check, in any spelling. Default: the host of the page. Needed outside of pages. */
  readonly domain?: string | undefined;
  /** Days for which a valid license stays valid while the server gives no answer. Default: 7. Leases have their own end. */
  readonly graceDays?: number | undefined;
  /** Milliseconds for one call. Default: 3000. */
  readonly timeout?: number | undefined;
  /** Where answers are kept. Default: `localStorage` in pages, otherwise the memory of the process. */
  readonly storage?: GuardStorage | undefined;
  /**
   * The public keys of the server, each 43 characters. Then the server is asked for signed leases, and only they make the
   * license valid. Build them into your site: who fetches them can be given others. While keys are changed, pass both.
   */
  readonly publicKeys?: readonly string[] | undefined;
  /** The issuer in leases, if it is not `url`: the address at which the server itself knows its license API. */
  readonly issuer?: string | undefined;
  /** A lease to begin with, such as from a file. Blanks around it do not matter. */
  readonly lease?: string | undefined;
  /** Never asks the server. Only a lease, given or kept, makes the license valid. Default: `false`. */
  readonly offline?: boolean | undefined;
}

/** Options that are right. */
export interface Settings {
  readonly base: string;
  /** `undefined` in a page without a host. */
  readonly domain: string | undefined;
  /** What leases must say. `undefined` without public keys. */
  readonly expected: Expected | undefined;
}

/** Throws a `TypeError` if an option is wrong. */
export function readOptions(options: GuardOptions, host: Platform['host']): Settings {
  const { licenseKey, publicKeys, lease, offline } = options;
  const [base, issuer] = [addressOf(options.url), addressOf(options.issuer ?? options.url)];
  const domain = normalizeDomain(String(options.domain ?? host ?? ''));
  const keys = Array.isArray(publicKeys) ? publicKeys.map((key) => fromBase64url(String(key))) : [];
  const rules = {
    url: isAddress(base),
    licenseKey: !!licenseKey && typeof licenseKey === 'string',
    domain: !!domain || (options.domain === undefined && host !== undefined),
    publicKeys:
      publicKeys === undefined
        ? (lease ?? options.issuer) === undefined && !offline
        : keys.length > 0 && keys.every((key) => key?.length === 32),
    issuer: isAddress(issuer),
    lease: lease === undefined || typeof lease === 'string',
    offline: offline === undefined || typeof offline === 'boolean',
  };
  for (const [name, isRight] of Object.entries(rules))
    if (!isRight) throw new TypeError(`${name} is missing or wrong.`);
  const expected = {
    keys: keys.filter((key) => key !== undefined),
    issuer,
    domain: domain ?? '',
    licenseKey,
  };
  return { base, domain, expected: publicKeys && expected };
}

function addressOf(text: unknown): string {
  return String(text).replace(/\/+$/, '');
}

function isAddress(text: string): boolean {
  return /^https?:\/\/./i.test(text);
}
