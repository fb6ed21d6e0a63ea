import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A server that takes connections and everything that is sent, says at most the beginning of an answer, and then nothing. */
export interface SilentServer extends AsyncDisposable {
  readonly url: string;
  /** The number of connections so far. */
  readonly connections: () => number;
}

export async function startSilentServer(beginning = ''): Promise<SilentServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write(beginning));
    socket.resume();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => sockets.size,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
