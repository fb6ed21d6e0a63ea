import { expect } from 'chai';
import fc from 'fast-check';
import { transliterate } from '../../../adapters/ascii/transliterate.ts';
import { freeSlug, slugOf as slugWith } from '../../../core/marketplace/product.ts';
import { runs } from '../../support/runs.ts';
import { anyText } from '../texts.ts';

const slugShape = /^[a-z0-9]+(-[a-z0-9]+)*$/;
/** Titles with and without characters for a slug, also longer than the limit. */
const title = fc.oneof(
  anyText,
  fc.string({
    unit: fc.constantFrom('a', 'Z', '7', ' ', '-', 'É', 'İ', '\u212a', 'ﬁ', 'ß', '½', '\ud800'),
    maxLength: 200,
  }),
);

const slugOf = (title: string) => slugWith(title, transliterate);

describe('slugOf', () => {
  it('returns a slug of at most 80 characters for any title', () => {
    fc.assert(
      fc.property(title, (text) => {
        expect(slugOf(text)).to.match(slugShape);
        expect(slugOf(text).length).to.be.at.most(80);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(title, (text) => {
        expect(slugOf(slugOf(text))).to.equal(slugOf(text));
      }),
      { numRuns: runs(1000) },
    );
  });

  it('returns a slug unchanged', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(slugShape, { maxLength: 80 }).filter((slug) => !/^\d+$/.test(slug)),
        (slug) => {
          expect(slugOf(slug)).to.equal(slug);
        },
      ),
    );
  });

  it('never returns digits only, which would look like an id', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\d{1,100}$/), (digits) => {
        expect(slugOf(digits)).to.equal(`product-${digits}`.slice(0, 80));
      }),
    );
  });

  const examples: readonly (readonly [title: string, slug: string])[] = [
    ['Token Launcher', 'token-launcher'],
    ['  NFT -- Minter 2.0! ', 'nft-minter-2-0'],
    ['Über Café', 'uber-cafe'],
    ['İstanbul', 'istanbul'],
    ['Größe', 'grosse'],
    ['Привет, Мир', 'privet-mir'],
    ['Smørrebrød Łódź', 'smorrebrod-lodz'],
    ['ﬁnance ＤＥＸ', 'finance-dex'],
    ['../../etc/passwd', 'etc-passwd'],
    ["'; DROP TABLE products; --", 'drop-table-products'],
    [`${'a'.repeat(79)} b`, 'a'.repeat(79)],
    ['a'.repeat(200), 'a'.repeat(80)],
    ['محفظة رقمية', 'mhfdhh-rqmyh'],
    ['NFT محفظة 5 Pro', 'nft-mhfdhh-5-pro'],
    ['数字钱包', 'shuzi-qianbao'],
    ['东京', 'dongjing'],
    ['ビットコイン ウォレット', 'bitto-koin-uoretto'],
    ['지갑', 'jigab'],
    ['स्मार्ट', 'smart'],
    ['ארנק', 'rnk'],
    ['กระเป๋า', 'kraepa'],
    ['Cafe\u0301', 'cafe'],
    ['🚀 Launchpad ❤️', 'launchpad'],
    ['🚀🔥', 'product'],
    ['👨‍👩‍👧 5', 'product-5'],
    ['☃', 'product'],
    ['', 'product'],
  ];
  for (const [text, slug] of examples) {
    it(`makes ${slug.slice(0, 30)} of ${JSON.stringify(text.slice(0, 30))}`, () => {
      expect(slugOf(text)).to.equal(slug);
    });
  }
});

describe('freeSlug', () => {
  const slug = fc.constantFrom('app', 'app-2', 'b');
  const taken = fc
    .uniqueArray(
      fc
        .tuple(slug, fc.integer({ min: 1, max: 8 }))
        .map(([name, suffix]) => (suffix === 1 ? name : `${name}-${suffix}`)),
      { maxLength: 24 },
    )
    .map((names) => new Set(names));

  it('never returns a slug that is taken', () => {
    fc.assert(
      fc.property(slug, taken, (name, others) => {
        const free = freeSlug(name, others);
        expect(others.has(free)).to.equal(false);
        expect(free).to.match(slugShape);
      }),
      { numRuns: runs(500) },
    );
  });

  it('returns the slug itself if it is free, or else the slug with the lowest free suffix from 2', () => {
    expect(freeSlug('app', new Set(['other']))).to.equal('app');
    expect(freeSlug('app', new Set(['app']))).to.equal('app-2');
    expect(freeSlug('app', new Set(['app', 'app-2', 'app-3', 'app-5']))).to.equal('app-4');
    expect(freeSlug('app', new Set(['app-2']))).to.equal('app');
    expect(freeSlug('app-2', new Set(['app-2']))).to.equal('app-2-2');
  });

  it('returns a different slug for each product that is added', () => {
    fc.assert(
      fc.property(fc.array(slug, { maxLength: 20 }), (names) => {
        const given = names.reduce((others, name) => new Set(others).add(freeSlug(name, others)), new Set<string>());
        expect(given.size).to.equal(names.length);
      }),
    );
  });
});
