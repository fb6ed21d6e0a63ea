import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { mayHaveBody } from './body.ts';
import type { ClientAddress } from './client-address.ts';
import { hangUp } from './hang-up.ts';
import { bytesTaken, paceReading } from './paced-reading.ts';
import { createUnread } from './unread.ts';

/** Limits on what clients may use. Each number is a maximum. */
export interface ConnectionLimits {
  /** Open connections. */
  readonly connections: number;
  /** Requests of one connection that run at the same time. */
  readonly pipelined: number;
  /**
   * Requests of all connections together that run at the same time, not counting the first of each connection. With
   * more, the garbage collector falls behind.
   */
  readonly ahead: number;
  /** Waiting requests of all connections together. If one more arrives, its connection is closed. */
  readonly held: number;
  /**
   * Bytes of responses that clients have not read and the operating system has not taken, of all connections together.
   * With more, connections are closed. While a client address has a quarter of them, its further requests wait.
   */
  readonly unread: number;
  /** Time after which a client that reads nothing is disconnected, in milliseconds. */
  readonly stall: number;
}

/** While more bytes than this wait on a connection, its further requests wait. */
const mostAhead = 65_536;

interface Connection {
  /** The response to the newest request, until it is sent. */
  response: ServerResponse | undefined;
  /** Requests that run. */
  started: number;
  /** The responses to requests that wait until earlier ones are answered. */
  readonly waiting: ServerResponse[];
  /** Continues reading. It is set when too many requests are unanswered. From then on, we read in small pieces. */
  readOn: (() => void) | undefined;
  /** Bytes that the operating system had taken at the last check. */
  taken: number;
  /** Time for which `taken` has not changed, in milliseconds. */
  stalledFor: number;
}

/** The connections of a server, with their limits and their unanswered requests. */
export interface Connections {
  /** Adds a connection. Returns false if there is no room. */
  add(socket: Socket): boolean;
  /** Passes a request to the listener: at once, or when earlier ones of its connection are answered. */
  take(request: IncomingMessage, response: ServerResponse): void;
  /** Returns the number of unanswered requests of a connection, and the response to the newest. */
  owed(socket: Socket): { readonly unanswered: number; readonly response: ServerResponse | undefined };
  /** The open connections. */
  sockets(): Iterable<Socket>;
  /** Stops the check for clients that read nothing. */
  stop(): void;
}

/**
 * Unread bytes are counted for the address that `clientAddress` returns for their request. Behind a trusted proxy that is
 * the client: the proxy's own address stands for all clients, and one that does not read would stop the others.
 */
export function createConnections(
  listener: RequestListener,
  limits: ConnectionLimits,
  clientAddress: ClientAddress,
): Connections {
  // One entry for each open connection, never for each response. If a Map changes with every response, its entries move
  // into the old generation of the garbage collector.
  const connections = new Map<Socket, Connection>();
  const unread = createUnread<Socket>(limits.unread, limits.unread / 4);
  let ahead = 0;
  let held = 0;
  let willContinue = false;

  function forget(socket: Socket): void {
    const connection = connections.get(socket);
    if (connection === undefined) return;
    connections.delete(socket);
    ahead -= Math.max(0, connection.started - 1);
    held -= connection.waiting.length;
    setUnread(socket, 0);
  }

  function drop(socket: Socket): void {
    forget(socket);
    socket.destroy();
  }

  /** The first request of a connection may run, unless its address has too many unread bytes. */
  function mayStart({ started }: Connection, { req: request }: ServerResponse): boolean {
    if (unread.isAnyFull() && unread.isFull(clientAddress(request))) return false;
    if (started === 0) return true;
    return started < limits.pipelined && ahead < limits.ahead && request.socket.writableLength <= mostAhead;
  }

  /** The rest of an incomplete request may always be read, because the listener controls how fast. */
  function mayRead(connection: Connection): boolean {
    const { response, waiting } = connection;
    if (response === undefined || !response.req.complete) return true;
    return waiting.length === 0 && mayStart(connection, response);
  }

  function start(connection: Connection, response: ServerResponse): void {
    connection.started += 1;
    if (connection.started > 1) ahead += 1;
    listener(response.req, response);
  }

  function wait(connection: Connection, response: ServerResponse): void {
    const { socket } = response.req;
    if (held >= limits.held) {
      drop(socket);
      return;
    }
    held += 1;
    connection.waiting.push(response);
    if (connection.readOn) return;
    // From now on we read only as many requests as may run. Node parses the rest of the current read first.
    connection.readOn = () => undefined;
    process.nextTick(() => {
      connection.readOn = paceReading(socket, () => mayRead(connection));
    });
  }

  /** Starts the waiting requests that may run now, and reads on. */
  function proceed(connection: Connection): void {
    const { waiting } = connection;
    for (let next = waiting[0]; next && mayStart(connection, next); next = waiting[0]) {
      waiting.shift();
      held -= 1;
      start(connection, next);
    }
    connection.readOn?.();
  }

  function answered(this: ServerResponse): void {
    const { socket } = this.req;
    // Node reports this before the end of the connection itself.
    if (socket.destroyed) forget(socket);
    const connection = connections.get(socket);
    if (connection === undefined) return;
    if (unread.has(socket)) weigh(socket);
    if (connection.response === this) connection.response = undefined;
    if (connection.started > 1) ahead -= 1;
    connection.started -= 1;
    proceed(connection);
  }

  /** All of the response is written: what the operating system has not taken now, the client has still to read. */
  function written(this: ServerResponse): void {
    if (this.req.socket.writableLength > 0) weigh(this.req.socket);
  }

  /** Counts the unread bytes of a connection. If there are too many in all, closes connections. */
  function weigh(socket: Socket): void {
    setUnread(socket, socket.writableLength);
    for (let heaviest = unread.tooMany(); heaviest; heaviest = unread.tooMany()) drop(stalest(heaviest));
  }

  function setUnread(socket: Socket, bytes: number): void {
    const request = connections.get(socket)?.response?.req;
    const isFreed = unread.set(socket, request ? bytes : 0, () => (request ? clientAddress(request) : ''));
    if (!isFreed || willContinue) return;
    willContinue = true;
    setImmediate(() => {
      willContinue = false;
      for (const connection of connections.values()) proceed(connection);
    });
  }

  /** Returns the connection whose client has read nothing for the longest time. There is at least one. */
  function stalest(sockets: Iterable<Socket>): Socket {
    const stalledFor = (socket: Socket) => connections.get(socket)?.stalledFor ?? 0;
    return [...sockets].reduce((one, other) => (stalledFor(other) > stalledFor(one) ? other : one));
  }

  /**
   * Closes the connection if the response was sent before the request was complete. Otherwise a client could send the
   * rest of its request without end, and we would read it.
   */
  function sentEarly(this: ServerResponse): void {
    if (this.req.complete) return;
    const { socket } = this.req;
    socket.destroySoon = () => undefined; // Otherwise Node would reset the connection.
    hangUp(socket);
  }

  /** Makes room: closes the oldest idle connection, or else the one that has read nothing for the longest time. */
  function makeRoom(): boolean {
    let stalled: Socket | undefined;
    let longest = 0;
    for (const [socket, { started, stalledFor }] of connections) {
      if (started === 0) {
        drop(socket);
        return true;
      }
      if (stalledFor > longest) {
        stalled = socket;
        longest = stalledFor;
      }
    }
    if (stalled) drop(stalled);
    return stalled !== undefined;
  }

  const every = Math.min(1_000, limits.stall / 4);
  const watch = setInterval(() => {
    for (const [socket, connection] of connections) {
      const taken = socket.writableLength === 0 ? undefined : bytesTaken(socket);
      connection.stalledFor = taken !== undefined && taken === connection.taken ? connection.stalledFor + every : 0;
      connection.taken = taken ?? 0;
      if (taken !== undefined || unread.has(socket)) weigh(socket);
      if (connection.stalledFor >= limits.stall) drop(socket);
    }
  }, every).unref();

  return {
    add(socket) {
      if (connections.size >= limits.connections && !makeRoom()) return false;
      const nothing = { response: undefined, readOn: undefined };
      connections.set(socket, { ...nothing, started: 0, waiting: [], taken: 0, stalledFor: 0 });
      socket.once('close', () => forget(socket));
      return true;
    },
    take(request, response) {
      const { socket } = request;
      const connection = connections.get(socket);
      if (connection === undefined) return; // The connection was closed before this request.
      connection.response = response;
      response.on('close', answered);
      response.on('prefinish', written);
      if (mayHaveBody(request)) response.prependListener('finish', sentEarly);
      if (connection.waiting.length === 0 && mayStart(connection, response)) start(connection, response);
      else wait(connection, response);
    },
    owed(socket) {
      const connection = connections.get(socket);
      if (connection === undefined) return { unanswered: 0, response: undefined };
      return { unanswered: connection.started + connection.waiting.length, response: connection.response };
    },
    sockets: () => connections.keys(),
    stop: () => clearInterval(watch),
  };
}
