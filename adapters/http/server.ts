import { createServer, type RequestListener, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { bodyOf, Failure, type FailureReason, failures } from './failures.ts';

export interface HttpServer {
  /** Port 0 takes any free port. Rejects where the port cannot be had. */
  listen(port: number, host: string): Promise<AddressInfo>;
  /** Stops accepting, lets what is in flight finish, and after the grace period (milliseconds) cuts off what is left. */
  close(grace: number): Promise<void>;
}

/** A server that does not wait for ever for a slow client. */
export function createHttpServer(listener: RequestListener, timeouts: { readonly request: number }): HttpServer {
  const server = createServer(
    {
      headersTimeout: Math.min(10_000, timeouts.request),
      requestTimeout: timeouts.request,
      keepAliveTimeout: 72_000,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: 32_768,
    },
    (request, response) => {
      response.shouldKeepAlive &&= !closing;
      inFlight.set(request.socket, response);
      response.on('close', forget);
      listener(request, response);
    },
  );
  let closing = false;
  // One entry for each connection as long as it lives: what a Set or Map outgrew points to what it holds later, so that entries that
  // come and go with the responses would let the collector carry each of them into the old generation.
  const inFlight = new Map<Socket, ServerResponse | undefined>();
  function forget(this: ServerResponse): void {
    if (inFlight.get(this.req.socket) === this) inFlight.set(this.req.socket, undefined);
  }
  server.on('connection', (socket) => socket.once('close', () => inFlight.delete(socket)));
  server.on('clientError', refuseUnreadable);
  return {
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          const address = server.address();
          if (address === null || typeof address === 'string') throw new Error('The server has no port.');
          resolve(address);
        });
      }),
    close: (grace) =>
      new Promise((resolve, reject) => {
        closing = true;
        for (const response of inFlight.values()) if (response) response.shouldKeepAlive = false;
        if (!server.listening) return resolve();
        const cut = setTimeout(() => server.closeAllConnections(), grace);
        server.close((error) => {
          clearTimeout(cut);
          error ? reject(error) : resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

const unreadable: Readonly<Record<string, FailureReason>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** What never became a request is answered in an envelope too. */
function refuseUnreadable(error: Error & { code?: string }, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const reason = unreadable[error.code ?? ''] ?? 'bad_request';
  const { status } = failures[reason];
  const body = JSON.stringify(bodyOf(new Failure(reason), 'license'));
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
