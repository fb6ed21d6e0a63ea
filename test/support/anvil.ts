import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { until } from './eventually.ts';
import { requiredService } from './required-service.ts';

/** The program anvil, a chain for tests. */
export const anvil = requiredService('TEST_ANVIL', 'program anvil');

/** The chain id that anvil has. */
export const anvilChain = 31_337;

/** A block is safe when one block follows, and final when two do, if a test says nothing else. */
export const blocksUntil = { safe: 1, final: 2 } as const;

interface Transaction {
  readonly to?: string;
  readonly data: string;
}

/** A chain on this machine. It makes a block for each transaction. */
export interface Anvil extends AsyncDisposable {
  readonly url: string;
  /** Calls the chain directly. */
  call<T = string>(method: string, ...params: unknown[]): Promise<T>;
  /** Makes so many empty blocks. */
  mine(blocks?: number): Promise<void>;
  /** Sends a transaction, and returns its hash. */
  submit(transaction: Transaction): Promise<string>;
  /** The same, and waits until it is in a block. */
  send(transaction: Transaction): Promise<string>;
  /** Deploys a contract. */
  deploy(code: string): Promise<{ readonly txHash: string; readonly address: string }>;
  /** Replaces the newest blocks by as many empty ones, with other hashes. */
  reorganize(depth: number): Promise<void>;
}

/** The first account of anvil, which has money. */
const sender = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';

/** `startsAt`: the time of its first block, in milliseconds. `safeAfter`: the blocks until a block is safe. It is final after twice as many. */
export async function startAnvil({
  chainId = anvilChain,
  startsAt = Date.now(),
  safeAfter = blocksUntil.safe,
}: {
  readonly chainId?: number;
  readonly startsAt?: number;
  readonly safeAfter?: number;
} = {}): Promise<Anvil> {
  const times = ['--slots-in-an-epoch', String(safeAfter), '--timestamp', String(Math.floor(startsAt / 1_000))];
  const child = spawn(anvil.url ?? '', ['--port', '0', '--chain-id', String(chainId), ...times], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  let port: string | undefined;
  for await (const chunk of child.stdout) {
    text += chunk;
    port = /Listening on 127\.0\.0\.1:(\d+)/.exec(text)?.[1];
    if (port !== undefined) break;
  }
  if (port === undefined) throw new Error(`anvil did not start: ${text}`);
  child.stdout.resume();
  const url = `http://127.0.0.1:${port}`;

  async function call<T>(method: string, ...params: unknown[]): Promise<T> {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result: T; error?: { message: string } };
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }
  // With its own limit of gas, a transaction that fails is sent all the same.
  const submit = (transaction: Transaction) =>
    call<string>('eth_sendTransaction', { from: sender, gas: '0x4c4b40', ...transaction });
  const receiptOf = (txHash: string) => call<{ contractAddress: string } | null>('eth_getTransactionReceipt', txHash);
  async function send(transaction: Transaction): Promise<string> {
    const txHash = await submit(transaction);
    await until(async () => (await receiptOf(txHash)) !== null);
    return txHash;
  }
  return {
    url,
    call,
    submit,
    send,
    async mine(blocks = 1) {
      await call('anvil_mine', `0x${blocks.toString(16)}`);
    },
    async deploy(code) {
      const txHash = await send({ data: code });
      return { txHash, address: (await receiptOf(txHash))?.contractAddress ?? '' };
    },
    async reorganize(depth) {
      await call('anvil_reorg', depth, []);
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
