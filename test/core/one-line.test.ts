import { expect } from 'chai';
import fc from 'fast-check';
import { oneLine } from '../../core/one-line.ts';
import { runs } from '../support/runs.ts';

describe('a text in one line', () => {
  it('has lost its line breaks and the blanks beside them', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ' ', '\t', '\r', '\n', '\u00A0', '\uFEFF', '\u2028') });
    fc.assert(
      fc.property(text, (one) => {
        expect(oneLine(one)).to.equal(one.trim().replace(/[^\S\r\n]*[\r\n]\s*/g, ''));
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('is made in a moment, however many blanks it has', () => {
    // With an expression that goes back for each blank, this would take months.
    const blanks = ' '.repeat(10_000_000);
    expect(oneLine(`a${blanks}b`)).to.equal(`a${blanks}b`);
  });
});
