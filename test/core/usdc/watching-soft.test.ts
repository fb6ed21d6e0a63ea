import { expect } from 'chai';
import type { Block, Chain, Outcome } from '../../../core/ports/chain.ts';
import type { StoredTransfer } from '../../../core/ports/usdc-store.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { softAmong } from '../../../core/usdc/watching-soft.ts';

const address = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';

function transfer(blockNumber: number, more: Partial<StoredTransfer> = {}): StoredTransfer {
  return {
    ...{ txHash: `0xaa${blockNumber}`, logIndex: 0, blockNumber, blockHash: `0xbb${blockNumber}` },
    ...{ from: address, to: address, amount: 20_000, quoteId: 1, isFinal: false, isSoft: false },
    ...more,
  };
}

/** A chain that has each of these transfers in its own block, except what is said otherwise. */
function chainThat(more: {
  readonly hasWitness?: boolean;
  readonly block?: (number: number) => Partial<Block> | undefined;
  readonly outcome?: (txHash: string) => Partial<Outcome> | undefined;
}) {
  const asked: string[] = [];
  const { hasWitness = true, block = () => ({}), outcome = () => ({}) } = more;
  const chain = {
    hasWitness,
    async block(number: number) {
      asked.push(`block ${number}`);
      const own = block(number);
      return own && { number, hash: `0xbb${number}`, at: 0, ...own };
    },
    async outcome(txHash: string) {
      asked.push(txHash);
      const number = Number(txHash.slice(4));
      const own = outcome(txHash);
      return own && { txHash, succeeded: true, blockNumber: number, blockHash: `0xbb${number}`, created: null, ...own };
    },
  } as unknown as Chain;
  return { chain, asked };
}

const softIn = async (more: Parameters<typeof chainThat>[0], ...transfers: readonly StoredTransfer[]) =>
  (await softAmong(chainThat(more).chain, transfers, 7)).map(({ txHash }) => txHash);

describe('whether a payment in USDC is soft', () => {
  it('depends on its block, and the same block is asked for once', async () => {
    const { chain, asked } = chainThat({});
    const all = [transfer(6), transfer(7), transfer(7, { txHash: '0xcc7' }), transfer(8)];
    const soft = await softAmong(chain, all, 7);
    expect(soft).to.deep.equal(all.slice(0, 3));
    expect(asked).to.deep.equal(['block 6', '0xaa6', 'block 7', '0xaa7', '0xcc7']);
  });

  it('is not asked of what is soft or final already, and of nobody if there is a single RPC', async () => {
    const { chain, asked } = chainThat({});
    await softAmong(chain, [transfer(6, { isSoft: true }), transfer(5, { isFinal: true })], 7);
    const alone = chainThat({ hasWitness: false });
    expect(await softAmong(alone.chain, [transfer(6)], 7)).to.deep.equal([]);
    expect([...asked, ...alone.asked]).to.deep.equal([]);
  });

  it('is denied by another block, another result, a failed transaction, and by what is not known', async () => {
    expect(await softIn({ block: () => ({ hash: '0xother' }) }, transfer(6))).to.deep.equal([]);
    expect(await softIn({ block: () => undefined }, transfer(6))).to.deep.equal([]);
    expect(await softIn({ outcome: () => ({ blockHash: '0xother' }) }, transfer(6))).to.deep.equal([]);
    expect(await softIn({ outcome: () => ({ succeeded: false }) }, transfer(6))).to.deep.equal([]);
    expect(await softIn({ outcome: () => undefined }, transfer(6))).to.deep.equal([]);
  });

  it('is not known if the RPCs do not agree, which holds up no other payment, and is given up after some faults', async () => {
    const fails = (txHash: string) => {
      throw new Unavailable(`The RPCs do not agree: ${txHash}.`);
    };
    const outcome = (txHash: string) => (txHash === '0xaa5' ? fails(txHash) : {});
    expect(await softIn({ outcome }, transfer(5), transfer(6))).to.deep.equal(['0xaa6']);
    const { chain, asked } = chainThat({ outcome: fails });
    const many = [1, 2, 3, 4, 5].map((number) => transfer(number));
    expect(await softAmong(chain, many, 7)).to.deep.equal([]);
    expect(asked.filter((one) => one.startsWith('0x'))).to.have.length(3);
  });
});
