import { expect } from 'chai';
import fc from 'fast-check';
import { normalizeDomain } from '../../../core/licensing/domain-name.ts';
import { runs } from '../../support/runs.ts';
import { addressLike, anyText } from '../texts.ts';

const text = fc.oneof(
  anyText,
  addressLike,
  addressLike.map((rest) => `https://${rest}`),
);

/** Returns the host by the platform's URL parser, or `undefined` if the text is not a web address. */
function hostByPlatform(address: string): string | undefined {
  try {
    const { protocol, hostname } = new URL(address);
    return /^https?:$/.test(protocol) ? hostname : undefined;
  } catch {
    return undefined;
  }
}

function withinLimits(host: string): boolean {
  return (
    host.startsWith('[') || (host.length <= 253 && host.split('.').every((label) => label !== '' && label.length <= 63))
  );
}

describe('normalizeDomain', () => {
  describe('on any text', () => {
    it('is idempotent', () => {
      fc.assert(
        fc.property(text, (input) => {
          const domain = normalizeDomain(input);
          if (domain !== undefined) expect(normalizeDomain(domain)).to.equal(domain);
        }),
        { numRuns: runs(3000) },
      );
    });

    it('returns exactly the spelling that the platform’s URL parser uses, so that no host has two domains', () => {
      fc.assert(
        fc.property(text, (input) => {
          const domain = normalizeDomain(input);
          if (domain !== undefined) expect(hostByPlatform(`http://${domain}`)).to.equal(domain);
        }),
        { numRuns: runs(3000) },
      );
    });

    it('returns only lower-case ASCII hosts without blanks and within the length limits of a host name', () => {
      fc.assert(
        fc.property(text, (input) => {
          const domain = normalizeDomain(input);
          if (domain === undefined) return;
          expect(domain).to.match(/^[!-~]+$/);
          expect(domain).to.equal(domain.toLowerCase());
          expect(withinLimits(domain)).to.equal(true);
        }),
        { numRuns: runs(3000) },
      );
    });

    it('never throws on a long text of 2,048 characters', () => {
      fc.assert(
        fc.property(text, text, text, (start, middle, end) => {
          const filler = middle === '' ? 'a' : middle;
          const room = Math.max(0, 2048 - start.length - end.length);
          const long = start + filler.repeat(Math.ceil(room / filler.length)).slice(0, room) + end;
          const domain = normalizeDomain(long);
          if (domain !== undefined) expect(withinLimits(domain)).to.equal(true);
        }),
      );
    });
  });

  it('finds the same host in a web address as the platform, and refuses only patterns, empty labels, and hosts or labels that are too long', () => {
    const webUrl = fc.webUrl({
      authoritySettings: { withIPv4: true, withIPv4Extended: true, withIPv6: true, withPort: true, withUserInfo: true },
      withQueryParameters: true,
      withFragments: true,
    });
    const longHost = fc
      .array(fc.constantFrom(1, 2, 61, 62, 63, 64), { minLength: 1, maxLength: 6 })
      .map((lengths) => `https://${lengths.map((length) => 'a'.repeat(length)).join('.')}/`);
    fc.assert(
      fc.property(fc.oneof(text, webUrl, longHost), (address) => {
        const host = hostByPlatform(address)?.replace(/\.$/, '');
        fc.pre(host !== undefined);
        expect(normalizeDomain(address)).to.equal(withinLimits(host) && !host.includes('*') ? host : undefined);
      }),
      { numRuns: runs(3000) },
    );
  });

  it('refuses a text that a browser reads as an address without a host, whatever the scheme', () => {
    const scheme = fc
      .stringMatching(/^[a-zA-Z][a-zA-Z0-9+.-]{0,15}$/)
      .filter((name) => !/^(?:https?|wss?|ftp)$/i.test(name));
    const rest = fc.oneof(
      fc.constantFrom('a@b.com', 'pass@b.com', '80@b.com', ',x', 'alert(1)'),
      fc.emailAddress().map((address) => `a${address}`),
    );
    fc.assert(
      fc.property(scheme, rest, (name, after) => {
        expect(normalizeDomain(`${name}:${after}`)).to.equal(undefined);
      }),
      { numRuns: runs(3000) },
    );
    for (const name of ['mailto', 'JavaScript', 'data', 'java\nscript']) {
      fc.assert(
        fc.property(fc.oneof(anyText, addressLike, fc.domain(), fc.constantFrom('', '80', '//x.com')), (after) => {
          expect(normalizeDomain(`${name}:${after}`)).to.equal(undefined);
        }),
      );
    }
  });

  it('refuses a pattern with `*` at any place and in any notation', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('*', '%2a', '%2A', '\uff0a'),
        fc.constantFrom('', 'https://', '//', 'user@'),
        fc.domain(),
        fc.constantFrom('', ':80', '/path'),
        (star, before, name, after) => {
          for (const host of [`${star}.${name}`, `${name}.${star}`, `a${star}.${name}`, star]) {
            expect(normalizeDomain(before + host + after)).to.equal(undefined);
          }
        },
      ),
    );
  });

  describe('on spellings of one host', () => {
    const host = fc.oneof(
      fc.domain().filter((name) => name.length <= 253 && !/(?:^|\.)xn--/.test(name)),
      fc.constantFrom('localhost', 'intranet', 'a_b.example', 'www.example.com', 'xn--mnchen-3ya.de', 'münchen.de'),
      fc.constantFrom('127.0.0.1', '[::1]', '[2001:db8::1]'),
      fc.ipV4(),
      fc.ipV6().map((address) => `[${address}]`),
    );
    const blanks = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r', '\0', '\u00a0', '\u3000'), maxLength: 3 });
    const scheme = fc.oneof(
      fc.constantFrom('', '//', '\\\\', '\\/', 'git+ssh://', 'chrome-extension://'),
      fc
        .tuple(fc.constantFrom('http:', 'https:', 'ws:', 'wss:', 'ftp:'), fc.constantFrom('', '/', '//', '///', '\\\\'))
        .chain(([name, slashes]) => fc.mixedCase(fc.constant(name)).map((spelled) => spelled + slashes)),
    );
    const userInfo = fc.oneof(fc.constantFrom('', '@', 'me@', 'me:pass@', 'me:@', 'a@b:80@', 'www.other.com@', '%2f@'));
    const port = fc.oneof(
      fc.constant(''),
      fc.integer({ min: 0, max: 65535 }).map((number) => `:${number}`),
    );
    const path = fc.oneof(
      fc.constantFrom('', '/', '//', '/a/../..', '/@other.com', '/http://other.com', '/%2e%2e', '\\windows', '/ü b'),
      fc.webPath().map((rest) => `/${rest}`),
    );
    const query = fc.oneof(
      fc.constantFrom('', '?', '?@other.com', '?to=https://other.com:80/', '?\\'),
      fc.webQueryParameters().map((rest) => `?${rest}`),
    );
    const fragment = fc.oneof(
      fc.constantFrom('', '#', '#@other.com', '#//other.com'),
      fc.webFragments().map((rest) => `#${rest}`),
    );

    it('returns the same domain for any scheme, user-info, case, trailing dot, port, path, query, fragment and surrounding blanks', () => {
      fc.assert(
        fc.property(
          host.chain((name) => fc.tuple(fc.constant(name), fc.mixedCase(fc.constant(name)))),
          fc.tuple(blanks, scheme, userInfo).filter(([, start, user]) => start !== '' || !/^me:/.test(user)),
          fc.boolean(),
          fc.tuple(port, path, query, fragment, blanks),
          ([name, spelled], before, dotted, after) => {
            const dot = dotted && !name.startsWith('[') ? '.' : '';
            const spelling = [...before, spelled, dot, ...after].join('');
            expect(normalizeDomain(spelling)).to.equal(new URL(`http://${name}`).hostname);
          },
        ),
        { numRuns: runs(3000) },
      );
    });

    it('returns the host of `host:port`, where `host` is not a scheme, and of `user@host`', () => {
      const path = fc.constantFrom('', '/', '/a:b@c', '?a@b', '#a@b', '\\a@b');
      const name = fc.domain().filter((name) => name.length <= 253 && !/(?:^|\.)xn--/.test(name));
      const port = fc.option(fc.integer({ min: 0, max: 65535 }), { nil: '' });
      fc.assert(
        fc.property(fc.oneof(name, fc.constant('localhost')), port, path, (host, number, rest) => {
          expect(normalizeDomain(`${host}:${number}${rest}`)).to.equal(host);
          expect(normalizeDomain(`me@${host}:${number}${rest}`)).to.equal(host);
          expect(normalizeDomain(`//me:secret@${host}:${number}${rest}`)).to.equal(host);
        }),
      );
    });

    it('returns different domains with and without `www.`', () => {
      fc.assert(
        fc.property(
          fc.domain().filter((name) => name.length <= 200),
          (name) => {
            expect(normalizeDomain(`www.${name}`)).to.equal(`www.${normalizeDomain(name)}`);
          },
        ),
      );
    });
  });

  describe('on examples', () => {
    const domains: readonly (readonly [text: string, domain: string])[] = [
      ['example.com', 'example.com'],
      ['https://Example.COM/', 'example.com'],
      ['  https://user:pass@example.com:8443/a/b?c=d#e \n', 'example.com'],
      ['//example.com/a', 'example.com'],
      ['example.com.', 'example.com'],
      ['www.example.com', 'www.example.com'],
      ['MÜNCHEN.de', 'xn--mnchen-3ya.de'],
      ['xn--MNCHEN-3ya.de', 'xn--mnchen-3ya.de'],
      ['faß.de', 'xn--fa-hia.de'],
      ['127.0.0.1:3000', '127.0.0.1'],
      ['http://[::1]:8080/', '[::1]'],
      ['[2001:DB8:0:0:0:0:0:1]', '[2001:db8::1]'],
      ['[::FFFF:127.0.0.1]', '[::ffff:7f00:1]'],
      ['localhost:5173', 'localhost'],
      ['my_app.example.com', 'my_app.example.com'],
      // Browsers read these in another way than people expect.
      ['h\tttps://x.com', 'x.com'],
      ['https://x\n.com', 'x.com'],
      ['https:x.com', 'x.com'],
      ['HTTPS:x.com', 'x.com'],
      ['ftp:x.com', 'x.com'],
      ['https:\\\\x.com\\@y.com', 'x.com'],
      ['x.com\\@y.com', 'x.com'],
      ['https://x.com@y.com', 'y.com'],
      ['https://x.com:80@y.com', 'y.com'],
      ['//user:pass@x.com', 'x.com'],
      ['user@x.com', 'x.com'],
      ['x.com:', 'x.com'],
      ['x.com:80?a@b', 'x.com'],
      ['x.com/*', 'x.com'],
      ['x.com?to=mailto:a@b.com', 'x.com'],
      ['mailto.example.com:80', 'mailto.example.com'],
      ['data', 'data'],
      ['ex%61mple.com', 'example.com'],
      ['ｅｘａｍｐｌｅ。ｃｏｍ', 'example.com'],
      ['x\u00ad.c\u200bom', 'x.com'],
      ['0x7f.1', '127.0.0.1'],
      ['2130706433', '127.0.0.1'],
      ['017700000001', '127.0.0.1'],
      ['1.2.3.0x', '1.2.3.0'],
      ['１２７.0.0.1', '127.0.0.1'],
      // At the length limits.
      [`${'a'.repeat(63)}.com`, `${'a'.repeat(63)}.com`],
      [`${'a.'.repeat(126)}a`, `${'a.'.repeat(126)}a`],
      [`${'a.'.repeat(126)}a.`, `${'a.'.repeat(126)}a`],
      ['https://x.com/'.padEnd(2048, 'p'), 'x.com'],
      ['x.com'.padStart(2048), 'x.com'],
      [`${'u'.repeat(2042)}@x.com`, 'x.com'],
    ];
    for (const [input, domain] of domains) {
      it(`reads ${titleOf(input)} as ${titleOf(domain)}`, () => {
        expect(normalizeDomain(input)).to.equal(domain);
      });
    }

    const refused = [
      ...[
        '',
        ' ',
        '\n',
        '\0',
        '.',
        '..',
        '/',
        '//',
        'https://',
        'https:',
        '?',
        '#',
        '@',
        ':80',
        'user@',
        'https://:80',
      ],
      ...[
        '/etc/passwd',
        '\\etc\\passwd',
        'file:///etc/passwd',
        'about:blank',
        'javascript:alert(1)',
        'javascript:1',
        'javascript://x.com/%0aalert(1)',
        'data:text/html,x',
        'data:,x',
        'mailto:a@b.com',
        'MAILTO:a@b.com',
        'mailto:',
        'sip:a@b.com',
        'tel:+1234',
        'ethereum:0x5f@1/transfer',
        'blob:https://x.com/a',
        'user:pass@x.com',
        'x.com:80@y.com',
      ],
      ...['*', '*.example.com', 'https://*.example.com/', 'a.*.com', '%2A.example.com', '\uff0a.example.com'],
      ...['a..b', '.example.com', 'example.com..', 'a.\u3002b', '\u00ad', '%2e', '%2E%2e'],
      ...[
        'a b.com',
        'a\u00a0b.com',
        'a\0b.com',
        'a%00b.com',
        'a%20b.com',
        'a%2fb.com',
        'a%zz.com',
        'a<b>.com',
        'a^b',
        'a|b',
      ],
      ...[
        'x.com:65536',
        'x.com:abc',
        'x.com:80:80',
        'x.com:-1',
        '::1',
        '[::1',
        '::1]',
        '[::1].',
        '[127.0.0.1]',
        '[fe80::1%eth0]',
      ],
      ...['256.256.256.256', '1.2.3.4.5', '4294967296', 'xn--mnchen-3ya\u00fc.de'],
      ...['\ud800.com', 'a\udfff.com', '\ufffd.com', '\uff0fx.com', 'x\uff0fy.com', '\u2100.com'],
      ...[`${'a'.repeat(64)}.com`, `${'a.'.repeat(126)}ab`, 'a'.repeat(2048), 'ü'.repeat(2048), '.'.repeat(2048)],
      ...[
        'a.'.repeat(1024),
        '/'.repeat(2048),
        '['.repeat(2048),
        '%'.repeat(2048),
        '\ud800'.repeat(2048),
        ' '.repeat(2048),
      ],
    ];
    for (const input of refused) {
      it(`refuses ${titleOf(input)}`, () => {
        expect(normalizeDomain(input)).to.equal(undefined);
      });
    }
  });
});

/** Shows a text in a title: escaped, and shortened if it is long. */
function titleOf(input: string): string {
  const escaped = JSON.stringify(input).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return escaped.length <= 60 ? escaped : `${escaped.slice(0, 40)}… of ${input.length} characters`;
}
