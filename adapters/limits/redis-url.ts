export interface RedisHost {
  readonly host: string;
  readonly port: number;
}

export interface RedisLogin {
  readonly username?: string;
  readonly password?: string;
}

/** The address of Redis: one server, a master that sentinels report, or a cluster. */
export type RedisPlace =
  | { readonly kind: 'server'; readonly url: string }
  | {
      readonly kind: 'sentinel';
      readonly sentinels: readonly RedisHost[];
      readonly master: string;
      readonly database: number;
      readonly login: RedisLogin;
      /** The login for the sentinels. They do not use the password of the master. */
      readonly sentinelLogin: RedisLogin;
      readonly isTls: boolean;
    }
  | {
      readonly kind: 'cluster';
      readonly nodes: readonly RedisHost[];
      readonly login: RedisLogin;
      readonly isTls: boolean;
    };

/** The message says what is wrong. It repeats nothing of the URL, because that may contain a password. */
export class WrongRedisUrl extends TypeError {
  override readonly name = 'WrongRedisUrl';
}

const scheme = /^(rediss?)(?:\+(sentinel|cluster))?:\/\/./;
const parts = /^[^/]+\/\/(?:(?<login>[^@/?#]*)@)?(?<hosts>[^@/?#]+)(?<path>\/[^@?#]*)?(?:\?(?<query>[^@#]*))?$/;
const unreadable =
  'cannot be read; in a user or password, write %2F for /, %3F for ?, %23 for #, %40 for @ and %25 for %';
const sentinelParameters = ['sentinel_user', 'sentinel_password'];

/** Whether the URL has a scheme of Redis. */
export function isRedisUrl(text: string): boolean {
  return scheme.test(text);
}

/**
 * Parses `redis://user:password@host:port/database`,
 * `redis+sentinel://user:password@host:port,host:port/master/database` and
 * `redis+cluster://user:password@host:port,host:port`. `rediss` instead of `redis` means TLS. Throws `WrongRedisUrl`.
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
    if (query !== '') throw new WrongRedisUrl('has parameters, but a cluster takes none');
    return { kind, nodes: hostsOf(hosts, 6379), login: loginOf(login), isTls };
  }
  if (first === '') throw new WrongRedisUrl('has no name of a master: write it after the sentinels and a slash');
  if (!/^\d*$/.test(second ?? '') || more.length > 0) throw new WrongRedisUrl(wrongDatabase);
  const given = new URLSearchParams(query);
  if ([...given.keys()].some((name) => !sentinelParameters.includes(name))) {
    throw new WrongRedisUrl(`has an unknown parameter; the only ones are ${sentinelParameters.join(' and ')}`);
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

const wrongDatabase =
  'has a wrong path: after the host or the name of the master, only the number of a database may follow';

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
