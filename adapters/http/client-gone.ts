import type { Socket } from 'node:net';
import { Failure } from './failures.ts';

/** The failure of a request whose client has closed the connection. */
export function hasGone(): Failure {
  return new Failure('bad_request', { detail: 'The client closed the connection.' });
}

const signals = new WeakMap<Socket, AbortSignal>();

/** Returns a signal that aborts when the connection closes. Its reason is a `Failure` that ends the request. */
export function clientGone(socket: Socket): AbortSignal {
  // One signal for all requests of a connection. A client can send many, and each would add a listener to the socket.
  const known = signals.get(socket);
  if (known) return known;
  const controller = new AbortController();
  const abort = () => controller.abort(hasGone());
  if (socket.destroyed) abort();
  else socket.once('close', abort);
  signals.set(socket, controller.signal);
  return controller.signal;
}
