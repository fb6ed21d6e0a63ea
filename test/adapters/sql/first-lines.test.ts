import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { createFirstLines } from '../../../adapters/sql/imports/first-lines.ts';

/** Texts whose plain digests begin with the same bits, as a sender can choose them. */
function chosenTexts(count: number): string[] {
  const found: string[] = [];
  for (let n = 0; found.length < count; n++) {
    const [first = 0] = createHash('sha256').update(String(n)).digest();
    if (first < 4) found.push(String(n));
  }
  return found;
}

describe('the first lines of a check', () => {
  it('are found for every text while their tables grow, and for no other', () => {
    const { get, set } = createFirstLines();
    for (let line = 1; line <= 20_000; line++) {
      expect(get(String(line))).to.equal(undefined);
      set(String(line), line);
    }
    for (let line = 1; line <= 20_000; line++) expect(get(String(line))).to.equal(line);
    expect(get('20001')).to.equal(undefined);
  });

  it('are at most so many, and the first of them stay', () => {
    const { get, set } = createFirstLines(5);
    for (let line = 1; line <= 9; line++) set(String(line), line);
    const found = Array.from({ length: 9 }, (_, index) => get(String(index + 1)));
    expect(found).to.deep.equal([1, 2, 3, 4, 5, undefined, undefined, undefined, undefined]);
  });

  // A table is filled anew when it grows: however its texts were chosen, no growth may be large.
  it('grow in small steps, also with texts that were chosen by their digests', () => {
    const { set } = createFirstLines();
    const allocated = () => process.memoryUsage().arrayBuffers;
    let largest = 0;
    for (const [index, text] of chosenTexts(5_000).entries()) {
      const before = allocated();
      set(text, index + 1);
      largest = Math.max(largest, allocated() - before);
    }
    // Their slots, with those that stay empty, take 98,304 bytes: one table would get all of them at once.
    expect(largest).to.be.lessThan(20_000);
  });
});
