import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Server as NetServer, Socket } from 'node:net';
import { type ClientAddress, createClientAddress } from './client-address.ts';
import { closePort } from './close-port.ts';
import { type ConnectionLimits, createConnections } from './connections.ts';
import { licenseEnvelope } from './envelopes.ts';
import { Failure, type FailureReason, failures } from './failures.ts';
import { hangUp } from './hang-up.ts';

/** Where a server listens. `fd` is the file descriptor of a port that another program has opened: then it uses that. */
export interface ListenAt {
  readonly port: number;
  readonly host: string;
  readonly fd?: number | undefined;
}

export interface HttpServer {
  /** See `ListenAt`. Port 0 takes any free port. Rejects if the port is not available. */
  listen(port: number, host: string, fd?: number): Promise<AddressInfo>;
  /** Serves a connection that another process has accepted. */
  adopt(socket: Socket): void;
  /** From now on, every response closes its connection, so that clients connect again, to another server. */
  drain(): void;
  /**
   * Stops accepting connections and waits for requests in flight. After `grace` milliseconds, closes all connections.
   */
  close(grace: number): Promise<void>;
}

/** The default limits: see also `MAX_CONNECTIONS`, `MAX_PIPELINED`, `MAX_UNREAD` and `STALL_TIMEOUT`. */
const defaults: ConnectionLimits = {
  connections: 5_000,
  pipelined: 16,
  ahead: 32,
  held: 2_500,
  unread: 64_000_000,
  stall: 120_000,
};

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
 * request, in milliseconds. Without `clientAddress`, no proxy is trusted.
 */
export function createHttpServer(
  listener: RequestListener,
  {
    request,
    clientAddress = createClientAddress([]),
    ...limits
  }: { readonly request: number; readonly clientAddress?: ClientAddress } & Partial<ConnectionLimits>,
): HttpServer {
  const connections = createConnections(listener, { ...defaults, ...limits }, clientAddress);
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

  let adopts = false;
  return {
    drain,
    listen: (port, host, fd) => listenAt(server, { port, host, fd }),
    adopt(socket) {
      if (!adopts) server.emit('listening'); // Starts Node's check for clients that are too slow.
      adopts = true;
      socket.allowHalfOpen = true; // As if this server had accepted it.
      server.emit('connection', socket);
    },
    async close(grace) {
      const ended = server.listening ? once(server, 'close') : undefined;
      if (ended) await closePort(server, connections.sockets());
      drain();
      const cut = setTimeout(() => server.closeAllConnections(), grace);
      // A client may already have sent a request on a connection that looks idle.
      const closeIdle = setTimeout(
        () => setImmediate(() => server.closeIdleConnections()), // When Node has read what is already here.
        Math.min(grace, lastRequests),
      );
      const adopted = ended ? [] : Array.from(connections.sockets(), (socket) => once(socket, 'close'));
      await Promise.all([ended, ...adopted]);
      clearTimeout(cut);
      clearTimeout(closeIdle);
      server.close(); // Ends Node's check for slow clients too.
      connections.stop();
    },
  };
}

/** Rejects if the port is not available. */
export async function listenAt(server: NetServer, { fd, ...place }: ListenAt): Promise<AddressInfo> {
  server.listen(fd === undefined ? place : { fd });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server listens at no TCP port.');
  return address;
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
