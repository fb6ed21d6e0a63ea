import type { Socket } from 'node:net';

/** Bytes that are parsed at once: a few requests. */
const piece = 512;

/**
 * Node parses all requests of one read (64 KiB) at once, however many are unanswered. This takes the data first and gives Node's
 * parser small pieces, only while `mayGoOn()` is true. Call the returned function when it may be true again. Do not call it
 * while a read is being parsed.
 */
export function paceReading(socket: Socket, mayGoOn: () => boolean): () => void {
  const [parse] = socket.listeners('data');
  // Node itself pauses the socket, and its parser with it, if answers pile up or nobody reads a body. Later it resumes both.
  let isNodePaused = socket.isPaused();
  let isTaken = false;
  let rest: Buffer = Buffer.alloc(0);

  const feed = () => {
    if (parse === undefined || !isTaken || isNodePaused) return;
    while (!socket.destroyed && socket.listeners('data').includes(take)) {
      if (!mayGoOn()) {
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
  // Not while Node has stopped the handle: the stream, which Node goes round, would not know that it has to start it again.
  const takeOver = () => {
    if (isTaken || parse === undefined || !socket.listeners('data').includes(parse)) return;
    isTaken = true;
    socket.removeAllListeners('data');
    socket.on('data', take);
  };
  if (!isNodePaused) takeOver();
  socket.on('resume', () => {
    if (socket.isPaused()) return; // It was resumed before the pause that holds now.
    isNodePaused = false;
    takeOver();
    feed();
  });
  feed();
  return feed;
}
