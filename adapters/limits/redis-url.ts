export interface RedisHost {
  readonly host: string;
  readonly port: number;
}

export interface RedisLogin {
  readonly username?: string;
  readonly password?: string;
}

/** Where Redis is: one server, a master that sentinels name, or a cluster. */
export type RedisPlace =
  | { readonly kind: 'server'; readonly url: string }
  | {
      readonly kind: 'sentinel';
      readonly sentinels: readonly RedisHost[];
      readonly master: string;
      readonly database: number;
      readonly login: RedisLogin;
      /** Sentinels have passwords of their own, or none. */
      readonly sentinelLogin: RedisLogin;
      readonly isTls: boolean;
    }
  | {
      readonly kind: 'cluster';
      readonly nodes: readonly RedisHost[];
      readonly login: RedisLogin;
      readonly isTls: boolean;
    };

/** Its message says of the address what is wrong; it repeats nothing of it, as there may be a password in it. */
export class WrongRedisUrl extends TypeError {
  override readonly name = 'WrongRedisUrl';
}

const scheme = /^(rediss?)(?:\+(sentinel|cluster))?:\/\/./;
const parts = /^[^/]+\/\/(?:(?<login>[^@/?#]*)@)?(?<hosts>[^@/?#]+)(?<path>\/[^@?#]*)?(?:\?(?<query>[^@#]*))?$/;
const unreadable =
  'cannot be read; in a user or password, write %2F for /, %3F for ?, %23 for #, %40 for @ and %25 for %';
const sentinelParameters = ['sentinel_user', 'sentinel_password'];

/** Whether an address says that it is one of Redis. */
export function isRedisUrl(text: string): boolean {
  return scheme.test(text);
}

/**
 * Reads `redis://user:password@host:port/database`, `redis+sentinel://user:password@host:port,host:port/master/database`
 * and `redis+cluster://user:password@host:port,host:port`; with `rediss` in place of `redis`, over TLS. Throws
 * `WrongRedisUrl`.
 */
export function parseRedisUrl(text: string): RedisPlace {
  const [, start, kind] = scheme.exec(text) ?? [];
  const { login = '', hosts = '', path = '', query = '' } = parts.exec(text)?.groups ?? {};
  if (start === undefined || hosts === '') throw new WrongRedisUrl(unreadable);
  const isTls = start === 'rediss';
  const [, first = '', second, ...more] = path.split('/').map(decoded);
  if (kind === undefined) {
    if (!URL.canParse(text)) throw new WrongRedisUrl(unreadable);
    loginOf(login);
    if (!/^\d*$/.test(first) || second !== undefined) throw new WrongRedisUrl(wrongDatabase);
    return { kind: 'server', url: text };
  }
  if (kind === 'cluster') {
    if (first !== '' || second !== undefined) {
      throw new WrongRedisUrl('has a path, but a cluster has no numbered databases');
    }
    if (query !== '') throw new WrongRedisUrl('has parameters, which a cluster has none of');
    return { kind, nodes: hostsOf(hosts, 6379), login: loginOf(login), isTls };
  }
  if (first === '') throw new WrongRedisUrl('names no master: its name follows the sentinels, after a slash');
  if (!/^\d*$/.test(second ?? '') || more.length > 0) throw new WrongRedisUrl(wrongDatabase);
  const given = new URLSearchParams(query);
  if ([...given.keys()].some((name) => !sentinelParameters.includes(name))) {
    throw new WrongRedisUrl(`has an unknown parameter; there are ${sentinelParameters.join(' and ')}`);
  }
  const [username, password] = sentinelParameters.map((name) => given.get(name) ?? '');
  return {
    kind: 'sentinel',
    sentinels: hostsOf(hosts, 26_379),
    master: first,
    database: Number(second ?? 0),
    login: loginOf(login),
    sentinelLogin: { ...(username && { username }), ...(password && { password }) },
    isTls,
  };
}

const wrongDatabase = 'must end with the number of a database, if anything follows the host or the name of a master';

function hostsOf(list: string, usualPort: number): RedisHost[] {
  return list.split(',').map((one) => {
    const url = URL.canParse(`redis://${one}`) ? new URL(`redis://${one}`) : undefined;
    if (!url?.hostname) throw new WrongRedisUrl('has a host that is missing or cannot be read');
    return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || usualPort) };
  });
}

function loginOf(text: string): RedisLogin {
  const end = text.indexOf(':');
  const username = decoded(end < 0 ? text : text.slice(0, end));
  const password = end < 0 ? '' : decoded(text.slice(end + 1));
  return { ...(username && { username }), ...(password && { password }) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new WrongRedisUrl(unreadable);
  }
}
