import { expect } from 'chai';
import { parseId, type TemplateId, toTemplateId, toUserId, type UserId } from '../../core/id.ts';

describe('ids', () => {
  it('do not compile if a plain number or an id of another kind is used instead', () => {
    const ofUser: UserId = toUserId(7);
    // @ts-expect-error
    const swapped: TemplateId = ofUser;
    // @ts-expect-error
    const bare: UserId = 7;
    expect([ofUser, swapped, bare]).to.deep.equal([7, 7, 7]);
  });

  it('are parsed only from texts of 1 to 15 digits', () => {
    expect(parseId('12', toTemplateId)).to.equal(12);
    for (const text of ['', '-1', '1.5', '1e3', ' 1', 'one', '1-dex', '9'.repeat(16)]) {
      expect(parseId(text, toTemplateId), text).to.equal(undefined);
    }
  });
});
