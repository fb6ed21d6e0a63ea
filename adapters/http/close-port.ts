import { Server, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';

/** Turns of the event loop after which the port is closed even if connections still come. */
const most = 1_000;
/** In a turn that takes fewer milliseconds than this, hardly any connection can have come unseen. */
const short = 0.3;

/**
 * Closes the port of a server, but not its connections. First accepts the connections that the operating system has
 * made already, because it would reset them. Reads nothing from the open connections (`sockets`) and the new ones
 * meanwhile, so that the port can close right after a short turn of the event loop without a new connection.
 */
export async function closePort(server: Server, sockets: Iterable<Socket>): Promise<void> {
  const held = new Set<Socket>();
  const hold = (socket: Socket) => {
    if (socket.isPaused() || socket.destroyed) return;
    held.add(socket);
    socket.pause();
  };
  let hasCome = true;
  const note = (socket: Socket) => {
    hasCome = true;
    process.nextTick(hold, socket); // Node starts to read in this tick.
  };
  for (const socket of sockets) hold(socket);
  server.on('connection', note);
  await setImmediate(); // May end the current turn, in which Node looks for connections no more.
  let time = performance.now();
  for (let turn = 0; hasCome && turn < most; turn++) {
    hasCome = false;
    await setImmediate();
    const ended = performance.now();
    hasCome ||= ended - time > short;
    time = ended;
  }
  // Unlike `close` of an HTTP server, this one leaves idle connections open.
  Server.prototype.close.call(server);
  server.off('connection', note);
  for (const socket of held) socket.resume();
}
