import type { Registry } from 'prom-client';
import Counter from 'prom-client/lib/counter.js';

/** The metrics of the RPCs of chains. */
export interface ChainInstruments {
  /** `rpc` is the place of the RPC in the setting, from 1. `end` is how the call ended. */
  chainCalled(chainId: number, rpc: number, end: string): void;
  /** `about` is what the RPCs of a chain contradict each other about. Once with 0 `times`, so that the first one shows as a rise. */
  chainDisagreed(chainId: number, about: string, times?: number): void;
}

export function createChainInstruments(registry: Registry): ChainInstruments {
  const registers = [registry];
  const calls = new Counter({
    name: 'latchkey_chain_calls_total',
    help: 'Calls of RPCs of chains by outcome: answered, refused, or failed (no usable answer). rpc is the place in CHAINS, from 1.',
    labelNames: ['chain', 'rpc', 'outcome'] as const,
    registers,
  });
  const disagreements = new Counter({
    name: 'latchkey_chain_disagreements_total',
    help: 'How often the RPCs of a chain contradicted each other. Nothing was believed then. One of them lies, or is on another branch.',
    labelNames: ['chain', 'about'] as const,
    registers,
  });
  return {
    chainCalled: (chain, rpc, outcome) => calls.inc({ chain, rpc, outcome }),
    chainDisagreed: (chain, about, times = 1) => disagreements.inc({ chain, about }, times),
  };
}
