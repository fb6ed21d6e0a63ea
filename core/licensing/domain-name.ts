declare const URL: new (address: string) => { readonly hostname: string };

declare const brand: unique symbol;
/** A host in canonical form, as `normalizeDomain` returns it. */
export type DomainName = string & { readonly [brand]: 'DomainName' };

/**
 * Matches hosts that are already canonical, as most sites send them. The last label starts with a letter, so an IPv4
 * address does not match.
 */
const canonical = /^(?:[a-z0-9-]{1,63}\.)*[a-z][a-z0-9-]{0,62}$/;
const tabsAndNewlines = /[\t\n\r]/g;
const blank = /[\s\0-\u0020]/;
const specialScheme = /^(?:https?|wss?|ftp):/i;
const otherScheme = /^[a-z][a-z0-9+.-]*:\/\//i;
/** A scheme without a host: one of three common ones, or any text before a colon if neither `//` nor a port follows. */
const hostlessScheme = /^(?:(?:data|javascript|mailto):|[a-z][a-z0-9+.-]*:(?!\/\/|\d*(?:$|[/\\?#])))/i;

/**
 * Returns the canonical host of an address, or `undefined` if the address has no legal host. Reads the address as a
 * browser does (WHATWG URL host parsing). Never throws. Idempotent on any text. Implements "Domain normalization" of
 * the spec.
 *
 * As in a browser, the text before the first colon is a scheme, and a scheme without `//` has no host. So
 * `mailto:a@b.com` and `user:pass@host` are refused. The only exception is `host:port`, because sites send it. A user
 * name may precede the host if no colon turns it into a scheme: `user@host`, `//user:pass@host`,
 * `https://user:pass@host`.
 */
export function normalizeDomain(text: string): DomainName | undefined {
  if (text.length <= 253 && canonical.test(text) && !text.includes('xn--')) return text as DomainName;
  const host = hostOf(text);
  return host !== undefined && isLegal(host) && hostOf(host) === host ? (host as DomainName) : undefined;
}

function hostOf(text: string): string | undefined {
  const address = asHttpAddress(trim(text.replace(tabsAndNewlines, '')));
  if (address === undefined) return undefined;
  try {
    return new URL(address).hostname.replace(/\.$/, '');
  } catch {
    return undefined;
  }
}

/** Removes surrounding blanks and C0 controls, in linear time. */
function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && blank.test(text.charAt(start))) start++;
  while (end > start && blank.test(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Uses `http:` for unknown schemes, because the URL parser normalizes letter case and IDN only for web schemes. */
function asHttpAddress(text: string): string | undefined {
  if (specialScheme.test(text)) return text;
  if (/^[/\\]{2}/.test(text)) return `http:${text}`;
  if (hostlessScheme.test(text)) return undefined;
  const authority = text.replace(otherScheme, '');
  return /^[/\\]/.test(authority) ? undefined : `http://${authority}`;
}

/** Refuses `*`, which browsers accept, because a host with `*` is a pattern. Chromium writes it as `%2A`. */
function isLegal(host: string): boolean {
  if (/[*%]/.test(host)) return false;
  return host.length <= 253 && host.split('.').every((label) => label.length >= 1 && label.length <= 63);
}
