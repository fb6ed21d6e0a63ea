import { expect } from 'chai';
import { hashMessage } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { createChains } from '../../../adapters/chain/chains.ts';
import { createSignedBy } from '../../../adapters/chain/signed-by.ts';
import type { EvmAddress } from '../../../core/usdc/evm-address.ts';
import { type Anvil, anvil, anvilChain, startAnvil } from '../../support/anvil.ts';
import { needing } from '../../support/required-service.ts';
import { contracts, word } from '../../support/solidity.ts';

needing(anvil.skip).describe('signatures of contracts (ERC-1271)', () => {
  const owner = privateKeyToAccount(generatePrivateKey());
  const stranger = privateKeyToAccount(generatePrivateKey());
  let node: Anvil;
  let chains: ReturnType<typeof createChains>;
  let contract: EvmAddress;
  before(async () => {
    node = await startAnvil();
    chains = createChains({ urls: new Map([[anvilChain, [node.url]]]) });
    contract = (await node.deploy(contracts().Safe.creation + word(owner.address))).address as EvmAddress;
  });
  after(async () => {
    await chains.close();
    await node[Symbol.asyncDispose]();
  });
  const check = (address: EvmAddress, text: string, signature: string, chainId = anvilChain) =>
    createSignedBy(chains)({ chainId, address }, text, signature);

  it('are taken if the contract says so', async () => {
    const signature = await owner.signMessage({ message: 'a text' });
    expect(hashMessage('a text')).to.have.length(66);
    expect(await check(contract, 'a text', signature)).to.equal(true);
    expect(await check(contract, 'a text', signature.toUpperCase().replace('0X', '0x'))).to.equal(true);
  });

  it('are refused if the contract says no, or does not understand the question', async () => {
    const signature = await owner.signMessage({ message: 'a text' });
    expect(await check(contract, 'another text', signature)).to.equal(false);
    expect(await check(contract, 'a text', await stranger.signMessage({ message: 'a text' }))).to.equal(false);
    for (const bad of ['', '0x', '0x0', 'no', '0x12', `${signature}zz`]) {
      expect(await check(contract, 'a text', bad), bad).to.equal(false);
    }
    const { address } = await node.deploy(contracts().Dex.creation);
    expect(await check(address as EvmAddress, 'a text', signature)).to.equal(false);
  });

  it('are refused if there is no contract on this chain, or the chain has no RPC', async () => {
    const signature = await owner.signMessage({ message: 'a text' });
    const nobody = stranger.address.toLowerCase() as EvmAddress;
    expect(await check(nobody, 'a text', signature)).to.equal(false);
    expect(await check(contract, 'a text', signature, 1)).to.equal(false);
  });

  it('need no chain if the key of the address has signed', async () => {
    const signature = await owner.signMessage({ message: 'a text' });
    expect(await check(owner.address.toLowerCase() as EvmAddress, 'a text', signature, 1)).to.equal(true);
  });
});
