import type { Socket } from 'node:net';

/** Bytes that are parsed at once: a few requests. */
const piece = 512;

/**
 * Node parses all requests of one read (64 KiB) at once, even if many requests are unanswered. This function takes the
 * data first and gives it to Node's parser in small pieces, only while `mayContinue()` is true. Call the returned
 * function when `mayContinue()` may be true again, but never while a read is being parsed.
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
