import { expect } from 'chai';
import fc from 'fast-check';
import type { DomainName } from '../../../core/licensing/domain-name.ts';
import { isLocalHost, kindOf, storedAs, twinOf } from '../../../core/licensing/hosts.ts';
import { defaultTerms } from '../../../core/marketplace/product-terms.ts';
import { domain } from '../../support/license-acts.ts';

const local = [
  ...['localhost', 'shop.localhost', 'a.b.localhost', 'shop.test', 'a.b.test', 'nas.local', 'LOCALHOST:3000'],
  ...['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.255.255'],
  ...['127.0.0.1', '127.255.0.1', '169.254.1.1', '0.0.0.0', '0x7f.1', '2130706433', 'http://10.1/'],
  ...['[::1]', '[::]', '[fc00::1]', '[fd12:3456::1]', '[fdff:ffff::]', '[fe80::1]', '[febf::1]', '[0:0:0:0:0:0:0:1]'],
  ...['[::ffff:127.0.0.1]', '[::ffff:10.1.2.3]', '[::ffff:192.168.1.1]', '[::ffff:169.254.0.1]', '[::ffff:0.0.0.0]'],
];

const notLocal = [
  ...[
    'contest.com',
    'localhost.com',
    'mylocalhost',
    'test',
    'local',
    'test.com',
    'contest',
    'shop.latest',
    'a.mylocal',
  ],
  ...['local.example.com', 'localhost.example', 'test.localhost.com', '10.example.com', '127.0.0.1.example.com'],
  ...['9.255.255.255', '11.0.0.0', '100.64.0.1', '172.15.255.255', '172.32.0.0', '192.167.0.1', '192.169.0.1'],
  ...['126.255.255.255', '128.0.0.1', '169.253.0.1', '169.255.0.1', '0.0.0.1', '1.0.0.127', '8.8.8.8'],
  ...['[::2]', '[2001:db8::1]', '[fbff::1]', '[fe00::1]', '[fec0::1]', '[fe7f::1]', '[1::]', '[::7f00:1]'],
  ...['[::ffff:8.8.8.8]', '[::ffff:172.32.0.1]', '[::fffe:7f00:1]', '[1::ffff:7f00:1]', '[64:ff9b::7f00:1]'],
];

describe('isLocalHost', () => {
  for (const host of local) it(`knows ${host}`, () => expect(isLocalHost(domain(host))).to.equal(true));
  for (const host of notLocal) it(`does not mistake ${host}`, () => expect(isLocalHost(domain(host))).to.equal(false));
});

const names = fc
  .array(fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/), { minLength: 1, maxLength: 4 })
  .map((labels) => labels.join('.') as DomainName);

describe('twinOf', () => {
  const twins = [
    ['example.com', 'www.example.com'],
    ['blog.example.com', 'www.blog.example.com'],
    ['xn--mnchen-3ya.de', 'www.xn--mnchen-3ya.de'],
  ] as const;
  for (const [apex, www] of twins) {
    it(`returns ${apex} for ${www}, and the reverse`, () => {
      expect(twinOf(domain(www))).to.equal(apex);
      expect(twinOf(domain(apex))).to.equal(www);
    });
  }

  const alone = [
    'localhost',
    'www',
    'www.com',
    'com',
    '10.0.0.1',
    '[::1]',
    'www.www.example.com',
    `${'a.'.repeat(125)}com`,
  ];
  for (const name of alone) {
    it(`returns nothing for ${name.slice(0, 30)}`, () => expect(twinOf(domain(name))).to.equal(undefined));
  }

  it('pairs names: the twin of a twin is the name itself', () => {
    fc.assert(
      fc.property(names, fc.boolean(), (name, isWww) => {
        const one = (isWww ? `www.${name}` : name) as DomainName;
        const twin = twinOf(one);
        if (twin !== undefined) expect(twinOf(twin)).to.equal(one);
      }),
    );
  });
});

describe('storedAs', () => {
  const { hosts } = defaultTerms;

  it('returns every name as it is by default', () => {
    for (const name of ['www.example.com', 'example.com', 'www.com'])
      expect(storedAs(domain(name), hosts)).to.equal(name);
  });

  it('returns the same name for both twins if they are one domain, and every other name as it is', () => {
    const stored = (name: string) => storedAs(domain(name), { ...hosts, wwwIsApex: true });
    expect(stored('www.example.com')).to.equal('example.com');
    expect(stored('example.com')).to.equal('example.com');
    expect(stored('www.com')).to.equal('www.com');
    expect(stored('www.www.example.com')).to.equal('www.www.example.com');
  });
});

describe('kindOf', () => {
  const kind = (name: string, rules: Partial<typeof defaultTerms.hosts>) =>
    kindOf(domain(name), { ...defaultTerms.hosts, ...rules });

  it('is a slot for every host by default', () => {
    for (const host of [...local, ...notLocal]) expect(kind(host, {})).to.equal('slot');
  });

  it('is local for local hosts only if the product says so, also if they match a pattern', () => {
    const previewHosts = ['staging.*', 'nas.local'];
    expect(kind('staging.test', { localHostsAreFree: true, previewHosts })).to.equal('local');
    expect(kind('nas.local', { localHostsAreFree: false, previewHosts })).to.equal('preview');
    expect(kind('other.local', { localHostsAreFree: false, previewHosts })).to.equal('slot');
    expect(kind('contest.com', { localHostsAreFree: true, previewHosts })).to.equal('slot');
  });
});
