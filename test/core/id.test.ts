import { expect } from 'chai';
import { parseId, type TemplateId, toTemplateId, toUserId, type UserId } from '../../core/id.ts';

describe('ids', () => {
  it('of two kinds do not compile in each other’s place, and no number does', () => {
    const ofUser: UserId = toUserId(7);
    // @ts-expect-error
    const swapped: TemplateId = ofUser;
    // @ts-expect-error
    const bare: UserId = 7;
    expect([ofUser, swapped, bare]).to.deep.equal([7, 7, 7]);
  });

  it('are read of digits alone, up to 15 of them', () => {
    expect(parseId('12', toTemplateId)).to.equal(12);
    for (const text of ['', '-1', '1.5', '1e3', ' 1', 'one', '1-dex', '9'.repeat(16)]) {
      expect(parseId(text, toTemplateId), text).to.equal(undefined);
    }
  });
});
