import type { HostRules } from '../marketplace/product-terms.ts';
import type { DomainName } from './domain-name.ts';
import { matches } from './host-pattern.ts';

/** The kinds of hosts of a license: a domain, a host of a developer, or a preview. Only a `slot` takes a slot. */
export const hostKinds = ['slot', 'local', 'preview'] as const;
export type HostKind = (typeof hostKinds)[number];

/** Returns the kind of a host for licenses of a product. A host that is both local and a preview is `local`. */
export function kindOf(domain: DomainName, { localHostsAreFree, previewHosts }: HostRules): HostKind {
  if (localHostsAreFree && isLocalHost(domain)) return 'local';
  return previewHosts.some((pattern) => matches(pattern, domain)) ? 'preview' : 'slot';
}

const localName = /(?:^|\.)localhost$|\.(?:test|local)$/;

/**
 * Whether only a developer's own machine or network has this host: `localhost`, names below `localhost`, `test` and
 * `local`, and private, loopback, link-local and unspecified addresses.
 */
export function isLocalHost(domain: DomainName): boolean {
  return localName.test(domain) || isLocalIpv4(domain) || isLocalIpv6(domain);
}

const ipv4 = /^(\d+)\.(\d+)\.\d+\.\d+$/;

function isLocalIpv4(host: string): boolean {
  const [, first = '', second = ''] = ipv4.exec(host) ?? [];
  if (first === '') return false;
  const block = Number(second);
  return (
    first === '10' ||
    first === '127' ||
    host === '0.0.0.0' ||
    (first === '172' && block >= 16 && block <= 31) ||
    (first === '192' && block === 168) ||
    (first === '169' && block === 254)
  );
}

/** An IPv4 address in IPv6. In the canonical form, `::` stands for exactly the five zeros before `ffff`. */
const mapped = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/;

function isLocalIpv6(host: string): boolean {
  if (!host.startsWith('[')) return false;
  const [, high, low] = mapped.exec(host) ?? [];
  if (high !== undefined && low !== undefined) return isLocalIpv4(`${bytesOf(high)}.${bytesOf(low)}`);
  const first = Number.parseInt(host.slice(1), 16); // Not a number if the address starts with `::`.
  return host === '[::1]' || host === '[::]' || (first & 0xfe00) === 0xfc00 || (first & 0xffc0) === 0xfe80;
}

function bytesOf(group: string): string {
  const number = Number.parseInt(group, 16);
  return `${number >> 8}.${number & 255}`;
}

const www = 'www.';
const address = /^\[|\.\d+$/;

/**
 * Returns the other name of the same site: `example.com` for `www.example.com`, and the reverse. Returns `undefined`
 * for addresses and for names without a dot, such as `localhost` and the `com` in `www.com`.
 */
export function twinOf(domain: DomainName): DomainName | undefined {
  const isWww = domain.startsWith(www);
  const apex = isWww ? domain.slice(www.length) : domain;
  if (!apex.includes('.') || apex.startsWith(www) || address.test(apex)) return undefined;
  if (isWww) return apex as DomainName;
  return domain.length + www.length <= 253 ? (`${www}${domain}` as DomainName) : undefined;
}

/** Returns the name under which a host is activated: without `www.` if the product has this option. */
export function storedAs(domain: DomainName, { wwwIsApex }: HostRules): DomainName {
  return (wwwIsApex && domain.startsWith(www) && twinOf(domain)) || domain;
}
