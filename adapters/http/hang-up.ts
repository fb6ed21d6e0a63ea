import type { Socket } from 'node:net';

/** Bytes that are still taken from a client that was answered while it was sending. */
const most = 65_536;
/** Milliseconds that such a client has to read its answer. */
const patience = 2_000;

/**
 * Ends a connection in a way that lets the client read what was sent: closing while bytes lie unread would reset the
 * connection, and the client could lose its answer. Nothing that still comes is parsed.
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
  const timer = setTimeout(() => socket.destroy(), patience);
  socket.once('close', () => clearTimeout(timer));
  socket.resume();
}
