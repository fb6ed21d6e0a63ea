import { expect } from 'chai';
import { getAddress } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { parseSiweMessage } from 'viem/siwe';
import { keccak } from '../../../adapters/chain/keccak.ts';
import { checksummed, type EvmAddress, parseAddress } from '../../../core/usdc/evm-address.ts';
import { signInText } from '../../../core/usdc/sign-in-text.ts';
import {
  changeWaits,
  emptyBook,
  isFresh,
  proofLives,
  type WalletBook,
  walletsNow,
  withoutWallet,
  withProved,
} from '../../../core/usdc/wallet.ts';

const one = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const other = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359';
const at = Date.UTC(2026, 10, 29);
const proved = (book: WalletBook, address: EvmAddress, now: number, chainId = 8453) =>
  withProved(book, { chainId, address, nonce: '00', at: now }, now);
const addresses = (book: WalletBook, now: number) =>
  walletsNow(book, now).map(({ chainId, address, next }) => [chainId, address, next?.address ?? null]);

describe('the wallets of a seller', () => {
  it('use the very first address at once', () => {
    expect(addresses(proved(emptyBook, one, at), at)).to.deep.equal([[8453, one, null]]);
  });

  it('use another address after a day, and the old one meanwhile', () => {
    const book = proved(proved(emptyBook, one, at), other, at + 1);
    expect(addresses(book, at + changeWaits)).to.deep.equal([[8453, one, other]]);
    expect(addresses(book, at + 1 + changeWaits)).to.deep.equal([[8453, other, null]]);
  });

  it('take a waiting address back when the one in use is proved again', () => {
    const book = proved(proved(proved(emptyBook, one, at), other, at), one, at);
    expect(addresses(book, at + 2 * changeWaits)).to.deep.equal([[8453, one, null]]);
  });

  it('use an address at once that gets payments on another chain, and no other', () => {
    const book = proved(emptyBook, one, at);
    expect(addresses(proved(book, one, at, 1), at)).to.deep.equal([
      [1, one, null],
      [8453, one, null],
    ]);
    expect(addresses(proved(book, other, at, 1), at)).to.deep.equal([
      [1, null, other],
      [8453, one, null],
    ]);
  });

  it('use an address of a testnet at once only on testnets', () => {
    const book = proved(proved(emptyBook, one, at), other, at, 84_532);
    const after = at + changeWaits;
    expect(addresses(proved(book, other, after, 1), after)).to.deep.include([1, null, other]);
    expect(addresses(proved(book, other, after, 11_155_111), after)).to.deep.include([11_155_111, other, null]);
    expect(addresses(proved(book, one, after, 11_155_111), after)).to.deep.include([11_155_111, one, null]);
  });

  it('do not trust an address that only waits on another chain', () => {
    const book = proved(proved(emptyBook, one, at), other, at);
    expect(addresses(proved(book, other, at, 1), at)).to.deep.equal([
      [1, null, other],
      [8453, one, other],
    ]);
  });

  it('let an address wait after a removal, so that removing is no way around the day', () => {
    const removed = withoutWallet(proved(emptyBook, one, at), 8453, at);
    expect(addresses(removed, at)).to.deep.equal([]);
    expect(addresses(proved(removed, other, at), at)).to.deep.equal([[8453, null, other]]);
    expect(addresses(proved(removed, other, at, 1), at)).to.deep.equal([[1, null, other]]);
  });

  it('forget a text once it was signed, and after five minutes', () => {
    const proof = { chainId: 1, address: one, nonce: '00', at } as const;
    expect(withProved({ ...emptyBook, proof }, proof, at).proof).to.equal(null);
    expect([isFresh(proof, at + proofLives - 1), isFresh(proof, at + proofLives)]).to.deep.equal([true, false]);
  });
});

describe('an address', () => {
  it('has the checksum of EIP-55, as another program computes it', () => {
    for (let run = 0; run < 200; run++) {
      const address = privateKeyToAddress(generatePrivateKey());
      expect(checksummed(address.toLowerCase() as EvmAddress, keccak)).to.equal(getAddress(address));
    }
  });

  it('has one spelling inside', () => {
    const mixed = getAddress(one);
    const upper = `0x${one.slice(2).toUpperCase()}`;
    for (const text of [one, mixed, upper]) expect(parseAddress(text, keccak)).to.equal(one);
  });

  it('is refused if it is none, is the address 0, or has a wrong checksum', () => {
    const mixed = getAddress(one);
    const wrong = mixed.replace('A', 'a');
    const bad = [
      '',
      '0x',
      one.slice(0, -1),
      `${one}0`,
      one.slice(2),
      `0x${'0'.repeat(40)}`,
      wrong,
      `${one.slice(0, -1)}g`,
    ];
    for (const text of bad) expect(parseAddress(text, keccak), text).to.equal(undefined);
  });
});

describe('the text to sign', () => {
  it('is what another program reads as EIP-4361', () => {
    const address = getAddress(one);
    const facts = {
      baseUrl: 'https://shop.example:8443',
      host: 'shop.example:8443',
      nonce: 'a'.repeat(32),
      chainId: 8453,
    };
    const named = { ...facts, address, statement: 'Take payments in USDC on Base.', at };
    const text = signInText({ ...named, endsAt: at + proofLives });
    const read = parseSiweMessage(text);
    expect(read).to.deep.include({
      ...{ address, chainId: 8453, domain: 'shop.example:8443', nonce: facts.nonce, uri: facts.baseUrl, version: '1' },
      ...{ statement: 'Take payments in USDC on Base.' },
    });
    expect([read.issuedAt?.getTime(), read.expirationTime?.getTime()]).to.deep.equal([at, at + proofLives]);
    const { expirationTime, ...rest } = read;
    expect(parseSiweMessage(signInText({ ...named, endsAt: undefined }))).to.deep.equal(rest);
  });
});
