import { expect } from 'chai';
import { describeNotes } from '../../../../adapters/http/ui/description.tsx';

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
