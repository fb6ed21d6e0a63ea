import { createServer as createHttp, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createHttps, type ServerOptions } from 'node:https';
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** A request as the receiver got it. */
export interface ReceivedWebhook {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface WebhookReceiver extends AsyncDisposable {
  readonly port: number;
  readonly received: readonly ReceivedWebhook[];
  /** Connections ever made. */
  readonly connections: () => number;
  readonly open: () => number;
}

/** Answers a request. The body has been read. */
export type Behaviour = (response: ServerResponse, request: ReceivedWebhook, socket: Socket) => void | Promise<void>;

export const answers =
  (status = 204, headers: Readonly<Record<string, string>> = {}, body = ''): Behaviour =>
  (response) =>
    void response.writeHead(status, headers).end(body);
export const hangs: Behaviour = () => undefined;
export const cutsOff: Behaviour = (_, __, socket) => void socket.destroy();
/** Writes raw bytes instead of an answer, and closes. */
export const says =
  (text: string): Behaviour =>
  (_, __, socket) =>
    void socket.end(text);
/** Sends one byte after the other, without end. */
export const dripsHead: Behaviour = (_, __, socket) => drip(socket, 'HTTP/1.1 200 OK\r\nX-Filler: ', 'x');
export const dripsBody: Behaviour = (_, __, socket) =>
  drip(socket, 'HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n', 'y');
/** Answers with a body of this many bytes. `sent` counts what was written. */
export const sendsBytes =
  (bytes: number, sent: { count: number }): Behaviour =>
  async (response, _, socket) => {
    const chunk = Buffer.alloc(65_536, 'z');
    response.writeHead(200, { 'content-length': bytes });
    const closed = new Promise((resolve) => socket.once('close', resolve));
    while (sent.count < bytes && !socket.destroyed) {
      sent.count += chunk.length;
      if (!response.write(chunk))
        await Promise.race([new Promise((resolve) => response.once('drain', resolve)), closed]);
    }
  };

async function drip(socket: Socket, begin: string, filler: string): Promise<void> {
  socket.write(begin);
  while (!socket.destroyed) {
    socket.write(filler);
    await setTimeout(5);
  }
}

/** Starts a receiver on a free port of 127.0.0.1. With `tls`, it speaks only TLS. */
export async function startReceiver(
  behave: Behaviour = answers(),
  { tls, host = '127.0.0.1' }: { readonly tls?: ServerOptions; readonly host?: string } = {},
): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const listener: RequestListener = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const one = {
      method: request.method,
      path: request.url,
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    };
    received.push(one);
    await behave(response, one, request.socket);
  };
  const server = tls ? createHttps(tls, listener) : createHttp(listener);
  return { ...(await watched(server, host)), received };
}

/** Starts a server that does this with each connection, without HTTP. */
export async function startRaw(connected: (socket: Socket) => void = () => undefined): Promise<WebhookReceiver> {
  return { ...(await watched(createTcp(connected), '127.0.0.1')), received: [] };
}

async function watched(server: Server, host: string) {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    open: () => sockets.size,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
