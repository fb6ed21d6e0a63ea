import { expect } from 'chai';
import { table } from '../../apps/commands/table.ts';

describe('a table of a command', () => {
  it('makes each column as wide as its longest cell, without trailing spaces', () => {
    const text = table([
      ['ID', 'TITLE', 'TIER'],
      ['1', 'Simple DEX', 'pro'],
      ['10', '', ''],
    ]);
    expect(text).to.equal('ID  TITLE       TIER\n1   Simple DEX  pro\n10');
  });

  it('measures width in cells of a terminal: two for a CJK character or an emoji, one for a letter with its accent', () => {
    const text = table([
      ['分散型取引所', '1'],
      ['🎨 Art', '2'],
      ['Cafe\u0301', '3'],
    ]);
    expect(text).to.equal('分散型取引所  1\n🎨 Art        2\nCafe\u0301          3');
  });

  it('replaces control characters with spaces', () => {
    expect(table([['a\u001b[2Jb\nc', 'd']])).to.equal('a [2Jb c  d');
  });
});
