import { expect } from 'chai';
import fc from 'fast-check';
import { readCells, writeCells } from '../../../adapters/csv/cells.ts';
import { runs } from '../../support/runs.ts';

describe('the cells of a file', () => {
  const sign = fc.constantFrom('=', '+', '-', '@', '\uFF1D', "'", ';', '\t', ',', '"', 'a', ' ');
  const cell = fc.array(sign, { maxLength: 8 }).map((signs) => signs.join('').trim());

  it('begin with no formula, also where a spreadsheet divides at semicolons or tabs, and are read as they were written', () => {
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 4 }), (cells) => {
        expect(readCells(writeCells(cells).slice(0, -2))).to.deep.equal(cells);
        for (const one of cells) {
          const written = writeCells([one]).slice(0, -2);
          const text = written.startsWith('"') ? written.slice(1, -1).replaceAll('""', '"') : written;
          for (const part of text.split(/[;\t]/)) expect(part).not.to.match(/^[=+\-@\uFF1D]/);
        }
      }),
      { numRuns: runs(1_000) },
    );
    expect(writeCells(['Acme;=1+1'])).to.equal("Acme;'=1+1\r\n");
  });
});
