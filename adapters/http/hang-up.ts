import type { Socket } from 'node:net';

/** Bytes that we still read from a client after its response. */
const most = 65_536;
/** Time that the client has to read its response before we close the connection, in milliseconds. */
const readTimeout = 2_000;

/**
 * Closes a connection so that the client can still read its response. Closing with unread bytes would reset the
 * connection, and the response could be lost. Further data is discarded.
 */
export function hangUp(socket: Socket): void {
  if (socket.destroyed) return;
  socket.end();
  let left = most;
  socket.removeAllListeners('data');
  socket.on('data', (chunk) => {
    left -= chunk.length;
    if (left < 0) socket.pause();
  });
  socket.once('end', () => socket.destroy());
  const timer = setTimeout(() => socket.destroy(), readTimeout);
  socket.once('close', () => clearTimeout(timer));
  socket.resume();
}
