import type { Agent } from 'undici';
import type { z } from 'zod';
import { Unavailable } from '../../core/unavailable.ts';
import { createWithin } from '../within.ts';
import { envelope, quantity } from './answers.ts';

/** The limits of one call. */
export interface RpcLimits {
  /** The most milliseconds until the whole answer is there. */
  readonly timeout: number;
  /** The most bytes of an answer. */
  readonly mostBytes: number;
}

export const rpcLimits: RpcLimits = { timeout: 10_000, mostBytes: 8 * 1024 * 1024 };

/** How a call ended. `refused`: the RPC understood it, and said no. */
export type CallEnd = 'answered' | 'refused' | 'failed';

export interface RpcOptions {
  readonly chainId: number;
  /** Its place in the setting, from 1. Messages name it by this number, because its address can contain a secret. */
  readonly number: number;
  readonly url: string;
  readonly limits?: RpcLimits;
  observe?(end: CallEnd): void;
}

/** The RPC understood the call, and said no, or its answer would be too large. A smaller question may help. */
export class RpcRefused extends Unavailable {
  override readonly name = 'RpcRefused';
  /** What the RPC said. Never show it: it can contain the address with its secret. */
  readonly said: { readonly code: number; readonly text: string };

  constructor(message: string, said: RpcRefused['said']) {
    super(message);
    this.said = said;
    // Loggers print the other fields of errors.
    Object.defineProperty(this, 'said', { enumerable: false });
  }
}

/** One RPC of a chain. */
export interface Rpc {
  /**
   * Returns the result of a call. `mostBytes`: the maximum size of the answer, if it is smaller than for other calls. Throws `RpcRefused` if
   * the RPC said no, and `Unavailable` if there was no usable answer. The messages contain nothing that the RPC said.
   */
  call<Result>(
    method: string,
    params: readonly unknown[],
    result: z.ZodType<Result>,
    mostBytes?: number,
  ): Promise<Result>;
  close(): Promise<void>;
}

/** Not one of the codes that RPCs use. */
const tooLarge = 413;

export function createRpc({ chainId, number, url, limits = rpcLimits, observe = () => undefined }: RpcOptions): Rpc {
  const name = `RPC ${number} of chain ${chainId}`;
  const within = createWithin(limits.timeout);
  const { address, headers } = withoutUser(new URL(url));
  let agent: Agent | undefined;
  let isRightChain: Promise<void> | undefined;

  async function post(body: string): Promise<{ status: number; text: string }> {
    // Loaded with the first call: it needs a tenth of the time and of the memory of a start.
    const { Agent, request } = await import('undici');
    agent ??= new Agent({ connections: 4, maxResponseSize: limits.mostBytes });
    const dispatcher = agent;
    return await within(async (signal) => {
      // The promise of a body need not end with its signal, so the deadline is also here.
      const late = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
      const answered = async () => {
        const { statusCode, body: answer } = await request(address, {
          method: 'POST',
          headers,
          body,
          dispatcher,
          signal,
        });
        return { status: statusCode, text: await answer.text() };
      };
      return await Promise.race([answered(), late]);
    });
  }

  function sentTooMuch(most: number): RpcRefused {
    return new RpcRefused(`${name} sent more than ${most} bytes.`, { code: tooLarge, text: '' });
  }

  async function ask<Result>(
    method: string,
    params: readonly unknown[],
    result: z.ZodType<Result>,
    mostBytes = limits.mostBytes,
  ): Promise<Result> {
    const { status, text } = await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })).catch((error) => {
      const code = codeOf(error);
      if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') throw sentTooMuch(limits.mostBytes);
      throw new Unavailable(
        error instanceof Unavailable ? `${name} did not answer in time.` : `${name} cannot be reached (${code}).`,
      );
    });
    if (text.length > mostBytes) throw sentTooMuch(mostBytes);
    if (status === 429) throw new Unavailable(`${name} takes no more calls at the moment (status 429).`);
    const answer = envelope.safeParse(parsed(text));
    if (!answer.success) throw new Unavailable(`${name} did not answer ${method} as an RPC does (status ${status}).`);
    if ('error' in answer.data) {
      const { code, message } = answer.data.error;
      throw new RpcRefused(`${name} refused ${method} (code ${code}).`, { code, text: message });
    }
    const read = result.safeParse(answer.data.result);
    if (!read.success) throw new Unavailable(`${name} answered ${method} in another form.`);
    return read.data;
  }

  async function checkChain(): Promise<void> {
    const served = await ask('eth_chainId', [], quantity);
    if (served !== chainId) throw new Unavailable(`${name} serves chain ${served}: correct CHAINS.`);
  }

  return {
    async call(method, params, result, mostBytes) {
      try {
        isRightChain ??= checkChain();
        await isRightChain.catch((error) => {
          isRightChain = undefined;
          throw error;
        });
        const answer = await ask(method, params, result, mostBytes);
        observe('answered');
        return answer;
      } catch (error) {
        observe(error instanceof RpcRefused ? 'refused' : 'failed');
        throw error;
      }
    },
    async close() {
      await agent?.destroy();
    },
  };
}

/** Moves a user and password from the address, where undici does not read them, to a header. */
function withoutUser(url: URL): { address: URL; headers: Record<string, string> } {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  if (url.username === '' && url.password === '') return { address: url, headers };
  const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  const address = new URL(url);
  address.username = '';
  address.password = '';
  return { address, headers: { ...headers, authorization: `Basic ${Buffer.from(user).toString('base64')}` } };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The short name of an error of the network, such as ECONNREFUSED. Its message can contain the address. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z_0-9]{1,60}$/.test(code) ? code : 'no answer';
}
