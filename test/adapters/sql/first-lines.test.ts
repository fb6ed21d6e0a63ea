import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { createFirstLines } from '../../../adapters/sql/imports/first-lines.ts';

const digestOf = (text: number) => createHash('sha256').update(String(text)).digest('hex');

describe('the first lines of a check', () => {
  it('are found for every digest while their table grows, and for no other', () => {
    const { get, set } = createFirstLines();
    for (let line = 1; line <= 20_000; line++) {
      expect(get(digestOf(line))).to.equal(undefined);
      set(digestOf(line), line);
    }
    for (let line = 1; line <= 20_000; line++) expect(get(digestOf(line))).to.equal(line);
    expect(get(digestOf(20_001))).to.equal(undefined);
  });

  it('are at most so many, and the first of them stay', () => {
    const { get, set } = createFirstLines(5);
    for (let line = 1; line <= 9; line++) set(digestOf(line), line);
    const found = Array.from({ length: 9 }, (_, index) => get(digestOf(index + 1)));
    expect(found).to.deep.equal([1, 2, 3, 4, 5, undefined, undefined, undefined, undefined]);
  });
});
