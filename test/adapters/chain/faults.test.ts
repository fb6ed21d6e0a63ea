import { inspect } from 'node:util';
import { expect } from 'chai';
import fc from 'fast-check';
import { createChains } from '../../../adapters/chain/chains.ts';
import { rpcLimits } from '../../../adapters/chain/rpc.ts';
import type { Chain } from '../../../core/ports/chain.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { type Anvil, anvil, anvilChain, startAnvil } from '../../support/anvil.ts';
import { errorOf } from '../../support/error-of.ts';
import { must } from '../../support/license-acts.ts';
import { needing } from '../../support/required-service.ts';
import {
  type Fault,
  faults,
  itself,
  lying,
  narrow,
  type RpcDouble,
  SaysNo,
  startRpcDouble,
} from '../../support/rpc-double.ts';
import { runs } from '../../support/runs.ts';
import { contracts, word } from '../../support/solidity.ts';

const secret = 's3cr3t';

needing(anvil.skip).describe('a chain with one RPC that does not do what it should', () => {
  let real: Anvil;
  let double: RpcDouble;
  let dex: { txHash: string; address: string };
  let first: number;
  let last: number;

  before(async () => {
    real = await startAnvil();
    double = await startRpcDouble(real.url);
    const { Dex } = contracts();
    dex = await real.deploy(Dex.creation);
    first = Number(await real.call('eth_blockNumber'));
    for (let n = 0; n < 9; n++) await real.send({ to: dex.address, data: `${Dex.selectors.swap}${word(n)}` });
    last = Number(await real.call('eth_blockNumber'));
  });
  beforeEach(() => {
    double.fault = undefined;
    double.calls.length = 0;
  });
  after(async () => {
    await double[Symbol.asyncDispose]();
    await real[Symbol.asyncDispose]();
  });

  /** Opens the chain with a secret in the address of its RPC, as most have one. */
  async function withChain<T>(
    work: (chain: Chain) => Promise<T>,
    { timeout = rpcLimits.timeout, chainId = anvilChain } = {},
  ): Promise<T> {
    const address = `${double.url.replace('//', `//ada:${secret}@`)}/v2/${secret}?key=${secret}`;
    const chains = createChains({
      urls: new Map([[chainId, [address]]]),
      limits: { ...rpcLimits, timeout },
    });
    try {
      return await work(must(chains.get(chainId)));
    } finally {
      await chains.close();
    }
  }

  const swaps = () => ({ address: dex.address, topics: [], from: first, to: last });
  /** One call of each kind. */
  const calls: Readonly<Record<string, (chain: Chain) => Promise<unknown>>> = {
    receipt: (chain) => chain.receipt(dex.txHash),
    block: (chain) => chain.block('latest'),
    logs: (chain) => chain.logs(swaps()),
    code: (chain) => chain.code(dex.address, last),
    slot: (chain) => chain.slot(dex.address, `0x${word(0)}`, last),
  };

  /** Makes every call, each of which must fail as an outage, and without a secret. Returns the messages. */
  async function failures(fault: Fault | undefined, options?: Parameters<typeof withChain>[1]): Promise<string[]> {
    double.fault = fault;
    const messages: string[] = [];
    for (const [name, call] of Object.entries(calls)) {
      const error = await withChain((chain) => errorOf(call(chain)), options);
      expect(error, name).to.be.instanceOf(Unavailable);
      expect(inspect(error), name).to.not.include(secret);
      expect(JSON.stringify(error), name).to.not.include(secret);
      messages.push(error instanceof Error ? error.message : '');
    }
    return messages;
  }

  it('is unavailable in time if the RPC says nothing, or stops in the middle', async () => {
    for (const message of await failures(faults.silent, { timeout: 50 }))
      expect(message).to.equal(`RPC 1 of chain ${anvilChain} did not answer in time.`);
    const stops: Fault = (_, __, response) => {
      response.writeHead(200, { 'content-length': 1_000 }).write('{"jsonrpc":"2.0",');
      return itself;
    };
    for (const message of await failures(stops, { timeout: 50 })) expect(message).to.match(/in time/);
  });

  it('is unavailable if the RPC takes no more calls', async () => {
    for (const message of await failures(faults.busy)) expect(message).to.match(/no more calls .*429/);
  });

  it('reads no more of an answer than it may have', async () => {
    let written = 0;
    const counted: Fault = async (call, ask, response) => {
      const write = response.write.bind(response);
      response.write = ((chunk: Buffer) => {
        written += chunk.length;
        return write(chunk);
      }) as typeof response.write;
      return await faults.huge(call, ask, response);
    };
    for (const message of await failures(counted)) expect(message).to.match(/more than 8388608 bytes/);
    const each = written / double.calls.filter(({ method }) => method !== 'eth_chainId').length;
    expect(each).to.be.below(50 * 1024 * 1024);
  });

  it('is unavailable if the RPC refuses, whatever it says, and shows nothing of that', async () => {
    const refuses: Fault = ({ method }, ask) => {
      if (method === 'eth_chainId') return ask();
      throw new SaysNo(-32_602, `no access for https://rpc.example/v2/${secret}`);
    };
    for (const message of await failures(refuses))
      expect(message).to.match(/^RPC 1 of chain \d+ refused eth_\w+ \(code -32602\)\.$/);
  });

  it('is unavailable if the answer is no JSON, a page or a redirect', async () => {
    for (const [status, body] of [
      [200, `<html>${secret}</html>`],
      [200, '{}x'],
      [200, '[]'],
      [302, ''],
      [500, 'broken'],
      [200, ''],
    ] as const) {
      await failures((_, __, response) => {
        response.writeHead(status, { location: `https://rpc.example/${secret}` }).end(body);
        return itself;
      });
    }
  });

  it('is unavailable if the connection is cut', async () => {
    const cuts: Fault = (_, __, response) => {
      response.destroy();
      return itself;
    };
    for (const message of await failures(cuts)) expect(message).to.match(/cannot be reached \([A-Z_]+\)/);
  });

  it('is unavailable if the RPC serves another chain, until that is corrected', async () => {
    for (const message of await failures(undefined, { chainId: 8453 }))
      expect(message).to.equal(`RPC 1 of chain 8453 serves chain ${anvilChain}: correct CHAINS.`);
    await withChain(async (chain) => {
      double.fault = lying('eth_chainId', () => '0x1');
      expect(await errorOf(chain.block('latest'))).to.be.instanceOf(Unavailable);
      double.fault = undefined;
      expect((await chain.block('latest'))?.number).to.equal(last);
    });
  });

  it('never throws anything else, and never returns anything in another form, whatever the result is', async () => {
    const value = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom('0x', '0x1', '0xzz', `0x${'0'.repeat(64)}`));
    const shape = fc.dictionary(
      fc.constantFrom('number', 'hash', 'timestamp', 'status', 'logs', 'blockHash', 'blockNumber', 'transactionHash'),
      value,
    );
    await withChain(async (chain) => {
      await chain.block('latest');
      await fc.assert(
        fc.asyncProperty(fc.oneof(value, shape), fc.constantFrom(...Object.keys(calls)), async (result, name) => {
          double.fault = () => result;
          try {
            const answer = await must(calls[name])(chain);
            const isKnown = answer === undefined || typeof answer === 'string' || (answer as object) !== null;
            expect(isKnown).to.equal(true);
            if (typeof answer === 'string') expect(answer).to.match(/^0x(?:[0-9a-f]{2})*$/);
          } catch (error) {
            expect(error).to.be.instanceOf(Unavailable);
          }
        }),
        { numRuns: runs(400) },
      );
    });
  });

  it('sends a user and password of the address in a header', async () => {
    await withChain((chain) => chain.block('latest'));
    expect(double.headers.authorization).to.equal(`Basic ${Buffer.from(`ada:${secret}`).toString('base64')}`);
  });

  it('halves a range of logs until the RPC takes it, and finds the same logs', async () => {
    const all = await withChain((chain) => chain.logs(swaps()));
    expect(all.logs).to.have.lengthOf(9);
    for (const blocks of [1, 2, 3, 7]) {
      double.fault = narrow(blocks);
      expect(await withChain((chain) => chain.logs(swaps())), String(blocks)).to.deep.equal(all);
    }
    const large: Fault = async (call, ask, response) => {
      const isWide = call.method === 'eth_getLogs' && call.params[0].fromBlock !== call.params[0].toBlock;
      return isWide ? await faults.huge(call, ask, response) : await ask();
    };
    double.fault = large;
    expect(await withChain((chain) => chain.logs({ ...swaps(), to: first + 1 }))).to.deep.equal({
      logs: all.logs.slice(0, 1),
      through: first + 1,
    });
  });

  it('asks an RPC that refuses every range only a few times', async () => {
    await real.mine(1_000);
    double.fault = narrow(0);
    const error = await withChain((chain) => errorOf(chain.logs({ ...swaps(), to: last + 1_000 })));
    expect(error).to.be.instanceOf(Unavailable);
    expect(double.calls.filter(({ method }) => method === 'eth_getLogs').length).to.be.below(13);
  });

  it('does not believe logs that nobody asked for, that are there twice, or of a block that is not in the chain', async () => {
    // biome-ignore lint/suspicious/noExplicitAny: what the RPC sends.
    const wrong: Readonly<Record<string, (logs: any[]) => unknown[]>> = {
      'another contract': ([one, ...rest]) => [{ ...one, address: `0x${'12'.repeat(20)}` }, ...rest],
      'another topic': ([one, ...rest]) => [{ ...one, topics: [`0x${word(7)}`] }, ...rest],
      'no topic': ([one, ...rest]) => [{ ...one, topics: [] }, ...rest],
      'another block': ([one, ...rest]) => [{ ...one, blockHash: `0x${word(7)}` }, ...rest],
      'a later block': ([one, ...rest]) => [{ ...one, blockNumber: '0xffff' }, ...rest],
      'taken back': ([one, ...rest]) => [{ ...one, removed: true }, ...rest],
      twice: (logs) => [...logs, logs[0]],
    };
    const topic = must((await withChain((chain) => chain.logs(swaps()))).logs[0]?.topics[0]);
    for (const [name, change] of Object.entries(wrong)) {
      double.fault = lying('eth_getLogs', change);
      const error = await withChain((chain) => errorOf(chain.logs({ ...swaps(), topics: [topic] })));
      expect(error, name).to.be.instanceOf(Unavailable);
    }
  });

  it('does not believe a receipt of another transaction, a block of another number, or logs of another block', async () => {
    const other = `0x${word(9)}`;
    const lies: readonly [Fault, (chain: Chain) => Promise<unknown>][] = [
      [lying('eth_getTransactionReceipt', (one) => ({ ...one, transactionHash: other })), must(calls.receipt)],
      [lying('eth_getTransactionReceipt', (one) => ({ ...one, status: '0x2' })), must(calls.receipt)],
      [lying('eth_getBlockByNumber', (one) => ({ ...one, number: '0x1' })), (chain) => chain.block(last)],
    ];
    for (const [fault, call] of lies) {
      double.fault = fault;
      expect(await withChain((chain) => errorOf(call(chain)))).to.be.instanceOf(Unavailable);
    }
  });

  it('returns nothing about the past that the RPC no longer has, and what it still has', async () => {
    double.fault = faults.forgetful;
    await withChain(async (chain) => {
      expect(await chain.code(dex.address, first)).to.equal(undefined);
      expect(await chain.slot(dex.address, `0x${word(0)}`, first)).to.equal(undefined);
      const head = must(await chain.block('latest')).number;
      expect(await chain.code(dex.address, head)).to.equal(contracts().Dex.runtime);
    });
  });

  it('takes an unknown block for none, however the RPC says it', async () => {
    const says = (code: number, message: string): Fault => {
      return ({ method }, ask) => {
        if (method === 'eth_getBlockByNumber') throw new SaysNo(code, message);
        return ask();
      };
    };
    for (const [code, message] of [
      [-39_001, 'Unknown block'],
      [-32_000, 'header not found'],
      [-32_000, 'finalized block not found'],
    ] as const) {
      double.fault = says(code, message);
      expect(await withChain((chain) => chain.block('finalized'))).to.equal(undefined);
    }
  });
});
