/**
 * The addresses, each of one host, that `postgres://user:password@first:5432,second:5433/database` stands for, in its order. An
 * address of one host stands for itself.
 */
export function addressesIn(url: string): readonly string[] {
  const [, before = '', hosts = '', after = ''] = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/.exec(url) ?? [];
  return hosts.includes(',') ? hosts.split(',').map((host) => `${before}${host}${after}`) : [url];
}
