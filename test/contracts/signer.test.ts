import { expect } from 'chai';
import fc from 'fast-check';
import { createSigner } from '../../adapters/node/signer.ts';
import { itLong } from '../support/required-service.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const text = fc.string({ unit: 'grapheme' });

describe('signer: node', () => {
  const signer = createSigner('a secret of our own');
  const link = 'file\nproducts/jar.zip\n1795000000\nTip Jar — ünïcode.zip';
  const signature = signer.sign(link);

  it('signs with HMAC-SHA256 in base64url, as in the examples of RFC 4231', () => {
    const expected = Buffer.from('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843', 'hex');
    expect(createSigner('Jefe').sign('what do ya want for nothing?')).to.equal(expected.toString('base64url'));
  });

  it('accepts its own signatures, and those of another signer with the same secret', () => {
    fc.assert(
      fc.property(text, text, (secret, signed) => {
        const made = createSigner(secret).sign(signed);
        expect(made).to.match(/^[\w-]{43}$/);
        expect(createSigner(secret).sign(signed)).to.equal(made);
        expect(createSigner(secret).verifies(signed, made)).to.equal(true);
      }),
    );
  });

  it('refuses the signature of another text', () => {
    fc.assert(
      fc.property(text, text, (signed, other) => {
        fc.pre(signed !== other);
        expect(signer.verifies(other, signer.sign(signed))).to.equal(false);
      }),
    );
    for (const other of ['', `${link} `, link.slice(1), link.toLowerCase(), link.normalize('NFD'), `${link}\0`]) {
      expect(signer.verifies(other, signature)).to.equal(false);
    }
  });

  it('refuses the signature of another secret', () => {
    for (const secret of ['a secret of our owm', 'A secret of our own', 'a secret of our own ', '']) {
      expect(createSigner(secret).verifies(link, signature)).to.equal(false);
      expect(signer.verifies(link, createSigner(secret).sign(link))).to.equal(false);
    }
  });

  itLong('refuses a signature with any one character changed', () => {
    const accepted = [];
    for (const [index, was] of [...signature].entries()) {
      for (const character of alphabet) {
        const changed = signature.slice(0, index) + character + signature.slice(index + 1);
        if (character !== was && signer.verifies(link, changed)) accepted.push(changed);
      }
    }
    expect(accepted).to.deep.equal([]);
  });

  it('refuses a signature in any other notation', () => {
    const spellings = [
      `${signature}=`,
      ` ${signature}`,
      `${signature}\n`,
      `${signature.slice(0, 9)}*${signature.slice(9)}`,
      Buffer.from(signature, 'base64url').toString('base64'),
      Buffer.from(signature, 'base64url').toString('hex'),
    ];
    expect(spellings.filter((other) => signer.verifies(link, other))).to.deep.equal([]);
  });

  it('refuses garbage of any length without throwing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (garbage) => {
        expect(signer.verifies(link, garbage)).to.equal(false);
      }),
    );
    for (const garbage of ['', 'A', signature.slice(0, -1), signature + signature, 'A'.repeat(43), 'é'.repeat(43)]) {
      expect(signer.verifies(link, garbage)).to.equal(false);
    }
  });
});
