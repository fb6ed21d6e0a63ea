declare const URL: new (address: string) => { readonly hostname: string };

declare const brand: unique symbol;
/** A host in its one canonical form: what `normalizeDomain` answers, and nothing else. */
export type DomainName = string & { readonly [brand]: 'DomainName' };

/** A host that is canonical already, as most sites send it. It ends in a name, so that it is no IPv4 address. */
const canonical = /^(?:[a-z0-9-]{1,63}\.)*[a-z][a-z0-9-]{0,62}$/;
const tabsAndNewlines = /[\t\n\r]/g;
const blank = /[\s\0-\u0020]/;
const specialScheme = /^(?:https?|wss?|ftp):/i;
const otherScheme = /^[a-z][a-z0-9+.-]*:\/\//i;
/** A scheme whose address names no host: one of the three best known, or any text before a colon unless a port follows. */
const hostlessScheme = /^(?:(?:data|javascript|mailto):|[a-z][a-z0-9+.-]*:(?!\/\/|\d*(?:$|[/\\?#])))/i;

/**
 * The canonical host of whatever a site calls its address, read as a browser reads it (WHATWG URL host parsing), or
 * `undefined` if that is no legal host. Never throws, and is idempotent on any text. Carries out "Domain normalization" of the spec.
 *
 * As in a browser, what stands before the first colon is a scheme, and a scheme without `//` has no host: `mailto:a@b.com` and
 * `user:pass@host` are refused. There is one exception, because sites write it: `host:port` is a host. A user may stand before
 * the host if no colon makes it a scheme: `user@host`, `//user:pass@host`, `https://user:pass@host`.
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

/** Without the blanks and C0 controls around it, in linear time. */
function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && blank.test(text.charAt(start))) start++;
  while (end > start && blank.test(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** The same authority under `http:`, because the host parser folds case and IDN for the web's own schemes only. */
function asHttpAddress(text: string): string | undefined {
  if (specialScheme.test(text)) return text;
  if (/^[/\\]{2}/.test(text)) return `http:${text}`;
  if (hostlessScheme.test(text)) return undefined;
  const authority = text.replace(otherScheme, '');
  return /^[/\\]/.test(authority) ? undefined : `http://${authority}`;
}

/** Browsers take `*` in a host, but no site has one: it is a pattern. */
function isLegal(host: string): boolean {
  if (host.includes('*')) return false;
  return host.length <= 253 && host.split('.').every((label) => label.length >= 1 && label.length <= 63);
}
