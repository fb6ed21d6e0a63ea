import { expect } from 'chai';
import { describe as described, describeNotes } from '../../../../adapters/http/ui/description.tsx';
import { listingLimits } from '../../../../core/marketplace/product.ts';
import { itLong } from '../../../support/required-service.ts';
import { bombs } from './hostile-markdown.ts';

describe('the texts of sellers', () => {
  itLong('are rendered once, also hostile ones', async () => {
    const long = `![](https://x.example/${'中'.repeat(225)})`.repeat(200);
    for (const [name, text] of Object.entries({ ...bombs(listingLimits.description), long })) {
      const first = await described(text, 'https://shop.example');
      expect(await described(text, 'https://shop.example'), name).to.equal(first);
    }
  });
});

describe('the notes of versions', () => {
  it('are shown of the newest versions, as many as a page has room for', async () => {
    const notes = (ordinal: number, length: number) => ({ ordinal, notes: 'x'.repeat(length) });
    const shown = async (...versions: Parameters<typeof describeNotes>[0]) => [
      ...(await describeNotes(versions, 'https://shop.example', 2)).keys(),
    ];
    expect(await shown(notes(3, 10_000), notes(2, 10_000), notes(1, 1))).to.deep.equal([3, 2]);
    expect(await shown(notes(3, 10_000), notes(2, 9_999), notes(1, 1))).to.deep.equal([3, 2, 1]);
    expect(await shown(...Array.from({ length: 20 }, (_, at) => notes(20 - at, 10_000)))).to.have.lengthOf(2);
  });
});
