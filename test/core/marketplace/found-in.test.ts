import { expect } from 'chai';
import fc from 'fast-check';
import { excerptFor, foundIn, searchedWords, sought } from '../../../core/marketplace/catalogue-terms.ts';
import { normalized, searchable } from '../../../core/search-texts.ts';

describe('the words by which a search finds a text', () => {
  it('are marked as the search compares them: whole words, and the beginning of one for the last', () => {
    for (const [text, search, marked] of [
      ['Swap Kit', 'swap', ['Swap']],
      ['Swap Kit', 'ki', ['Kit']],
      ['Swap Kit swaps', 'swap kit', ['Swap', 'Kit']],
      ['Swap swaps', 'sw kit', []],
      ['Café-Kasse für Straßen', 'CAFE strasse', ['Café', 'Straßen']],
      ['去中心化交易所', '交易', ['交', '易']],
      ['محفظة رقمية', 'رقم', ['رقمية']],
      ['<b>Jar</b>', 'b', ['b', 'b']],
      ['Jar', '', []],
      ['Jar', ' .-', []],
    ] as const) {
      const pieces = foundIn(text, search);
      expect(
        pieces.filter((_, at) => at % 2 === 1),
        `${search} in ${text}`,
      ).to.deep.equal(marked);
    }
  });

  it('are pieces of the text, and none gets lost, whatever the text and the search are', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 80 });
    fc.assert(
      fc.property(text, text, (written, search) => {
        const pieces = foundIn(written, search);
        expect(pieces.join('')).to.equal(written);
        expect(pieces.length % 2).to.equal(1);
        if (sought({ search }).start === undefined) expect(pieces).to.deep.equal([written]);
      }),
    );
  });

  it('that a text has are marked', () => {
    const word = fc.stringMatching(/^[a-zé]{2,9}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), fc.nat(), (words, n) => {
        const one = words[n % words.length] ?? '';
        expect(foundIn(words.join(' '), one.slice(0, 2)).filter((_, at) => at % 2 === 1)).to.include(one);
      }),
    );
  });
});

describe('the excerpt of a description that a search found', () => {
  it('is there for each word that the description has, and has it', () => {
    const word = fc.stringMatching(/^[a-zé去交İß]{1,30}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 60 }), fc.nat(), (words, n) => {
        const one = words[n % words.length] ?? '';
        const [first = ''] = searchedWords(one);
        const excerpt = excerptFor(first, [''], words.join(' '));
        expect(foundIn(excerpt ?? '', first).length).to.be.above(1);
      }),
    );
  });

  const long = `${'Before it are many words. '.repeat(9)}Then **Governance** comes.\n\n${'And after it. '.repeat(30)}`;

  it('has the first word that the card does not show, in one line of whole words', () => {
    const excerpt = excerptFor('kit governance', ['Swap Kit'], long);
    expect(excerpt).to.match(/^… .*Then \*\*Governance\*\* comes\. And after it\. .* …$/);
    expect(excerpt).to.have.lengthOf.below(170);
    expect(excerptFor('gov', [''], 'Governance only')).to.equal('Governance only');
  });

  it('is not there if the card shows all words, or if the description has none', () => {
    expect(excerptFor('swap kit', ['Swap', 'The kit'], long)).to.equal(undefined);
    expect(excerptFor('nowhere', ['Swap'], long)).to.equal(undefined);
    expect(excerptFor('', ['Swap'], long)).to.equal(undefined);
    expect(excerptFor('overnance', [''], long)).to.equal(undefined);
  });

  it('shows a word as it is written: with accents, in scripts without spaces, after long words and odd letters', () => {
    for (const [text, search, shown] of [
      ['Für die Straße und das Café', 'cafe', 'Café'],
      [`${'去'.repeat(300)}交易所${'中'.repeat(300)}`, '交', '交易所'],
      [`https://example.com/${'a'.repeat(500)} governance ${'b'.repeat(500)}`, 'governance', 'governance'],
      [`${'x'.repeat(600)}-governance-${'y'.repeat(600)}`, 'governance', 'governance'],
      [`${'İ'.repeat(90)} and then governance comes`, 'governance', 'then governance comes'],
      [`${'👍'.repeat(300)}governance${'👍'.repeat(300)}`, 'governance', 'governance'],
    ] as const) {
      const excerpt = excerptFor(search, [''], text);
      expect(excerpt, search).to.include(shown);
      expect(() => encodeURIComponent(excerpt ?? ''), 'whole characters').not.to.throw();
    }
  });

  it('begins at the part that has the word, where a word comes from a sign', () => {
    for (const [text, search] of [
      ['It weighs 5 ㎏.', 'kg'],
      ['Acme™ kit', 'acmetm'],
      ['ｶﾞ', 'ガ'],
      ['น้ำ', 'น้ำ'],
    ] as const) {
      expect(excerptFor(search, [''], text), text).to.equal(text);
    }
  });

  it('compares no more than 16 marks of a letter, because the time for a run of them grows with its square', () => {
    const marks = '\u0344'.repeat(9_000) + '\u0316'.repeat(9_000);
    expect(normalized(`a${marks}b${marks}`, 'NFKD').length).to.be.below(100);
    expect(searchable(`a${marks}`).length).to.be.below(50);
    expect(searchedWords(`a${marks}b${marks}c`)).to.deep.equal(['abc']);
    expect(excerptFor('5', [''], `㎏-a${'\u0316'.repeat(3_000)} 5`)).to.match(/ 5$/);
    const katakana = `${'\uFF9E'.repeat(900)}${`${'\u0334'.repeat(16)}\uFF9E`.repeat(500)}`;
    expect(normalized(`a${katakana}`, 'NFKD').length).to.be.below(50);
    expect(normalized('\uFDFA'.repeat(100), 'NFKD').length).to.equal(100);
  });

  it('comes from the start of a very long description, because a page shows many of them', () => {
    const filler = 'word '.repeat(1_500);
    expect(excerptFor('zebra', [''], `${'㌖'.repeat(2_000)} zebra`), 'by the length when it is folded').to.equal(
      undefined,
    );
    expect(excerptFor('zebra', [''], `${filler}zebra`)).to.include('zebra');
    expect(excerptFor('zebra', [''], `${filler}${filler}zebra`)).to.equal(undefined);
  });

  it('is a part of the description, whatever that is', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 400 });
    fc.assert(
      fc.property(text, fc.stringMatching(/^[a-z]{1,3}$/), (description, search) => {
        const excerpt = excerptFor(search, [], description);
        if (excerpt === undefined) return;
        const plain = excerpt.replace(/^… | …$/g, '').trim();
        expect(description.replace(/\s+/g, ' ')).to.include(plain);
      }),
    );
  });
});
