import type { Block, Chain, Outcome } from '../../core/ports/chain.ts';
import { Unavailable } from '../../core/unavailable.ts';
import type { ChainNode } from './node.ts';

/** The kinds of answers that are compared between RPCs. */
export const subjects = ['receipt', 'block', 'logs', 'code', 'storage'] as const;
export type Subject = (typeof subjects)[number];

/** The answer of one RPC. */
interface Answer<T> {
  readonly node: ChainNode;
  readonly said: T;
}

/**
 * A chain of which every RPC is asked, at the same time. `disagreed` is called when they contradict each other: one of them
 * is on another branch, or lies.
 */
export function createAgreedChain(
  nodes: readonly ChainNode[],
  name: string,
  disagreed: (about: Subject) => void,
): Chain {
  const needed = Math.min(nodes.length, 2);

  function contradiction(about: Subject): Unavailable {
    disagreed(about);
    return new Unavailable(`The RPCs of ${name} do not agree: ${about}.`);
  }

  /** Asks all RPCs. Returns the answers, and throws if fewer than needed have answered. */
  async function all<T>(ask: (node: ChainNode) => Promise<T>): Promise<readonly Answer<T>[]> {
    const ends = await Promise.allSettled(nodes.map(async (node) => ({ node, said: await ask(node) })));
    const answers = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
    if (answers.length >= needed) return answers;
    throw ends.find((end) => end.status === 'rejected')?.reason ?? new Unavailable(`${name} has no RPC.`);
  }

  /** Returns the answer on which all agree, or `undefined` if too few RPCs know it. */
  async function same<T>(about: Subject, ask: (node: ChainNode) => Promise<T | undefined>): Promise<T | undefined> {
    const known = (await all(ask)).flatMap(({ said }) => (said === undefined ? [] : [said]));
    if (known.some((one) => !isEqual(one, known[0]))) throw contradiction(about);
    return known.length >= needed ? known[0] : undefined;
  }

  /** Returns the block with a number, or `undefined` if one of the RPCs that answered does not know it. */
  async function blockAt(number: number): Promise<Block | undefined> {
    const answers = await all((node) => node.block(number));
    const known = answers.flatMap(({ said }) => said ?? []);
    if (known.some(({ hash }) => hash !== known[0]?.hash)) throw contradiction('block');
    return known.length === answers.length ? known[0] : undefined;
  }

  /** Returns the result of a transaction, or `undefined` if one of the RPCs that answered does not know it yet. */
  async function result<T extends Outcome>(ask: (node: ChainNode) => Promise<T | undefined>): Promise<T | undefined> {
    const answers = await all(ask);
    const first = answers.find(({ said }) => said !== undefined)?.said;
    if (first === undefined) return undefined;
    if (answers.some(({ said }) => said !== undefined && !isEqual(said, first))) throw contradiction('receipt');
    const without = answers.filter(({ said }) => said === undefined);
    // Whoever knows the block must know the receipt. The others only lag behind.
    const blocks = await Promise.all(without.map(({ node }) => node.block(first.blockNumber)));
    if (blocks.some((block) => block !== undefined)) throw contradiction('receipt');
    return without.length === 0 ? first : undefined;
  }

  return {
    hasWitness: nodes.length > 1,

    receipt: (txHash) => result((node) => node.receipt(txHash)),
    outcome: (txHash) => result((node) => node.outcome(txHash)),

    async block(which) {
      if (typeof which === 'number') return await blockAt(which);
      const answers = await all((node) => node.block(which));
      const known = answers.flatMap(({ said }) => said ?? []);
      if (known.length < answers.length) return undefined;
      const lowest = known.reduce((low, one) => (one.number < low.number ? one : low));
      return nodes.length === 1 ? lowest : await blockAt(lowest.number);
    },

    async logs(filter) {
      const heads = await all(async (node) => (await node.block('latest'))?.number ?? -1);
      const through = Math.min(filter.to, ...heads.map(({ said }) => said));
      if (through < filter.from) return { logs: [], through: filter.from - 1 };
      const logs = await same('logs', (node) => node.logs({ ...filter, to: through }));
      return { logs: logs ?? [], through };
    },

    code: (address, number) => same('code', (node) => node.code(address, number)),
    slot: (address, slot, number) => same('storage', (node) => node.slot(address, slot, number)),
    async call(address, data, number) {
      // A contract may return something else each time, so different results do not mean that an RPC lies.
      const answers = await all((node) => node.call(address, data, number));
      return answers.every(({ said }) => said === answers[0]?.said) ? answers[0]?.said : undefined;
    },
  };
}

/** Compares two answers. The same parser has read both, so their fields have the same order. */
function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
