import { expect } from 'chai';
import { parseEntitlements } from '../../../core/licensing/entitlements.ts';
import { isRefused } from '../../../core/refusal.ts';

describe('entitlements', () => {
  it('are in lower case, each once, in alphabetical order', () => {
    expect(parseEntitlements([' Team ', 'pro', 'PRO', 'a.b_c:d-9'])).to.deep.equal(['a.b_c:d-9', 'pro', 'team']);
    expect(parseEntitlements([])).to.deep.equal([]);
  });

  it('are refused if one is no code, or if there are too many', () => {
    const twenty = Array.from({ length: 20 }, (_, n) => `code-${n}`);
    expect(isRefused(parseEntitlements(twenty))).to.equal(false);
    for (const texts of [[''], ['-a'], ['a b'], ['ä'], ['a'.repeat(41)], [...twenty, 'more']]) {
      expect(parseEntitlements(texts), texts.join()).to.include({ reason: 'invalid_entitlements' });
    }
    expect(parseEntitlements(['a'.repeat(40)])).to.deep.equal(['a'.repeat(40)]);
  });
});
