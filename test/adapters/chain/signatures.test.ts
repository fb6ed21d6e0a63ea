import { expect } from 'chai';
import { hashMessage } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { hashOfText, signerOf } from '../../../adapters/chain/signatures.ts';

const texts = ['', 'a', 'Zeile\nZeile', 'größer – 上海 🦊', 'x'.repeat(10_000)];

describe('signatures of texts', () => {
  const account = privateKeyToAccount(generatePrivateKey());
  const address = account.address.toLowerCase();

  for (const text of texts) {
    it(`name the signer of a text of ${text.length} characters, as another program signs it`, async () => {
      expect(`0x${Buffer.from(hashOfText(text)).toString('hex')}`).to.equal(hashMessage(text));
      const signature = await account.signMessage({ message: text });
      expect(signerOf(text, signature)).to.equal(address);
      expect(signerOf(text, signature.toUpperCase().replace('0X', '0x'))).to.equal(address);
      expect(signerOf(`${text} `, signature)).to.not.equal(address);
    });
  }

  it('may end with 0 and 1, as some devices write them', async () => {
    const signature = await account.signMessage({ message: 'a' });
    const last = Number.parseInt(signature.slice(-2), 16) - 27;
    expect(signerOf('a', `${signature.slice(0, -2)}0${last}`)).to.equal(address);
  });

  it('that are none name nobody', async () => {
    const signature = await account.signMessage({ message: 'a' });
    const bad = [
      '',
      '0x',
      'no',
      signature.slice(0, -2),
      `${signature}00`,
      `${signature.slice(0, -2)}02`,
      `${signature.slice(0, -2)}ff`,
      `0x${'00'.repeat(65)}`,
      `0x${'ff'.repeat(64)}1b`,
    ];
    for (const one of bad) expect(signerOf('a', one), one).to.equal(undefined);
  });
});
