import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** A call of JSON-RPC. */
export interface RpcCall {
  readonly method: string;
  // biome-ignore lint/suspicious/noExplicitAny: each method has its own parameters.
  readonly params: readonly any[];
}

/** Answers instead of the real RPC. `real` asks that one, by default the same. */
export type Fault = (
  call: RpcCall,
  // biome-ignore lint/suspicious/noExplicitAny: each method has its own result.
  real: (other?: RpcCall) => Promise<any>,
  response: ServerResponse,
) => Promise<unknown> | unknown;

/** The fault has answered itself, or will never answer. */
export const itself = Symbol('itself');

/** Makes the double answer with an error of JSON-RPC. */
export class SaysNo extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** An RPC in front of a real one, with a fault that can be changed. */
export interface RpcDouble extends AsyncDisposable {
  readonly url: string;
  /** The calls so far. */
  readonly calls: RpcCall[];
  /** The headers of the last request. */
  headers: NodeJS.Dict<string | string[]>;
  fault: Fault | undefined;
}

export async function startRpcDouble(behind: string, fault?: Fault): Promise<RpcDouble> {
  const sockets = new Set<Socket>();
  const server = createServer(async (request, response) => {
    double.headers = request.headers;
    let body = '';
    for await (const chunk of request) body += chunk;
    const asked: RpcCall & { id: number } = JSON.parse(body);
    double.calls.push({ method: asked.method, params: asked.params });
    const real = async (other: RpcCall = asked) => {
      const answer = await fetch(behind, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: other.method, params: other.params }),
      });
      const { result, error } = (await answer.json()) as { result: unknown; error?: { code: number; message: string } };
      if (error) throw new SaysNo(error.code, error.message);
      return result;
    };
    const end = (content: object) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id: asked.id, ...content }));
    try {
      const result = double.fault ? await double.fault(asked, real, response) : await real();
      if (result !== itself) end({ result });
    } catch (error) {
      if (!(error instanceof SaysNo)) throw error;
      end({ error: { code: error.code, message: error.message } });
    }
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const double: RpcDouble = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    headers: {},
    fault,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  return double;
}

const quantityOf = (number: number) => `0x${number.toString(16)}`;
const headOf = async (real: Parameters<Fault>[1]) => Number(await real({ method: 'eth_blockNumber', params: [] }));

/** Faults of RPCs. */
export const faults = {
  silent: () => itself,
  busy(_, __, response) {
    response.writeHead(429, { 'content-type': 'text/plain' }).end('Too many requests for key s3cr3t');
    return itself;
  },
  /** Sends 50 MB where a result should be. */
  async huge({ method }, real, response) {
    if (method === 'eth_chainId') return await real();
    const megabyte = Buffer.alloc(1024 * 1024, 'a');
    const parts = ['{"jsonrpc":"2.0","id":1,"result":"0x', ...Array<Buffer>(50).fill(megabyte), '"}'];
    response.writeHead(200, { 'content-type': 'application/json' });
    // The reader closes the connection in the middle.
    await pipeline(Readable.from(parts), response).catch(() => undefined);
    return itself;
  },
  /** Keeps the state of the newest block only: nodes that are no archives keep some hours. */
  async forgetful(call, real) {
    if (['eth_getCode', 'eth_getStorageAt'].includes(call.method) && Number(call.params.at(-1)) < (await headOf(real)))
      throw new SaysNo(-32_000, 'missing trie node 0a1b (path ) <nil>');
    return await real();
  },
} as const satisfies Record<string, Fault>;

/** An RPC that is so many blocks behind, and refuses ranges that end after its newest block. */
export const lagging =
  (blocks: number): Fault =>
  async (call, real) => {
    const head = (await headOf(real)) - blocks;
    const [first] = call.params;
    switch (call.method) {
      case 'eth_getBlockByNumber': {
        if (first === 'latest') return await real({ ...call, params: [quantityOf(head), false] });
        const block = await real();
        return block === null || Number(block.number) > head ? null : block;
      }
      case 'eth_getTransactionReceipt': {
        const receipt = await real();
        return receipt === null || Number(receipt.blockNumber) > head ? null : receipt;
      }
      case 'eth_getLogs':
        if (Number(first.toBlock) > head) throw new SaysNo(-32_000, 'block range extends beyond current head block');
        return await real();
      default:
        return await real();
    }
  };

/** An RPC that changes the results of one method. */
export const lying =
  // biome-ignore lint/suspicious/noExplicitAny: each method has its own result.
    (about: string, change: (result: any) => unknown): Fault =>
    async ({ method }, real) => {
      const result = await real();
      return method === about ? change(result) : result;
    };

/** An RPC that refuses to search more than so many blocks at once. */
export const narrow =
  (blocks: number): Fault =>
  async ({ method, params: [first] }, real) => {
    if (method === 'eth_getLogs' && Number(first.toBlock) - Number(first.fromBlock) >= blocks)
      throw new SaysNo(-32_005, 'query returned more than 10000 results, see https://rpc.example/s3cr3t');
    return await real();
  };
