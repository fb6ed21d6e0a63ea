import { expect } from 'chai';
import { isReadable } from '../../../apps/cli/plain-http.ts';

describe('the CLI, at a server without encryption', () => {
  it('takes only this computer for one on the way to which nobody can read', () => {
    for (const host of [
      'localhost',
      'LOCALHOST:3000',
      '127.0.0.1:3000',
      '127.9.9.9',
      '127.1',
      '[::1]',
      '[0:0::1]:80',
    ]) {
      expect(isReadable(`http://${host}`), host).to.equal(false);
    }
    const others = ['shop.example', '10.0.0.7:3000', '0.0.0.0', '[::2]', 'localhost.evil.example', '127.evil.example'];
    for (const host of others) {
      expect(isReadable(`http://${host}`), host).to.equal(true);
      expect(isReadable(`https://${host}`), host).to.equal(false);
    }
  });
});
