import type { Socket } from 'node:net';

/**
 * Returns how many bytes the operating system has taken. Node's own counter counts a whole write at once; only the
 * socket's handle shows progress within a write. Without a handle, whole writes are counted.
 */
export function bytesTaken(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle');
  if (isHandle(handle)) return handle.bytesWritten - handle.writeQueueSize;
  return socket.bytesWritten - socket.writableLength;
}

function isHandle(value: unknown): value is { readonly bytesWritten: number; readonly writeQueueSize: number } {
  if (typeof value !== 'object' || value === null || !('bytesWritten' in value && 'writeQueueSize' in value))
    return false;
  return typeof value.bytesWritten === 'number' && typeof value.writeQueueSize === 'number';
}

/** Bytes that are parsed at once: a few requests. */
const piece = 512;

/**
 * Node parses all requests of one read (64 KiB) at once, even if many requests are unanswered. This function takes the
 * data first and gives it to Node's parser in small pieces, only while `mayContinue()` is true. Call the returned
 * function when `mayContinue()` may be true again, but never while a read is being parsed.
 *
 * Shorter ways do not hold the bound. Of 20,000 requests at once on a connection that may have 16, this function let Node
 * parse 34. It parsed 10,769 with a `highWaterMark` of 512, and as many with `socket.pause()` in the handler, because
 * Node's parser reads past the stream. `maxRequestsPerSocket` refuses all that come later, also from patient clients.
 */
export function paceReading(socket: Socket, mayContinue: () => boolean): () => void {
  const [parse] = socket.listeners('data');
  // Node itself pauses the socket and its parser if answers pile up or nobody reads a body. Later it resumes both.
  let isNodePaused = socket.isPaused();
  let isTaken = false;
  let rest: Buffer = Buffer.alloc(0);

  const feed = () => {
    if (parse === undefined || !isTaken || isNodePaused) return;
    while (!socket.destroyed && socket.listeners('data').includes(take)) {
      if (!mayContinue()) {
        socket.pause();
        return;
      }
      socket.resume();
      if (rest.length === 0) return;
      const next = rest.subarray(0, piece);
      rest = rest.subarray(piece);
      Reflect.apply(parse, socket, [next]);
      isNodePaused = socket.isPaused();
      if (isNodePaused) return;
    }
  };
  const take = (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    feed();
  };
  // Must not run while Node has stopped the handle of the socket. Node does that without telling the stream, so the
  // stream would never start the handle again.
  const takeOver = () => {
    if (isTaken || parse === undefined || !socket.listeners('data').includes(parse)) return;
    isTaken = true;
    socket.removeAllListeners('data');
    socket.on('data', take);
  };
  if (!isNodePaused) takeOver();
  socket.on('resume', () => {
    if (socket.isPaused()) return; // This event is older than the current pause.
    isNodePaused = false;
    takeOver();
    feed();
  });
  feed();
  return feed;
}
