import { expect } from 'chai';
import fc from 'fast-check';
import { isOneTypo, spellingsOf } from '../../../core/marketplace/spelling.ts';

const word = fc.stringMatching(/^[a-eé]{5,12}$/);

/** The number of typos between two words, by the textbook: the optimal string alignment distance. */
function distance(one: string, other: string): number {
  const [a, b] = [[...one], [...other]];
  const rows = Array.from({ length: a.length + 1 }, (_, i) => Array.from({ length: b.length + 1 }, (_, j) => i || j));
  const at = (i: number, j: number) => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 0; i <= a.length; i++) {
    for (let j = 0; j <= b.length; j++) {
      const row = rows[i];
      if (row === undefined || i * j === 0) continue;
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        at(i - 1, j) + 1,
        at(i, j - 1) + 1,
        at(i - 1, j - 1) + Number(a[i - 1] !== b[j - 1]),
        swapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
  }
  return at(a.length, b.length);
}

/** A word with a change in it, which can be none. */
const changed = fc
  .record({ from: word, at: fc.nat({ max: 12 }), gone: fc.nat({ max: 2 }), put: fc.stringMatching(/^[a-f]{0,2}$/) })
  .map(({ from, at, gone, put }) => [from, [...from].toSpliced(at, gone, ...put).join('')] as const);

describe('a typo in a word', () => {
  it('is one letter less, more or another, or two letters that changed places, as the textbook counts', () => {
    fc.assert(
      fc.property(fc.oneof(changed, fc.tuple(word, word)), ([one, other]) => {
        expect(isOneTypo(one, other)).to.equal(distance(one, other) === 1);
      }),
    );
  });

  it('leaves a spelling in common with the right word, so that it is found', () => {
    fc.assert(
      fc.property(changed, ([one, other]) => {
        if (!isOneTypo(one, other) || spellingsOf(other).length === 0) return;
        expect(spellingsOf(one).some((text) => spellingsOf(other).includes(text))).to.equal(true);
      }),
    );
  });

  it('is corrected only in words of five letters or more, without digits', () => {
    for (const text of ['', 'swap', 'erc721', '12345', 'a'.repeat(25), 'dex-a']) expect(spellingsOf(text)).to.be.empty;
    expect(spellingsOf('token')).to.have.members(['token', 'oken', 'tken', 'toen', 'tokn', 'toke']);
    expect(spellingsOf('aaaaa')).to.have.members(['aaaaa', 'aaaa']);
  });
});
