import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { createFirstLines } from '../../../adapters/sql/imports/first-lines.ts';
import { itLong } from '../../support/required-service.ts';

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
  itLong('are found for every text while their tables grow, and for no other', () => {
    const firstOf = createFirstLines();
    for (let line = 1; line <= 20_000; line++) expect(firstOf(String(line), line)).to.equal(undefined);
    for (let line = 1; line <= 20_000; line++) expect(firstOf(String(line), 20_000 + line)).to.equal(line);
    expect(firstOf('20001', 40_001)).to.equal(undefined);
  });

  it('are at most so many, and the first of them stay', () => {
    const firstOf = createFirstLines(5);
    for (let line = 1; line <= 9; line++) expect(firstOf(String(line), line)).to.equal(undefined);
    const found = Array.from({ length: 9 }, (_, index) => firstOf(String(index + 1), 10));
    expect(found).to.deep.equal([1, 2, 3, 4, 5, undefined, undefined, undefined, undefined]);
  });

  // A table is filled anew when it grows: however its texts were chosen, no growth may be large.
  itLong('grow in small steps, also with texts that were chosen by their digests', () => {
    const firstOf = createFirstLines();
    const allocated = () => process.memoryUsage().arrayBuffers;
    let largest = 0;
    for (const [index, text] of chosenTexts(5_000).entries()) {
      const before = allocated();
      firstOf(text, index + 1);
      largest = Math.max(largest, allocated() - before);
    }
    // Their slots take 98,304 bytes with those that stay empty: one table alone would get all of them at once.
    expect(largest).to.be.lessThan(20_000);
  });
});
