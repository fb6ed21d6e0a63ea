import { createServer, type RequestListener, type ServerResponse, STATUS_CODES } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { type ConnectionLimits, createConnections } from './connections.ts';
import { licenseEnvelope } from './envelopes.ts';
import { Failure, type FailureReason, failures } from './failures.ts';
import { hangUp } from './hang-up.ts';

export interface HttpServer {
  /** Port 0 takes any free port. Rejects if the port is not available. */
  listen(port: number, host: string): Promise<AddressInfo>;
  /** From now on, every response closes its connection, so that clients connect again, to another server. */
  drain(): void;
  /**
   * Stops accepting connections and waits for requests in flight. After `grace` milliseconds, closes all connections.
   */
  close(grace: number): Promise<void>;
}

/** The default limits: see also `MAX_CONNECTIONS`, `MAX_PIPELINED` and `STALL_TIMEOUT`. */
const defaults: ConnectionLimits = { connections: 5_000, pipelined: 16, ahead: 32, held: 10_000, stall: 120_000 };

/**
 * Over the connection limit, at most this many connections get a 503 at the same time. Others are closed without a
 * response.
 */
const mostRefusals = 100;

/**
 * Time for which idle connections stay open when the server closes, in milliseconds. It is never longer than the grace
 * period.
 */
const lastRequests = 500;

/**
 * Creates a server that limits what clients can use and how slow they can be. `request` is the timeout for receiving a
 * request, in milliseconds.
 */
export function createHttpServer(
  listener: RequestListener,
  { request, ...limits }: { readonly request: number } & Partial<ConnectionLimits>,
): HttpServer {
  const connections = createConnections(listener, { ...defaults, ...limits });
  const server = createServer(
    {
      headersTimeout: Math.min(10_000, request),
      requestTimeout: request,
      keepAliveTimeout: 72_000,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: 32_768,
      requireHostHeader: false, // Each surface checks the Host header and sends its own error format.
    },
    (request, response) => {
      response.shouldKeepAlive &&= !draining;
      connections.take(request, response);
    },
  );
  let draining = false;
  let refusals = 0;
  server.on('connection', (socket) => {
    if (connections.add(socket)) return;
    if (refusals >= mostRefusals) {
      socket.destroy();
      return;
    }
    refusals += 1;
    socket.once('close', () => {
      refusals -= 1;
    });
    refuse(socket, 'service_unavailable');
  });
  server.on('clientError', (error: Error & { code?: string }, socket: Socket) => {
    // If an earlier request has no complete response yet, the client would read this error as part of that response.
    const { unanswered, response } = connections.owed(socket);
    const isAnswer = unanswered === 0 || (unanswered === 1 && response && isUnbegun(response));
    if (!isAnswer || !socket.writable || error.code === 'ECONNRESET') socket.destroy();
    else refuse(socket, unreadable[error.code ?? ''] ?? 'bad_request');
  });

  function drain(): void {
    draining = true;
    for (const socket of connections.sockets()) {
      const { response } = connections.owed(socket);
      if (response) response.shouldKeepAlive = false;
    }
  }

  return {
    drain,
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
        const done = (error?: Error) => {
          connections.stop();
          error ? reject(error) : resolve();
        };
        if (!server.listening) return done();
        // Waits until Node has read the data that is already here. Then drains and closes in one step, so that a client
        // that connects again is refused and not cut off.
        setImmediate(() => {
          drain();
          const cut = setTimeout(() => server.closeAllConnections(), grace);
          // A client may already have sent a request on a connection that looks idle.
          const closeIdle = setTimeout(() => server.close(), Math.min(grace, lastRequests));
          // Unlike `close` of an HTTP server, this one leaves idle connections open.
          NetServer.prototype.close.call(server, (error) => {
            clearTimeout(cut);
            clearTimeout(closeIdle);
            server.close();
            done(error);
          });
        });
      }),
  };
}

const unreadable: Readonly<Record<string, FailureReason>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Whether this response belongs to the request that could not be read completely. */
function isUnbegun(response: ServerResponse): boolean {
  return !response.headersSent && !response.req.complete;
}

/** Sends an error response directly to a socket that has no request object. */
function refuse(socket: Socket, reason: FailureReason): void {
  const { status } = failures[reason];
  const body = JSON.stringify(licenseEnvelope.bodyOf(new Failure(reason)));
  const retry = status === 503 ? 'Retry-After: 1\r\n' : '';
  socket.write(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n${retry}Content-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  hangUp(socket);
}
