import { expect } from 'chai';
import fc from 'fast-check';
import { parseWholeNumber } from '../../core/whole-number.ts';

describe('whole numbers in texts', () => {
  it('are read if they are within their limits', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.nat(), (number, least, most) => {
        const isWithin = number >= least && number <= most;
        expect(parseWholeNumber(String(number), least, most)).to.equal(isWithin ? number : undefined);
      }),
    );
  });

  it('have nothing but digits', () => {
    for (const text of ['', ' 1', '1 ', '+1', '-1', '1.0', '1e2', '0x1', '١', '9'.repeat(16)]) {
      expect(parseWholeNumber(text, 0, Number.MAX_SAFE_INTEGER), text).to.equal(undefined);
    }
  });
});
