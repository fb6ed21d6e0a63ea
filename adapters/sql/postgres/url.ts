/**
 * Splits `postgres://user:password@first:5432,second:5433/database` into one URL for each host, in the same order.
 * Returns a URL with one host unchanged.
 */
export function addressesIn(url: string): readonly string[] {
  const [, before = '', hosts = '', after = ''] = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/.exec(url) ?? [];
  return hosts.includes(',') ? hosts.split(',').map((host) => `${before}${host}${after}`) : [url];
}
