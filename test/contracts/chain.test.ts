import { expect } from 'chai';
import { createChains } from '../../adapters/chain/chains.ts';
import { keccak } from '../../adapters/chain/keccak.ts';
import type { Chain } from '../../core/ports/chain.ts';
import { type Anvil, anvil, anvilChain, blocksUntil, startAnvil } from '../support/anvil.ts';
import { freePort } from '../support/free-port.ts';
import { must } from '../support/license-acts.ts';
import { needing } from '../support/required-service.ts';
import { type RpcDouble, startRpcDouble } from '../support/rpc-double.ts';
import { contracts, word } from '../support/solidity.ts';

const nobody = `0x${'12'.repeat(20)}`;
const noHash = `0x${'ab'.repeat(32)}`;
const swapped = keccak(`0x${Buffer.from('Swapped(address,uint256)').toString('hex')}`);

/** How many RPCs a chain has, and whether one more cannot be reached. */
const ways = [
  { name: 'one RPC', rpcs: 1, hasDead: false },
  { name: 'two RPCs', rpcs: 2, hasDead: false },
  { name: 'three RPCs, one of which cannot be reached', rpcs: 2, hasDead: true },
];

for (const { name, rpcs, hasDead } of ways) {
  needing(anvil.skip).describe(`chain: ${name}`, () => {
    let real: Anvil;
    let doubles: RpcDouble[];
    let chains: ReturnType<typeof createChains>;
    let chain: Chain;
    const alarms: string[] = [];

    before(async () => {
      real = await startAnvil();
      doubles = await Promise.all(Array.from({ length: rpcs }, () => startRpcDouble(real.url)));
      const dead = hasDead ? [`http://127.0.0.1:${await freePort()}`] : [];
      chains = createChains({
        urls: new Map([[anvilChain, [...dead, ...doubles.map(({ url }) => url)]]]),
        observe: { called: () => undefined, disagreed: (_, about) => alarms.push(about) },
      });
      chain = must(chains.get(anvilChain));
    });
    after(async () => {
      await chains.close();
      for (const double of doubles) await double[Symbol.asyncDispose]();
      await real[Symbol.asyncDispose]();
      expect(alarms).to.deep.equal([]);
    });

    const head = async () => must(await chain.block('latest'));
    const logsOf = (address: string, from: number, to: number, topics: readonly (string | null)[] = []) =>
      chain.logs({ address, topics, from, to });

    it('knows which chains there are, and whether somebody can contradict', () => {
      expect(chains.ids).to.deep.equal([anvilChain]);
      expect(chains.get(1)).to.equal(undefined);
      expect(chain.hasWitness).to.equal(rpcs > 1);
    });

    it('returns a block by its number, with its hash and time, and nothing after the newest one', async () => {
      await real.mine(3);
      const newest = await head();
      const theirs = await real.call<{ number: string; hash: string; timestamp: string }>(
        'eth_getBlockByNumber',
        'latest',
        false,
      );
      expect(newest).to.deep.equal({
        number: Number(theirs.number),
        hash: theirs.hash,
        at: Number(theirs.timestamp) * 1000,
      });
      expect(await chain.block(newest.number)).to.deep.equal(newest);
      expect((await chain.block(newest.number - 1))?.number).to.equal(newest.number - 1);
      expect(await chain.block(newest.number + 1)).to.equal(undefined);
      expect(await chain.block(newest.number + 1_000_000)).to.equal(undefined);
    });

    it('returns the newest block that is safe, and the newest one that is final', async () => {
      await real.mine(3);
      const { number } = await head();
      expect((await chain.block('safe'))?.number).to.equal(number - blocksUntil.safe);
      expect((await chain.block('finalized'))?.number).to.equal(number - blocksUntil.final);
    });

    it('returns the receipt of a transaction, with the contract that it created', async () => {
      const { txHash, address } = await real.deploy(contracts().Dex.creation);
      const { number, hash } = await head();
      expect(await chain.receipt(txHash)).to.deep.equal({
        ...{ txHash, succeeded: true, blockNumber: number, blockHash: hash, created: address, logs: [] },
      });
    });

    it('returns no receipt of a transaction that is in no block', async () => {
      expect(await chain.receipt(noHash)).to.equal(undefined);
      await real.call('evm_setAutomine', false);
      const txHash = await real.submit({ data: contracts().Dex.creation });
      expect(await chain.receipt(txHash)).to.equal(undefined);
      await real.mine();
      await real.call('evm_setAutomine', true);
      expect((await chain.receipt(txHash))?.succeeded).to.equal(true);
    });

    it('says that a reverted transaction did not succeed', async () => {
      const txHash = await real.send({ data: contracts().Broken.creation });
      expect(await chain.receipt(txHash)).to.include({ succeeded: false });
    });

    it('returns the logs of a contract in their order, and only those with the wanted topics', async () => {
      const { Dex } = contracts();
      const [dex, other] = [await real.deploy(Dex.creation), await real.deploy(Dex.creation)];
      const from = (await head()).number;
      const swap = (to: string, amount: number) => real.send({ to, data: `${Dex.selectors.swap}${word(amount)}` });
      const first = await swap(dex.address, 5);
      await swap(other.address, 6);
      const times = await real.send({ to: dex.address, data: `${Dex.selectors.swapOften}${word(3)}` });
      const found = await logsOf(dex.address, from, from + 3);
      expect(found.through).to.equal(from + 3);
      expect(found.logs.map(({ txHash, index, data }) => [txHash, index, Number(data)])).to.deep.equal([
        [first, 0, 5],
        ...[0, 1, 2].map((n) => [times, n, n]),
      ]);
      expect(found.logs.every(({ topics }) => topics[0] === swapped)).to.equal(true);
      expect((await chain.receipt(times))?.logs).to.deep.equal(found.logs.slice(1));
      const by = must(found.logs[0]?.topics[1]);
      expect((await logsOf(dex.address, from, from + 3, [swapped, by])).logs).to.deep.equal(found.logs);
      expect((await logsOf(dex.address, from, from + 3, [null, by])).logs).to.deep.equal(found.logs);
      expect((await logsOf(dex.address, from, from + 3, [swapped, noHash])).logs).to.deep.equal([]);
      expect((await logsOf(dex.address, from + 2, from + 2)).logs).to.deep.equal([]);
    });

    it('searches up to the newest block, and says where it ended', async () => {
      const { Dex } = contracts();
      const { address } = await real.deploy(Dex.creation);
      await real.send({ to: address, data: `${Dex.selectors.swap}${word(1)}` });
      const { number } = await head();
      const beyond = await logsOf(address, number, number + 500);
      expect([beyond.logs.length, beyond.through]).to.deep.equal([1, number]);
      expect(await logsOf(address, number + 1, number + 500)).to.deep.equal({ logs: [], through: number });
      expect(await logsOf(address, number + 50, number + 500)).to.deep.equal({ logs: [], through: number + 49 });
    });

    it('returns the code at an address after a block, and what a slot of it holds', async () => {
      const { Dex, Proxy: proxy } = contracts();
      const dex = await real.deploy(Dex.creation);
      const { number } = await head();
      expect(await chain.code(dex.address, number)).to.equal(Dex.runtime);
      expect(await chain.code(dex.address, number - 1)).to.equal('0x');
      expect(await chain.code(nobody, number)).to.equal('0x');
      const { address } = await real.deploy(`${proxy.creation}${word(dex.address)}`);
      const slot = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';
      expect(await chain.slot(address, slot, number + 1)).to.equal(`0x${word(dex.address)}`);
      expect(await chain.slot(dex.address, slot, number + 1)).to.equal(`0x${word(0)}`);
    });

    it('forgets what a reorganization took away', async () => {
      const { txHash, address } = await real.deploy(contracts().Dex.creation);
      const { number, hash } = await head();
      await real.reorganize(1);
      const after = must(await chain.block(number));
      expect(after.hash).to.not.equal(hash);
      expect((await chain.receipt(txHash))?.blockHash).to.not.equal(hash);
      expect((await logsOf(address, number, number)).logs).to.deep.equal([]);
    });

    it('agrees with the chain about Keccak-256', async () => {
      for (const bytes of ['0x', '0x00', contracts().Dex.runtime, `0x${'ff'.repeat(136)}`])
        expect(keccak(bytes)).to.equal(await real.call('web3_sha3', bytes));
    });
  });
}
