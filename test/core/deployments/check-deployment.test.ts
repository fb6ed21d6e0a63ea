import { expect } from 'chai';
import { createChains } from '../../../adapters/chain/chains.ts';
import { keccak } from '../../../adapters/chain/keccak.ts';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import { checkDeployment, nextLookAt } from '../../../core/deployments/check-deployment.ts';
import { withoutMetadata } from '../../../core/deployments/contract-code.ts';
import { event } from '../../../core/events/event.ts';
import type { ProductId, TemplateId, UserId } from '../../../core/id.ts';
import { day, hour, minute } from '../../../core/time.ts';
import { createWorker } from '../../../core/work/worker.ts';
import { type Anvil, anvil, anvilChain, blocksUntil, startAnvil } from '../../support/anvil.ts';
import { addTemplate, addUser, backends, openForEach } from '../../support/backends.ts';
import { by } from '../../support/by.ts';
import { good } from '../../support/good.ts';
import { issuedAt, must } from '../../support/license-acts.ts';
import { addForSale } from '../../support/orders.ts';
import { needing } from '../../support/required-service.ts';
import { faults, lying, type RpcDouble, startRpcDouble } from '../../support/rpc-double.ts';
import { contracts, word } from '../../support/solidity.ts';

const noHash = `0x${'ab'.repeat(32)}`;
const told = event('product.changed', 'jar', by, issuedAt, { fields: 'codes' });
const hashOf = (code: string) => keccak(withoutMetadata(code));

for (const backend of backends) {
  const skip = anvil.skip ?? backend.skip;
  needing(skip).describe(`the check of a deployment: ${backend.name}`, () => {
    const stores = openForEach(backend);
    let real: Anvil;
    let doubles: RpcDouble[];
    let userId: UserId;
    let dex: TemplateId;
    let jar: ProductId;
    let clock: ReturnType<typeof createManualClock>;
    const opened: ReturnType<typeof createChains>[] = [];

    before(async () => {
      real = await startAnvil();
      doubles = [await startRpcDouble(real.url), await startRpcDouble(real.url)];
    });
    beforeEach(async () => {
      clock = createManualClock(issuedAt);
      userId = (await addUser(stores, 'Ada')).id;
      dex = (await addTemplate(stores, 'dex')).id;
      jar = (await addForSale(stores, { slug: 'jar', templateId: dex })).id;
    });
    afterEach(async () => {
      for (const double of doubles) double.fault = undefined;
      for (const chains of opened.splice(0)) await chains.close();
    });
    after(async () => {
      for (const double of doubles) await double[Symbol.asyncDispose]();
      await real[Symbol.asyncDispose]();
    });

    const report = async (txHash: string, address: string) => {
      const deployment = {
        ...{ userId, isLive: true, chain: 'anvil', chainId: anvilChain, templateReference: 'dex', templateId: dex },
        ...{ txHash, address, at: clock.now() },
      };
      await stores.deployments.add(deployment, true);
    };
    /** Does all due work, with so many RPCs. Returns the state of the newest deployment, and what was said of the work. */
    const check = async (rpcs = 1) => {
      const urls = new Map(rpcs === 0 ? [] : [[anvilChain, doubles.slice(0, rpcs).map(({ url }) => url)]]);
      const chains = createChains({ urls, limits: { timeout: 2_000, mostBytes: 1024 * 1024 } });
      opened.push(chains);
      const errors: unknown[] = [];
      const attempt = checkDeployment({ checks: stores.checks, chains, keccak, clock });
      const worker = createWorker(stores.work, { deployment: attempt }, clock, {
        places: 3,
        stop: new AbortController().signal,
        observe: ({ outcome }, bug) => {
          errors.push(...(outcome.kind === 'again' ? [outcome.error] : []), ...(bug === undefined ? [] : [bug]));
        },
      });
      while (await worker.take()) await worker.idle();
      await worker.idle();
      const { items } = await stores.checks.list({ userId, isLive: true, limit: 1 });
      return { ...must(items[0]), errors };
    };
    const addCode = (code: string, version = '1.2.0') =>
      stores.codes.add({ productId: jar, version, contract: 'Dex', hash: hashOf(code), createdAt: clock.now() }, told);
    const deployedDex = async () => {
      const deployed = await real.deploy(contracts().Dex.creation);
      await real.mine(blocksUntil.final);
      return deployed;
    };

    it('confirms a contract that the transaction created, with its block, its time and its code', async () => {
      const { txHash, address } = await deployedDex();
      await report(txHash, address.toUpperCase().replace('0X', '0x'));
      const { blockNumber } = await real.call<{ blockNumber: string }>('eth_getTransactionReceipt', txHash);
      const block = await real.call<{ timestamp: string }>('eth_getBlockByNumber', blockNumber, false);
      expect(await check()).to.deep.include({
        ...{ state: 'confirmed', blockNumber: Number(blockNumber), createdAt: Number(block.timestamp) * 1000 },
        ...{ codeHash: hashOf(contracts().Dex.runtime), release: null, checkedAt: clock.now(), errors: [] },
      });
    });

    it('names the release whose code it has, whatever the metadata says', async () => {
      expect(contracts(true).Dex.runtime).to.not.equal(contracts().Dex.runtime);
      good(await addCode(contracts(true).Dex.runtime));
      const { txHash, address } = await deployedDex();
      await report(txHash, address);
      expect(await check()).to.deep.include({ state: 'confirmed', release: { productId: jar, version: '1.2.0' } });
    });

    it('finds a mismatch if the code is of no release', async () => {
      good(await addCode(contracts().OtherDex.runtime));
      const { txHash, address } = await deployedDex();
      await report(txHash, address);
      expect(await check()).to.deep.include({ state: 'mismatch', release: null });
    });

    it('confirms what a contract created in the transaction, and not what was there before', async () => {
      const { Factory: factory } = contracts();
      const made = await real.deploy(factory.creation);
      const own = await real.call<string>('eth_getTransactionCount', made.address, 'latest');
      const create = await real.send({ to: made.address, data: must(factory.selectors.make) });
      const { transactions } = { transactions: create };
      const trace = await real.call<{ calls: { to: string }[] }>('debug_traceTransaction', transactions, {
        tracer: 'callTracer',
      });
      const child = must(trace.calls[0]).to;
      expect(Number(own)).to.equal(1);
      const later = await real.send({ to: made.address, data: must(factory.selectors.nothing) });
      await real.mine(blocksUntil.final);
      await report(create, child);
      expect(await check()).to.deep.include({ state: 'confirmed', codeHash: hashOf(contracts().Dex.runtime) });
      clock.advance(1);
      await report(later, child);
      expect(await check()).to.deep.include({ state: 'mismatch', codeHash: null });
      clock.advance(1);
      await report(made.txHash, child);
      expect(await check()).to.deep.include({ state: 'mismatch', codeHash: null });
    });

    it('compares the implementation of a proxy, of EIP-1967 and of EIP-1167', async () => {
      good(await addCode(contracts().Dex.runtime));
      const { address } = await deployedDex();
      const minimal = `363d3d373d3d3d363d73${address.slice(2)}5af43d82803e903d91602b57fd5bf3`;
      const creations = [`${contracts().Proxy.creation}${word(address)}`, `0x3d602d80600a3d3981f3${minimal}`];
      for (const creation of creations) {
        const proxy = await real.deploy(creation);
        await real.mine(blocksUntil.final);
        clock.advance(1);
        await report(proxy.txHash, proxy.address);
        expect(await check()).to.deep.include({ state: 'confirmed', release: { productId: jar, version: '1.2.0' } });
      }
    });

    it('compares the implementation that the beacon of a proxy names, and the proxy itself if the beacon is none', async () => {
      good(await addCode(contracts().Dex.runtime));
      const { address } = await deployedDex();
      const beacon = await real.deploy(`${contracts().Beacon.creation}${word(address)}`);
      for (const [named, expected] of [
        [beacon.address, { state: 'confirmed', release: { productId: jar, version: '1.2.0' } }],
        [address, { state: 'mismatch', codeHash: hashOf(contracts().BeaconProxy.runtime) }],
      ] as const) {
        const proxy = await real.deploy(`${contracts().BeaconProxy.creation}${word(named)}`);
        await real.mine(blocksUntil.final);
        clock.advance(1);
        await report(proxy.txHash, proxy.address);
        expect(await check()).to.deep.include(expected);
      }
    });

    it('finds a reverted transaction, and one that created no contract at the address', async () => {
      const broken = await real.send({ data: contracts().Broken.creation });
      const { txHash } = await deployedDex();
      await report(broken, `0x${'12'.repeat(20)}`);
      expect(await check()).to.include({ state: 'reverted', codeHash: null });
      clock.advance(1);
      await report(txHash, `0x${'12'.repeat(20)}`);
      expect(await check()).to.include({ state: 'mismatch', codeHash: null });
    });

    it('looks for a transaction for a day, ever more seldom', async () => {
      await report(noHash, `0x${'12'.repeat(20)}`);
      let looks = 0;
      let state = 'unchecked';
      while (state === 'unchecked') {
        state = (await check()).state;
        looks++;
        const [work] = await stores.work.claim({ now: clock.now() + 9 * day, until: clock.now() + 10 * day, most: 1 });
        if (work === undefined) break;
        await stores.work.settle([{ work, outcome: { kind: 'given back' }, at: clock.now() }]);
        clock.advance(nextLookAt({ checkFrom: issuedAt }, clock.now()) - clock.now());
      }
      expect(state).to.equal('not_found');
      expect(clock.now() - issuedAt).to.be.within(day, day + hour);
      expect(looks).to.be.within(20, 60);
    });

    it('waits until the block is final with one RPC, and until it is safe with two', async () => {
      for (const [rpcs, blocks] of [
        [1, blocksUntil.final],
        [2, blocksUntil.safe],
      ] as const) {
        const { txHash, address } = await real.deploy(contracts().Dex.creation);
        clock.advance(day);
        await report(txHash, address);
        for (let n = 0; n < blocks; n++) {
          expect((await check(rpcs)).state, `${rpcs} ${n}`).to.equal('unchecked');
          await real.mine();
          clock.advance(hour);
        }
        expect((await check(rpcs)).state, String(rpcs)).to.equal('confirmed');
      }
    });

    it('does not say that a transaction is missing if its RPCs stand still', async () => {
      // Two years after the newest block of the chain.
      clock.advance(730 * day);
      await report(noHash, `0x${'12'.repeat(20)}`);
      clock.advance(2 * day);
      expect((await check()).state).to.equal('unchecked');
    });

    it('waits for a final block with two RPCs on a chain without safe blocks', async () => {
      const { txHash, address } = await real.deploy(contracts().Dex.creation);
      await report(txHash, address);
      for (const double of doubles)
        double.fault = async (call, ask) =>
          call.method === 'eth_getBlockByNumber' && call.params[0] === 'safe' ? null : await ask();
      await real.mine(blocksUntil.safe);
      expect((await check(2)).state).to.equal('unchecked');
      await real.mine(blocksUntil.final - blocksUntil.safe);
      clock.advance(hour);
      expect((await check(2)).state).to.equal('confirmed');
    });

    it('does not confirm what a reorganization took away', async () => {
      const { txHash, address } = await real.deploy(contracts().Dex.creation);
      await report(txHash, address);
      expect((await check()).state).to.equal('unchecked');
      await real.reorganize(1);
      await real.call('anvil_dropAllTransactions');
      await real.mine(blocksUntil.final);
      clock.advance(hour);
      expect((await check()).state).to.equal('unchecked');
      clock.advance(day);
      expect((await check()).state).to.equal('not_found');
    });

    it('believes no RPC that lies, and none that is silent, and tries again later', async () => {
      const { txHash, address } = await deployedDex();
      await report(txHash, address);
      const [first, second] = [must(doubles[0]), must(doubles[1])];
      const tries = [
        lying('eth_getTransactionReceipt', (one) => ({ ...one, status: '0x0' })),
        lying('eth_getTransactionReceipt', () => null),
        lying('eth_getCode', () => '0x6000'),
        lying('eth_getStorageAt', () => `0x${word(address)}`),
        faults.busy,
        faults.huge,
      ];
      for (const [n, fault] of tries.entries()) {
        const liar = n % 2 === 0 ? first : second;
        liar.fault = fault;
        const { state, errors } = await check(2);
        expect(state, String(n)).to.equal('unchecked');
        expect(errors, String(n)).to.have.lengthOf(1);
        expect(errors[0], String(n)).to.match(/^(?:The RPCs|RPC \d) of .*chain/);
        liar.fault = undefined;
        clock.advance(day);
      }
      expect((await check(2)).state).to.equal('confirmed');
    });

    it('takes the code of a newer block if the RPC no longer has the old one', async () => {
      const { txHash, address } = await deployedDex();
      await report(txHash, address);
      must(doubles[0]).fault = faults.forgetful;
      expect(await check()).to.deep.include({ state: 'confirmed', codeHash: hashOf(contracts().Dex.runtime) });
    });

    it('ends if the chain has no RPC any more, and begins anew when it has one', async () => {
      const { txHash, address } = await deployedDex();
      await report(txHash, address);
      expect((await check(0)).state).to.equal('no_rpc');
      clock.advance(minute);
      expect(await stores.checks.resume([anvilChain], clock.now())).to.equal(1);
      expect((await check()).state).to.equal('confirmed');
    });
  });
}
