import { expect } from 'chai';
import fc from 'fast-check';
import { createChains } from '../../../adapters/chain/chains.ts';
import type { Chain } from '../../../core/ports/chain.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { type Anvil, anvil, anvilChain, startAnvil } from '../../support/anvil.ts';
import { errorOf } from '../../support/error-of.ts';
import { must } from '../../support/license-acts.ts';
import { needing } from '../../support/required-service.ts';
import { type Fault, faults, lagging, lying, type RpcDouble, startRpcDouble } from '../../support/rpc-double.ts';
import { runs } from '../../support/runs.ts';
import { contracts, word } from '../../support/solidity.ts';

needing(anvil.skip).describe('a chain with several RPCs', () => {
  let real: Anvil;
  let doubles: RpcDouble[];
  let chains: ReturnType<typeof createChains>;
  let chain: Chain;
  let dex: { txHash: string; address: string };
  let created: number;
  let swap: string;
  let head: number;
  const alarms: string[] = [];

  before(async () => {
    real = await startAnvil();
    doubles = [await startRpcDouble(real.url), await startRpcDouble(real.url)];
    chains = createChains({
      urls: new Map([[anvilChain, doubles.map(({ url }) => url)]]),
      limits: { timeout: 2_000, mostBytes: 1024 * 1024 },
      observe: { called: () => undefined, disagreed: (id, about) => alarms.push(`${id} ${about}`) },
    });
    chain = must(chains.get(anvilChain));
    const { Dex } = contracts();
    dex = await real.deploy(Dex.creation);
    created = Number(await real.call('eth_blockNumber'));
    swap = await real.send({ to: dex.address, data: `${Dex.selectors.swap}${word(1)}` });
    await real.mine(2);
    head = Number(await real.call('eth_blockNumber'));
  });
  beforeEach(() => {
    for (const double of doubles) double.fault = undefined;
    alarms.length = 0;
  });
  after(async () => {
    await chains.close();
    for (const double of doubles) await double[Symbol.asyncDispose]();
    await real[Symbol.asyncDispose]();
  });

  const logs = () => chain.logs({ address: dex.address, topics: [], from: 0, to: head });
  /** Calls with the lies about their answers. */
  const lies: Readonly<Record<string, { about: string; call(): Promise<unknown>; faults: readonly Fault[] }>> = {
    receipt: {
      about: 'receipt',
      call: () => chain.receipt(swap),
      faults: [
        lying('eth_getTransactionReceipt', (one) => ({ ...one, status: '0x0' })),
        lying('eth_getTransactionReceipt', (one) => ({ ...one, logs: [] })),
        lying('eth_getTransactionReceipt', () => null),
        lying('eth_getTransactionReceipt', (one) => ({ ...one, blockNumber: '0x1' })),
        lying('eth_getTransactionReceipt', (one) => ({
          ...one,
          logs: one.logs.map((log: object) => ({ ...log, data: `0x${word(1_000_000)}` })),
        })),
      ],
    },
    block: {
      about: 'block',
      call: () => chain.block(created),
      faults: [
        lying('eth_getBlockByNumber', (one) => ({ ...one, hash: `0x${word(1)}` })),
        lying('eth_getBlockByNumber', (one) => one && { ...one, hash: one.parentHash }),
      ],
    },
    logs: {
      about: 'logs',
      call: logs,
      faults: [
        lying('eth_getLogs', () => []),
        lying('eth_getLogs', (all) => all.map((log: object) => ({ ...log, data: `0x${word(1_000_000)}` }))),
      ],
    },
    code: {
      about: 'code',
      call: () => chain.code(dex.address, head),
      faults: [lying('eth_getCode', () => '0x'), lying('eth_getCode', (code) => `${code}00`)],
    },
    slot: {
      about: 'storage',
      call: () => chain.slot(dex.address, `0x${word(0)}`, head),
      faults: [lying('eth_getStorageAt', () => `0x${word(31)}`)],
    },
  };

  it('believes neither answer of a contract if they differ, and raises no alarm: a contract can answer each call differently', async () => {
    const { Dex } = contracts();
    const [selector = ''] = Object.values(Dex.selectors);
    const [one] = doubles;
    must(one).fault = lying('eth_call', () => `0x${word(5)}`);
    expect(await chain.call(dex.address, selector, head)).to.equal(undefined);
    expect(alarms).to.deep.equal([]);
  });

  it('reads no receipt with more than 2,000 logs, or more than 1 MiB', async () => {
    const log = (index: number, data: string) => ({
      ...{ address: dex.address, topics: [], data, transactionHash: swap, blockNumber: '0x1', logIndex: `0x${index}` },
    });
    for (const [count, data] of [
      [2_001, '0x'],
      [1, `0x${'00'.repeat(600_000)}`],
    ] as const) {
      const fault = lying('eth_getTransactionReceipt', (receipt) => ({
        ...receipt,
        logs: Array.from({ length: count }, (_, n) => ({ ...log(n, data), blockHash: receipt.blockHash })),
      }));
      for (const double of doubles) double.fault = fault;
      expect(await errorOf(chain.receipt(swap))).to.be.instanceOf(Unavailable);
    }
  });

  for (const [name, { about, call, faults }] of Object.entries(lies)) {
    it(`believes neither, and tells the operator, if one of them lies: ${name}`, async () => {
      expect(await call()).to.not.equal(undefined);
      for (const fault of faults) {
        for (const liar of doubles) {
          liar.fault = fault;
          const error = await errorOf(call());
          expect(error).to.be.instanceOf(Unavailable);
          expect((error as Error).message).to.equal(`The RPCs of chain ${anvilChain} do not agree: ${about}.`);
          expect(alarms).to.deep.equal([`${anvilChain} ${about}`]);
          liar.fault = undefined;
          alarms.length = 0;
        }
      }
    });
  }

  it('does not know yet what one of them does not know yet, and tells nobody', async () => {
    for (const late of doubles) {
      late.fault = lagging(head - created);
      expect((await chain.block('latest'))?.number).to.equal(created);
      expect(await chain.block(created + 1)).to.equal(undefined);
      expect((await chain.receipt(dex.txHash))?.blockNumber).to.equal(created);
      expect(await chain.receipt(swap)).to.equal(undefined);
      expect(await logs()).to.deep.equal({ logs: [], through: created });
      late.fault = undefined;
    }
    expect((await logs()).logs).to.have.lengthOf(1);
    expect(alarms).to.deep.equal([]);
  });

  it('is unavailable if only one of two answers', async () => {
    for (const silent of doubles) {
      silent.fault = faults.busy;
      for (const { call } of Object.values(lies)) expect(await errorOf(call())).to.be.instanceOf(Unavailable);
      silent.fault = undefined;
    }
    expect(alarms).to.deep.equal([]);
  });

  it('does not return a past that only one of two still has', async () => {
    must(doubles[0]).fault = faults.forgetful;
    expect(await chain.code(dex.address, created)).to.equal(undefined);
    must(doubles[0]).fault = undefined;
    expect(await chain.code(dex.address, created)).to.equal(contracts().Dex.runtime);
  });

  it('never returns what is not true, whichever of them lies in whatever way', async () => {
    const truth = new Map<string, unknown>();
    for (const [name, { call }] of Object.entries(lies)) truth.set(name, await call());
    const every = [
      faults.busy,
      faults.forgetful,
      lagging(1),
      lagging(3),
      ...Object.values(lies).flatMap((one) => one.faults),
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...every),
        fc.constantFrom(...doubles),
        fc.constantFrom(...Object.keys(lies)),
        async (fault, liar, name) => {
          liar.fault = fault;
          const answer = await must(lies[name])
            .call()
            .catch((error) => {
              expect(error).to.be.instanceOf(Unavailable);
              return undefined;
            });
          liar.fault = undefined;
          const isLess = name === 'logs' && fault !== undefined && (answer as { through: number })?.through < head;
          if (answer !== undefined && !isLess) expect(answer).to.deep.equal(truth.get(name));
        },
      ),
      { numRuns: runs(150) },
    );
  });
});
