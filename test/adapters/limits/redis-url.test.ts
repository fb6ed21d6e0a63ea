import { expect } from 'chai';
import { parseRedisUrl, WrongRedisUrl } from '../../../adapters/limits/redis-url.ts';

describe('an address of Redis', () => {
  const host = (name: string, port: number) => ({ host: name, port });

  it('of one server is not changed', () => {
    for (const url of [
      'redis://h',
      'redis://h:1/2',
      'rediss://u:p%40@h:6380/',
      'redis://[::1]:6379',
      'redis://:p@h?family=6',
    ]) {
      expect(parseRedisUrl(url)).to.deep.equal({ kind: 'server', url });
    }
  });

  it('contains the nodes of a cluster and the login', () => {
    expect(parseRedisUrl('redis+cluster://u:p%2F%2C@a:7000,[::1]:7001,c/')).to.deep.equal({
      kind: 'cluster',
      nodes: [host('a', 7000), host('::1', 7001), host('c', 6379)],
      login: { username: 'u', password: 'p/,' },
      isTls: false,
    });
    expect(parseRedisUrl('rediss+cluster://a')).to.deep.include({ isTls: true, login: {} });
  });

  it('contains sentinels, their master, its database, and the logins for both', () => {
    expect(
      parseRedisUrl('rediss+sentinel://:p:q@a,b:1/my%20limits/3?sentinel_user=s&sentinel_password=t%26'),
    ).to.deep.equal({
      kind: 'sentinel',
      sentinels: [host('a', 26_379), host('b', 1)],
      master: 'my limits',
      database: 3,
      login: { password: 'p:q' },
      sentinelLogin: { username: 's', password: 't&' },
      isTls: true,
    });
    expect(parseRedisUrl('redis+sentinel://a/limits')).to.deep.include({
      database: 0,
      login: {},
      sentinelLogin: {},
      isTls: false,
    });
  });

  for (const [url, says] of [
    ['redis://', /cannot be read/],
    ['redis://h/x', /number of a database/],
    ['redis://:a#b@h', /write %2F for \//],
    ['redis://:1/2@h', /write %2F for \//],
    ['redis://:%zz@h', /%25 for %/],
    ['redis://h:99999', /cannot be read/],
    ['redis+cluster://a,,b', /a host that is missing/],
    ['redis+cluster://a:b', /a host that is missing or cannot be read/],
    ['redis+cluster://a/1', /no numbered databases/],
    ['redis+cluster://a?x=1', /parameters/],
    ['redis+cluster://:a@b@c', /%40 for @/],
    ['redis+sentinel://a:26379', /no name of a master/],
    ['redis+sentinel://a/limits/one', /number of a database/],
    ['redis+sentinel://a/limits/1/2', /number of a database/],
    ['redis+sentinel://a/limits?password=x', /the only ones are sentinel_user and sentinel_password/],
  ] as const) {
    it(`is refused if it is ${url}`, () => {
      expect(() => parseRedisUrl(url)).to.throw(WrongRedisUrl, says);
    });
  }
});
