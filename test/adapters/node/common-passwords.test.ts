import { expect } from 'chai';
import { createCommonPasswords } from '../../../adapters/node/common-passwords.ts';

describe('common passwords', () => {
  it('contain those that attackers try first, and no uncommon one', async () => {
    const { includes } = createCommonPasswords();
    for (const common of ['password', '12345678', 'qwertyuiop', 'iloveyou', 'password1', 'sunshine']) {
      expect(await includes(common), common).to.equal(true);
    }
    for (const other of ['correct horse battery', 'constructor', '__proto__', 'xk7-plum-vale', '']) {
      expect(await includes(other), other).to.equal(false);
    }
  });
});
