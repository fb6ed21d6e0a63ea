import { expect } from 'chai';
import fc from 'fast-check';
import { isPublicSuffix } from '../../../adapters/domains/public-suffix.ts';
import { matches, parseHostPattern } from '../../../core/licensing/host-pattern.ts';
import { domain, outcome } from '../../support/license-acts.ts';

const parse = (text: string) => parseHostPattern(text, isPublicSuffix);
/** Returns the canonical pattern, or the reason of the refusal. */
function parsed(text: string): string {
  const pattern = parse(text);
  return typeof pattern === 'string' ? pattern : outcome(pattern);
}

describe('parseHostPattern', () => {
  const accepted = [
    ['*.vercel.app', '*.vercel.app'],
    [' *.Vercel.APP ', '*.vercel.app'],
    ['*.github.io', '*.github.io'],
    ['*.münchen.de', '*.xn--mnchen-3ya.de'],
    ['*.shop.co.uk', '*.shop.co.uk'],
    ['staging.*', 'staging.*'],
    ['STAGING.eu.*', 'staging.eu.*'],
    ['preview.example.com', 'preview.example.com'],
    ['https://Preview.example.com:8080/x', 'preview.example.com'],
    ['203.0.113.7', '203.0.113.7'],
  ] as const;
  for (const [text, pattern] of accepted)
    it(`reads ${text} as ${pattern}`, () => expect(parsed(text)).to.equal(pattern));

  const tooWide = [
    '*.com',
    '*.co.uk',
    'com',
    'co.uk',
    '*.de',
    '*.UK',
    '*.xn--p1ai',
    '*.kawasaki.jp',
    '*.app',
    '*.internal',
  ];
  for (const text of tooWide)
    it(`refuses ${text}, which is a public suffix`, () => expect(parsed(text)).to.equal('pattern_too_wide'));

  const wrong = [
    ...['', ' ', '*', '*.', '.*', '*.*', '*.*.com', '*.staging.*', '*vercel.app', 'my-*.vercel.app', 'a.*.example.com'],
    ...[
      '**.example.com',
      'staging*',
      'staging.**',
      '*.example.com/path',
      '*.https://example.com',
      '*.user@example.com',
    ],
    ...['*.exa mple.com', '*.example..com', '10.*', '10.0.*', '*.10.0.0.1', '*.[::1]', '[::1].*', '*.example.com:80'],
    ...['*.?', 'mailto:a@b.com', '*.%65xample.com'],
  ];
  for (const text of wrong) it(`refuses “${text}”`, () => expect(parsed(text)).to.equal('invalid_pattern'));

  it('returns a pattern that it reads as itself', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.constantFrom('*.', '').chain((start) => fc.domain().map((name) => `${start}${name}`)),
      fc.domain().map((name) => `${name}.*`),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const pattern = parse(text);
        if (typeof pattern === 'string') expect(parse(pattern)).to.equal(pattern);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a pattern', () => {
  const cases = [
    [
      '*.vercel.app',
      ['a.vercel.app', 'a.b.vercel.app'],
      ['vercel.app', 'avercel.app', 'vercel.app.com', 'a.vercel.apps'],
    ],
    ['staging.*', ['staging.com', 'staging.a.com'], ['staging', 'a.staging.com', 'mystaging.com', 'staging2.com']],
    ['staging.eu.*', ['staging.eu.com', 'staging.eu.a.b'], ['staging.eu', 'staging.europe.com', 'eu.staging.com']],
    ['a.example.com', ['a.example.com'], ['example.com', 'b.a.example.com', 'a.example.com.eu']],
    ['*.xn--mnchen-3ya.de', ['a.münchen.de'], ['münchen.de', 'a.muenchen.de']],
  ] as const;
  for (const [pattern, yes, no] of cases) {
    it(`${pattern} stands for ${yes.join(', ')} and not for ${no.join(', ')}`, () => {
      for (const host of yes) expect(matches(pattern, domain(host)), host).to.equal(true);
      for (const host of no) expect(matches(pattern, domain(host)), host).to.equal(false);
    });
  }

  it('stands for whole labels: it matches as a comparison of the lists of labels does', () => {
    const label = fc.constantFrom('a', 'aa', 'b', 'ab', 'com');
    const labels = fc.array(label, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(labels, labels, fc.constantFrom('start', 'end', 'none'), (fixed, host, star) => {
        const pattern = star === 'start' ? ['*', ...fixed] : star === 'end' ? [...fixed, '*'] : fixed;
        const rest = star === 'none' ? 0 : 1;
        const isLongEnough = star === 'none' ? host.length === fixed.length : host.length >= fixed.length + rest;
        const part = star === 'start' ? host.slice(host.length - fixed.length) : host.slice(0, fixed.length);
        const expected = isLongEnough && part.join() === fixed.join();
        expect(matches(pattern.join('.'), host.join('.'))).to.equal(expected);
      }),
      { numRuns: 2_000 },
    );
  });
});
