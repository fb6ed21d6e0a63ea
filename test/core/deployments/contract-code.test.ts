import { expect } from 'chai';
import fc from 'fast-check';
import { keccak } from '../../../adapters/chain/keccak.ts';
import { knownChains } from '../../../core/deployments/chains.ts';
import { addressIn, minimalProxyTarget, withoutMetadata } from '../../../core/deployments/contract-code.ts';
import { contracts, word } from '../../support/solidity.ts';

const bytes = fc.uint8Array({ maxLength: 200 }).map((some) => Buffer.from(some).toString('hex'));

describe('the code of a contract', () => {
  it('is the same without metadata if only a comment of its source differs', () => {
    const [one, other] = [contracts(), contracts(true)];
    for (const name of ['Dex', 'OtherDex', 'Factory', 'Proxy'] as const) {
      expect(one[name].runtime, name).to.not.equal(other[name].runtime);
      // What a factory creates has metadata too, in the middle of its code.
      const isEqual = withoutMetadata(one[name].runtime) === withoutMetadata(other[name].runtime);
      expect(isEqual, name).to.equal(name !== 'Factory');
    }
    expect(withoutMetadata(one.Dex.runtime)).to.not.equal(withoutMetadata(one.OtherDex.runtime));
  });

  it('loses every kind of metadata that the compiler writes, and nothing else', () => {
    const kinds = [
      `a26469706673582212${'20'.repeat(34)}64736f6c6343000819`,
      'a164736f6c6343000819000a',
      `a265627a7a72315820${'20'.repeat(32)}64736f6c6343000511`,
      `a165627a7a72305820${'20'.repeat(32)}`,
      'a26c6578706572696d656e74616cf564736f6c6343000511',
    ];
    fc.assert(
      fc.property(bytes, fc.constantFrom(...kinds), (code, metadata) => {
        const length = (metadata.length / 2).toString(16).padStart(4, '0');
        expect(withoutMetadata(`0x6001${code}${metadata}${length}`)).to.equal(`0x6001${code}`);
      }),
    );
    fc.assert(
      fc.property(bytes, (code) => {
        const stripped = withoutMetadata(`0x${code}`);
        expect(`0x${code}`.startsWith(stripped)).to.equal(true);
        if (!/(?:69706673|736f6c63|627a7a72|6578706572)/.test(code)) expect(stripped).to.equal(`0x${code}`);
      }),
    );
    for (const code of ['0x', '0x00', '0x0000', '0xa164736f6c6343000819000a'])
      expect(withoutMetadata(code)).to.equal(code);
  });

  it('names the implementation of a minimal proxy, and only of one', () => {
    const code = `0x363d3d373d3d3d363d73${'ab'.repeat(20)}5af43d82803e903d91602b57fd5bf3`;
    expect(minimalProxyTarget(code)).to.equal(`0x${'ab'.repeat(20)}`);
    expect(minimalProxyTarget(`${code}00`)).to.equal(undefined);
    expect(minimalProxyTarget(contracts().Dex.runtime)).to.equal(undefined);
  });

  it('has an address in 32 bytes only if they are one, and not zero', () => {
    expect(addressIn(`0x${word(`0x${'ab'.repeat(20)}`)}`)).to.equal(`0x${'ab'.repeat(20)}`);
    expect(addressIn(`0x${word(0)}`)).to.equal(undefined);
    expect(addressIn(`0x${'ab'.repeat(32)}`)).to.equal(undefined);
  });
});

describe('the known chains', () => {
  /** The spelling of EIP-55: a letter is large if its digit of the hash is above 7. */
  const spelled = (address: string) => {
    const digits = address.slice(2).toLowerCase();
    const hash = keccak(`0x${Buffer.from(digits).toString('hex')}`).slice(2);
    return `0x${[...digits].map((digit, n) => (Number.parseInt(hash[n] ?? '', 16) > 7 ? digit.toUpperCase() : digit)).join('')}`;
  };

  it('have addresses of USDC without a wrong letter, which are all different', () => {
    // The example of EIP-55 itself.
    expect(spelled('0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed')).to.equal(
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    );
    const addresses = [...knownChains.values()].map(({ usdc }) => usdc);
    for (const address of addresses) expect(address).to.equal(spelled(address));
    expect(new Set(addresses).size).to.equal(addresses.length);
  });

  it('have names, explorers without a slash at the end, and times between blocks', () => {
    for (const [id, { name, explorer, blockTime, softBlocks, decimals }] of knownChains) {
      expect(explorer, String(id)).to.equal(new URL(explorer).origin);
      expect([name.length > 2, blockTime >= 250, softBlocks > 1, decimals === 6], name).to.deep.equal([
        true,
        true,
        true,
        true,
      ]);
    }
  });
});
