import type { Chain, Chains } from '../../core/ports/chain.ts';
import { createAgreedChain, type Subject } from './agreed.ts';
import { createChainNode } from './node.ts';
import { type CallEnd, createRpc, type Rpc, type RpcLimits } from './rpc.ts';

/** The addresses of RPCs, by the id of their chain. They can contain secrets. */
export type RpcUrls = ReadonlyMap<number, readonly string[]>;

interface ChainsOptions {
  readonly urls: RpcUrls;
  /** For tests. */
  readonly limits?: RpcLimits;
  readonly observe?: {
    called(chainId: number, rpc: number, end: CallEnd): void;
    disagreed(chainId: number, about: Subject): void;
  };
}

/** Chains that are asked by JSON-RPC over HTTP. Connects with the first call. `close` ends all connections. */
export function createChains({ urls, limits, observe }: ChainsOptions): Chains & { close(): Promise<void> } {
  const rpcs: Rpc[] = [];
  const chains = new Map<number, Chain>();
  for (const [chainId, addresses] of urls) {
    const nodes = addresses.map((url, n) => {
      const number = n + 1;
      const rpc = createRpc({
        ...{ chainId, number, url },
        ...(limits && { limits }),
        observe: (end) => observe?.called(chainId, number, end),
      });
      rpcs.push(rpc);
      return createChainNode(rpc);
    });
    chains.set(
      chainId,
      createAgreedChain(nodes, `chain ${chainId}`, (about) => observe?.disagreed(chainId, about)),
    );
  }
  return {
    ids: [...chains.keys()],
    get: (chainId) => chains.get(chainId),
    async close() {
      await Promise.all(rpcs.map((rpc) => rpc.close()));
    },
  };
}
