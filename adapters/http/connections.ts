import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { mayHaveBody } from './body.ts';
import { hangUp } from './hang-up.ts';
import { paceReading } from './paced-reading.ts';

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
  /** Time after which a client that reads nothing is disconnected, in milliseconds. */
  readonly stall: number;
}

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

export function createConnections(listener: RequestListener, limits: ConnectionLimits): Connections {
  // One entry for each open connection, never for each response. If a Map changes with every response, its entries move
  // into the old generation of the garbage collector.
  const connections = new Map<Socket, Connection>();
  let ahead = 0;
  let held = 0;

  function forget(socket: Socket): void {
    const connection = connections.get(socket);
    if (connection === undefined) return;
    connections.delete(socket);
    ahead -= Math.max(0, connection.started - 1);
    held -= connection.waiting.length;
  }

  function drop(socket: Socket): void {
    forget(socket);
    socket.destroy();
  }

  /** One request of each connection may always run. */
  function mayStart({ started }: Connection): boolean {
    return started === 0 || (started < limits.pipelined && ahead < limits.ahead);
  }

  /** The rest of an incomplete request may always be read, because the listener controls how fast. */
  function mayRead(connection: Connection): boolean {
    if (connection.response?.req.complete === false) return true;
    return connection.waiting.length === 0 && mayStart(connection);
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

  function answered(this: ServerResponse): void {
    const connection = connections.get(this.req.socket);
    if (connection === undefined) return;
    if (connection.response === this) connection.response = undefined;
    if (connection.started > 1) ahead -= 1;
    connection.started -= 1;
    while (connection.waiting.length > 0 && mayStart(connection)) {
      const next = connection.waiting.shift();
      held -= 1;
      if (next) start(connection, next);
    }
    connection.readOn?.();
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
      if (mayHaveBody(request)) response.prependListener('finish', sentEarly);
      if (connection.waiting.length === 0 && mayStart(connection)) start(connection, response);
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

/**
 * Returns how many bytes the operating system has taken. Node's own counter counts a whole write at once; only the
 * socket's handle shows progress within a write. Without a handle, whole writes are counted.
 */
function bytesTaken(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle');
  if (isHandle(handle)) return handle.bytesWritten - handle.writeQueueSize;
  return socket.bytesWritten - socket.writableLength;
}

function isHandle(value: unknown): value is { readonly bytesWritten: number; readonly writeQueueSize: number } {
  if (typeof value !== 'object' || value === null || !('bytesWritten' in value && 'writeQueueSize' in value))
    return false;
  return typeof value.bytesWritten === 'number' && typeof value.writeQueueSize === 'number';
}
