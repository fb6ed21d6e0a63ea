import { expect } from 'chai';
import fc from 'fast-check';
import { acceptPassword, toPassword } from '../../../core/accounts/password.ts';
import { isRefused } from '../../../core/refusal.ts';

const person = { name: 'Ada Lovelace', email: 'ada.lovelace@example.com' };
const verdict = (text: string) => {
  const answer = acceptPassword(text, person);
  return isRefused(answer) ? answer.reason : 'fine';
};

describe('password', () => {
  it('has 8 to 256 characters, however many bytes each takes', () => {
    for (const character of ['a', 'ü', '字', '😀']) {
      expect(verdict(character.repeat(7))).to.equal('password_too_short');
      expect(verdict(character.repeat(8))).to.equal('fine');
      expect(verdict(character.repeat(256))).to.equal('fine');
      expect(verdict(character.repeat(257))).to.equal('password_too_long');
    }
    expect(verdict('a'.repeat(1_000_000))).to.equal('password_too_long');
    expect(verdict('ﷺ'.repeat(200)), 'one character becomes 18').to.equal('password_too_long');
  });

  it('is not the name, the e-mail address or its first part, in any letter case or width', () => {
    for (const text of [
      'Ada Lovelace',
      ' ADA LOVELACE ',
      'ada.lovelace',
      'Ada.Lovelace@EXAMPLE.com',
      'ａｄａ.lovelace',
    ]) {
      expect(verdict(text), text).to.equal('password_personal');
    }
    expect(verdict('ada.lovelace1')).to.equal('fine');
  });

  it('is the same however a keyboard composes it, and keeps letter case and spaces', () => {
    expect(toPassword('Mu\u0308nchen 1')).to.equal(toPassword('München 1'));
    expect(toPassword('ﬁrst ｆｉｒｓｔ')).to.equal(toPassword('first first'));
    expect(new Set([' abcdefgh', 'abcdefgh ', 'abcdefgh', 'Abcdefgh'].map(toPassword))).to.have.property('size', 4);
  });

  it('stays the same if it is normalized again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        const password = toPassword(text);
        if (password !== undefined) expect(toPassword(password)).to.equal(password);
      }),
    );
  });
});
